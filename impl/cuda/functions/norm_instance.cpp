// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm_instance.hpp"

#include <cmath>

#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/norm.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"
#include "impl/cuda/kernels/softmax/softmax.hpp"

namespace impl::cuda {

namespace {

NormSets instances_of(const TensorView& input, int axis) {
  return {input.shape, ((1u << input.ndim()) - 1) & ~((1u << axis) - 1)};
}

// The shape of the parameters as operands: the dimensions from 1 to below `axis`.
Dims parameter_shape(const TensorView& input, int axis) {
  Dims shape = input.shape;
  for (int i = 0; i < shape.n; ++i) shape[i] = i >= 1 && i < axis ? input.shape[i] : 1;
  return shape;
}

Status read_parameter(diopiContextHandle_t ctx, const TensorView* view, double number, const TensorView& input,
                      int axis, RowInput* parameter) {
  *parameter = RowInput(number);
  return view == nullptr ? Status(diopiSuccess)
                         : packed_values(ctx, *view, parameter_shape(input, axis), &parameter->view);
}

uint32_t mask_of(const TensorView& view, int axis) { return view.ndim() == 0 ? 0 : 1u << axis; }

// A float64 temporary with one element for each row along `axis`.
Status make_rows(diopiContextHandle_t ctx, const FoldCall& fold, TensorView* view) {
  const Dims shape = diopi::reduced_shape(fold.shape, fold.mask, true);
  return diopi::make_temporary(ctx, shape, diopi_dtype_float64, "rows", view);
}

FoldCall rows_along(const TensorView& input, int axis) {
  FoldCall fold;
  fold.shape = input.shape;
  fold.mask = mask_of(input, axis);
  fold.in[0] = input;
  return fold;
}

}  // namespace

Status run_instance_norm(diopiContextHandle_t ctx, const InstanceNormProblem& p) {
  RowInput scale, bias;
  NormStatistics statistics;
  DIOPI_TRY(read_parameter(ctx, p.scale, 1, p.input, p.axis, &scale));
  DIOPI_TRY(read_parameter(ctx, p.bias, 0, p.input, p.axis, &bias));
  DIOPI_TRY(compute_statistics(ctx, instances_of(p.input, p.axis), p.input, p.eps, &statistics));
  return normalize(ctx, p.out, p.input, statistics.mean, statistics.invstd, scale, bias);
}

Status run_instance_norm_backward(diopiContextHandle_t ctx, const InstanceNormBackwardProblem& p) {
  NormGradientCall call;
  NormStatistics statistics;
  TensorView sums[2];
  call.sets = instances_of(p.input, p.axis);
  call.grad_output = p.grad_output;
  call.input = p.input;
  DIOPI_TRY(compute_statistics(ctx, call.sets, p.input, p.eps, &statistics));
  DIOPI_TRY(read_parameter(ctx, p.scale, 1, p.input, p.axis, &call.weight));
  call.mean = statistics.mean;
  call.invstd = statistics.invstd;
  call.weight_mask = call.sets.mask | 1u;
  call.grad_input = p.grad_input;
  const TensorView* const wanted[] = {p.grad_scale, p.grad_bias};
  for (int k = 0; k < 2; ++k) {
    if (wanted[k] == nullptr) continue;
    DIOPI_TRY(diopi::make_temporary(ctx, parameter_shape(p.input, p.axis), diopi_dtype_float64, "sums", &sums[k]));
    (k == 0 ? call.grad_weight : call.grad_bias) = &sums[k];
  }
  DIOPI_TRY(norm_gradients(ctx, call));
  for (int k = 0; k < 2; ++k) {
    if (wanted[k] != nullptr) DIOPI_TRY(copy_values(ctx, *wanted[k], sums[k]));
  }
  return diopiSuccess;
}

Status run_normalize(diopiContextHandle_t ctx, const NormalizeProblem& p) {
  DIOPI_TRY(diopi::require_writable(p.out));
  if (p.input.numel == 0) return diopiSuccess;
  FoldCall fold = rows_along(p.input, p.axis);
  TensorView norm;
  DIOPI_TRY(make_rows(ctx, fold, &norm));
  fold.out[0] = norm;
  DIOPI_TRY(fold_norm(ctx, p.p, fold));
  PointwiseCall call;
  call.shape = p.input.shape;
  call.in[0] = p.input;
  call.in[1] = norm;
  call.out[0] = p.out;
  return pointwise_divide(ctx, p.eps, call);
}

Status run_normalize_backward(diopiContextHandle_t ctx, const NormalizeBackwardProblem& p) {
  DIOPI_TRY(diopi::require_writable(p.grad_input));
  if (p.input.numel == 0) return diopiSuccess;
  FoldCall fold = rows_along(p.input, p.axis);
  TensorView norm, product, count;
  DIOPI_TRY(make_rows(ctx, fold, &norm));
  DIOPI_TRY(make_rows(ctx, fold, &product));
  DIOPI_TRY(make_rows(ctx, fold, &count));
  fold.out[0] = norm;
  DIOPI_TRY(fold_norm(ctx, p.p, fold));
  PointwiseCall call;
  call.shape = p.input.shape;
  call.in[0] = p.grad_output;
  call.in[1] = p.input;
  call.in[2] = norm;
  call.in[3] = product;
  call.in[4] = RowInput(1.0);
  if (std::isinf(p.p)) {
    fold.in[1] = norm;
    fold.out[0] = call.in[4].view = count;
    DIOPI_TRY(fold_extremes(ctx, fold));
  }
  fold.in[1] = p.grad_output;
  fold.in[2] = RowInput(1.0);
  fold.out[0] = product;
  DIOPI_TRY(fold_products(ctx, fold));
  call.out[0] = p.grad_input;
  return pointwise_divide_gradient(ctx, p.p, p.eps, call);
}

}  // namespace impl::cuda
