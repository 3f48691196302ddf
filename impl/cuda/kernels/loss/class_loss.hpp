// SPDX-License-Identifier: BSD-3-Clause
// Losses of classes. All numbers are computed in float64 and rounded once. z is the largest score of a sample and s the
// sum of the exponentials of the scores without it, so that log p = x - z - log(s).
#ifndef IMPL_CUDA_KERNELS_LOSS_CLASS_LOSS_HPP_
#define IMPL_CUDA_KERNELS_LOSS_CLASS_LOSS_HPP_

#include "impl/common/engine/loss_nll.hpp"
#include "impl/cuda/kernels/rows/calls.hpp"

namespace impl::cuda {

// What the formulas need beside tensors.
struct ClassParams {
  int64_t classes, ignore_index;
  double smoothing;
};

// The losses of the targets, packed and in the order of the samples. Targets that are not classes count as zero.
struct TargetLosses {
  const TensorView* input;                     // with the class dimension; null: losses are not wanted
  const TensorView* target;                    // one integer for each sample
  const TensorView* weight;                    // null: 1 each
  int class_dim;                               // of the input
  const double *largest, *sum, *weighted_sum;  // z, s and the sum of weight * log p; null: x is log p already
  double *loss, *target_weight;
};
Status compute_target_losses(diopiContextHandle_t ctx, const ClassParams& params, const TargetLosses& losses);

// out[0] = sum over the classes of weight * log p. in: x, z, s, weight.
Status fold_log_probabilities(diopiContextHandle_t ctx, const FoldCall& call);
// out[0] = - sum of share * log p, out[1] = sum of share, the part of a class in the target times its weight.
// in: x, z, s, weight, target probability.
Status fold_shares(diopiContextHandle_t ctx, const ClassParams& params, const FoldCall& call);

// in: target, class, weight, grad_output, divisor.
Status pointwise_nll_gradient(diopiContextHandle_t ctx, const ClassParams& params, const PointwiseCall& call);
// in: x, z, s, target, class, weight, weight of the target, sum of all weights, grad_output, divisor.
Status pointwise_index_gradient(diopiContextHandle_t ctx, const ClassParams& params, const PointwiseCall& call);
// in: x, z, s, target probability, weight, sum of the shares, grad_output, divisor.
Status pointwise_probability_gradient(diopiContextHandle_t ctx, const ClassParams& params, const PointwiseCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LOSS_CLASS_LOSS_HPP_
