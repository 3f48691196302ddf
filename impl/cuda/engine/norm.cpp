// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/norm.hpp"

#include <cmath>
#include <initializer_list>

#include "impl/common/engine/copy.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

namespace {

constexpr double kNoBias = -0.0;  // adding it keeps the sign of a zero

bool is_wide(const TensorView& view) { return view.data != nullptr && view.dtype == diopi_dtype_float64; }

FusedCall fused_call(const NormSets& sets, const TensorView& out, std::initializer_list<const RowInput*> inputs,
                     bool* wide) {
  FusedCall call;
  call.shape = sets.shape;
  call.mask = sets.mask;
  call.out = out;
  *wide = is_wide(out);
  int k = 0;
  for (const RowInput* input : inputs) {
    *wide = *wide || is_wide(input->view);
    call.in[k++] = *input;
  }
  return call;
}

// The number of dimensions in a mask of the first ones.
int leading_dims(uint32_t mask) {
  int dims = 0;
  while ((mask >> dims & 1) != 0) ++dims;
  return dims;
}

}  // namespace

Status normalize_sets(diopiContextHandle_t ctx, const NormCall& call) {
  const RowInput input = call.input;
  RowInput bias = call.bias;
  if (bias.view.data == nullptr) bias.number = kNoBias;
  bool wide = false;
  FusedCall fused = fused_call(call.sets, call.out, {&input, &call.weight, &bias}, &wide);
  fused.results[0] = call.mean;
  fused.results[1] = call.invstd;
  return fused_normalize(ctx, wide, call.centred, call.eps, fused);
}

Status make_statistics(diopiContextHandle_t ctx, const NormSets& sets, NormStatistics* statistics) {
  const Dims shape = diopi::reduced_shape(sets.shape, sets.mask, true);
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi_dtype_float64, "mean", &statistics->mean));
  return diopi::make_temporary(ctx, shape, diopi_dtype_float64, "invstd", &statistics->invstd);
}

Status compute_statistics(diopiContextHandle_t ctx, const NormSets& sets, const TensorView& input, double eps,
                          NormStatistics* statistics) {
  DIOPI_TRY(make_statistics(ctx, sets, statistics));
  FoldCall fold;
  fold.shape = sets.shape;
  fold.mask = sets.mask;
  fold.in[0] = input;
  fold.out[0] = statistics->mean;
  fold.out[1] = statistics->invstd;
  return fold_moments(ctx, {0, eps, {MomentResult::kMean, MomentResult::kInverse}}, fold);
}

Status normalize(diopiContextHandle_t ctx, const TensorView& out, const TensorView& input, const RowInput& mean,
                 const RowInput& invstd, const RowInput& weight, const RowInput& bias) {
  PointwiseCall call;
  call.shape = out.shape;
  call.in[0] = input;
  call.in[1] = mean;
  call.in[2] = invstd;
  call.in[3] = weight;
  call.in[4] = bias;
  if (call.in[4].view.data == nullptr) call.in[4].number = kNoBias;
  call.out[0] = out;
  return pointwise_normalize(ctx, call);
}

Status norm_gradients(diopiContextHandle_t ctx, const NormGradientCall& call) {
  bool done = false;
  const uint32_t all = (1u << call.input.ndim()) - 1;
  if (call.weight_mask == (all & ~call.sets.mask) && (call.weight_mask & (call.weight_mask + 1)) == 0) {
    const RowGradientCall rows{call.grad_output,
                               call.input,
                               call.mean,
                               call.invstd,
                               call.weight,
                               call.centred,
                               leading_dims(call.weight_mask),
                               call.grad_input,
                               call.grad_weight,
                               call.grad_bias};
    DIOPI_TRY(row_gradients(ctx, rows, &done));
  }
  if (done) return diopiSuccess;
  FoldCall fold;
  fold.shape = call.sets.shape;
  fold.in[0] = call.grad_output;
  fold.in[2] = call.input;
  fold.in[3] = call.mean;
  fold.in[4] = call.invstd;
  if (call.grad_weight != nullptr || call.grad_bias != nullptr) {
    fold.mask = call.weight_mask;
    fold.in[1] = RowInput(1.0);
    if (call.grad_bias != nullptr) fold.out[0] = *call.grad_bias;
    if (call.grad_weight != nullptr) fold.out[1] = *call.grad_weight;
    DIOPI_TRY(fold_gradients(ctx, fold));
  }
  if (call.grad_input == nullptr || call.grad_input->numel == 0) return diopiSuccess;
  const RowInput grad_output = call.grad_output, input = call.input;
  bool wide = false;
  const FusedCall fused =
      fused_call(call.sets, *call.grad_input, {&grad_output, &call.weight, &input, &call.mean, &call.invstd}, &wide);
  return fused_gradient(ctx, wide, call.centred, fused);
}

Status count_extremes(diopiContextHandle_t ctx, const TensorView& input, uint32_t mask, const TensorView& norm,
                      double p, RowInput* count) {
  *count = RowInput(1.0);
  if (!std::isinf(p) || input.numel == 0) return diopiSuccess;
  DIOPI_TRY(diopi::make_temporary(ctx, norm.shape, diopi_dtype_float64, "count", &count->view));
  FoldCall fold;
  fold.shape = input.shape;
  fold.mask = mask;
  fold.in[0] = input;
  fold.in[1] = norm;
  fold.out[0] = count->view;
  return fold_extremes(ctx, fold);
}

Status copy_values(diopiContextHandle_t ctx, const TensorView& out, TensorView values) {
  values.shape = out.shape;
  values.stride = diopi::contiguous_strides(out.shape);
  return copy_apart(ctx, out, values);
}

Status packed_values(diopiContextHandle_t ctx, const TensorView& view, const Dims& shape, TensorView* packed) {
  DIOPI_TRY(diopi::make_temporary(ctx, view.shape, view.dtype, view.name, packed));
  DIOPI_TRY(copy_apart(ctx, *packed, view));
  packed->shape = shape;
  packed->stride = diopi::contiguous_strides(shape);
  return diopiSuccess;
}

}  // namespace impl::cuda
