// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for batch, group, instance and layer normalisation, and for normalisation by the root mean
// square. All tensors are floating point; their dtypes may differ. Families have checked the arguments, also that the
// elements of outputs have different addresses. `out` may be `input`, and `grad_input` may be `grad_output` or `input`;
// other outputs overlap nothing.
//
// Operations compute in float32, or in float64 if an operand is float64. Statistics and sums over rows are pairwise or
// merged in float64; results are rounded once. Their bits do not depend on the number of threads.
#ifndef IMPL_COMMON_ENGINE_NORM_HPP_
#define IMPL_COMMON_ENGINE_NORM_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Normalises each channel (dimension 1) of `input`, which has at least 2 dimensions and is not empty. All other tensors
// but `out` have one element per channel.
struct BatchNormProblem {
  const TensorView &out, &input;
  const TensorView *weight, *bias;               // null: 1 and 0
  const TensorView *running_mean, *running_var;  // training: updated, null if not wanted; otherwise they are given
  const TensorView *save_mean, *save_invstd;     // written in training; null: not wanted
  bool training;
  double momentum, eps;
};

// `input` may be empty; then the gradients of the parameters are 0.
struct BatchNormBackwardProblem {
  const TensorView &grad_output, &input;
  const TensorView* weight;                                // null: 1
  const TensorView &mean, &invstd;                         // without training, `invstd` is the running variance
  const TensorView *grad_input, *grad_weight, *grad_bias;  // null: not wanted
  bool training;
  double eps;
};

// Normalises the channels (dimension 1) of each sample (dimension 0) in `groups` groups of adjacent channels. `weight`
// and `bias` have one element per channel, the statistics one per sample and group, in row-major order.
struct GroupNormProblem {
  const TensorView &out, &mean, &invstd;
  const TensorView& input;
  const TensorView *weight, *bias;  // null: 1 and 0
  int64_t groups;
  double eps;
};

struct GroupNormBackwardProblem {
  const TensorView &grad_output, &input;
  const TensorView* weight;  // null: 1
  const TensorView &mean, &invstd;
  const TensorView *grad_input, *grad_weight, *grad_bias;  // null: not wanted
  int64_t groups;
};

// Normalises the dimensions from `axis` on for each index of those before it. `scale`, `bias` and their gradients have
// as many elements as the dimensions from 1 to below `axis` together, in row-major order, and any shape.
struct InstanceNormProblem {
  const TensorView &out, &input;
  const TensorView *scale, *bias;  // null: 1 and 0
  int axis;
  double eps;
};

struct InstanceNormBackwardProblem {
  const TensorView &grad_output, &input;
  const TensorView* scale;                                // null: 1
  const TensorView *grad_input, *grad_scale, *grad_bias;  // null: not wanted
  int axis;
  double eps;
};

// Normalises the dimensions from `first` on together. `weight`, `bias` and their gradients have the shape of these
// dimensions; the statistics have the shape of `input` with 1 in their place.
struct LayerNormProblem {
  const TensorView &out, &mean, &invstd;
  const TensorView& input;
  const TensorView *weight, *bias;  // null: 1 and 0
  int first;
  double eps;
};

struct LayerNormBackwardProblem {
  const TensorView &grad_output, &input;
  const TensorView* weight;  // null: 1
  const TensorView &mean, &invstd;
  const TensorView *grad_input, *grad_weight, *grad_bias;  // null: not wanted
  int first;
};

// Divides the dimensions from `first` on by the root of the mean of their squares. The shapes are those of
// LayerNormProblem.
struct RmsNormProblem {
  const TensorView& out;
  const TensorView* inv_rms;  // null: not wanted
  const TensorView& input;
  const TensorView *weight, *bias;  // null: 1 and 0
  int first;
  double eps;
};

struct RmsNormBackwardProblem {
  const TensorView &grad_output, &input;
  const TensorView* weight;  // null: 1
  const TensorView& inv_rms;
  const TensorView *grad_input, *grad_weight, *grad_bias;  // null: not wanted
  int first;
};

// residual = residual + inout + bias, rounded to its dtype; inout = the rows of this `residual` divided by the roots of
// the means of their squares, times `scale`. Both have one shape [rows, n] and one dtype and do not overlap; `bias` and
// `scale` have the shape [n].
struct AddRmsNormProblem {
  const TensorView &inout, &residual;
  const TensorView* bias;  // null: 0
  const TensorView& scale;
  double eps;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::AddRmsNormProblem;
using diopi::BatchNormBackwardProblem;
using diopi::BatchNormProblem;
using diopi::GroupNormBackwardProblem;
using diopi::GroupNormProblem;
using diopi::InstanceNormBackwardProblem;
using diopi::InstanceNormProblem;
using diopi::LayerNormBackwardProblem;
using diopi::LayerNormProblem;
using diopi::RmsNormBackwardProblem;
using diopi::RmsNormProblem;
using diopi::Status;
using diopi::TensorView;

// The formulas are those of the registry.
Status run_batch_norm(diopiContextHandle_t ctx, const BatchNormProblem& p);
Status run_batch_norm_backward(diopiContextHandle_t ctx, const BatchNormBackwardProblem& p);
Status run_group_norm(diopiContextHandle_t ctx, const GroupNormProblem& p);
Status run_group_norm_backward(diopiContextHandle_t ctx, const GroupNormBackwardProblem& p);
Status run_instance_norm(diopiContextHandle_t ctx, const InstanceNormProblem& p);
Status run_instance_norm_backward(diopiContextHandle_t ctx, const InstanceNormBackwardProblem& p);
Status run_layer_norm(diopiContextHandle_t ctx, const LayerNormProblem& p);
Status run_layer_norm_backward(diopiContextHandle_t ctx, const LayerNormBackwardProblem& p);
Status run_rms_norm(diopiContextHandle_t ctx, const RmsNormProblem& p);
Status run_rms_norm_backward(diopiContextHandle_t ctx, const RmsNormBackwardProblem& p);
Status run_add_rms_norm(diopiContextHandle_t ctx, const AddRmsNormProblem& p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_NORM_HPP_
