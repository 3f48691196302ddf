// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm.hpp"

#include "impl/cuda/engine/norm.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

namespace {

uint32_t mask_of(const TensorView& view, int axis) { return view.ndim() == 0 ? 0 : 1u << axis; }

// A float64 temporary with one element for each row along `axis`.
Status make_rows(diopiContextHandle_t ctx, const TensorView& input, int axis, TensorView* view) {
  const Dims shape = diopi::reduced_shape(input.shape, mask_of(input, axis), true);
  return diopi::make_temporary(ctx, shape, diopi_dtype_float64, "rows", view);
}

}  // namespace

Status run_vector_norm(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, uint32_t mask, double p) {
  DIOPI_TRY(diopi::require_writable(out));
  FoldCall fold;
  fold.shape = in.shape;
  fold.mask = mask;
  fold.in[0] = in;
  fold.out[0] = out;
  return fold_norm(ctx, diopi::norm_order(p, out, in), fold);
}

Status run_vector_norm_backward(diopiContextHandle_t ctx, const VectorNormBackwardProblem& p) {
  PointwiseCall call;
  call.shape = p.input.shape;
  call.in[0] = p.grad_output;
  call.in[1] = p.input;
  call.in[2] = p.norm;
  DIOPI_TRY(count_extremes(ctx, p.input, p.mask, p.norm, p.p, &call.in[3]));
  call.out[0] = p.grad_input;
  return pointwise_norm_gradient(ctx, p.p, call);
}

Status run_normalize(diopiContextHandle_t ctx, const NormalizeProblem& p) {
  DIOPI_TRY(diopi::require_writable(p.out));
  if (p.input.numel == 0) return diopiSuccess;
  TensorView norm;
  DIOPI_TRY(make_rows(ctx, p.input, p.axis, &norm));
  DIOPI_TRY(run_vector_norm(ctx, norm, p.input, mask_of(p.input, p.axis), p.p));
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
  const uint32_t mask = mask_of(p.input, p.axis);
  TensorView norm, product;
  DIOPI_TRY(make_rows(ctx, p.input, p.axis, &norm));
  DIOPI_TRY(make_rows(ctx, p.input, p.axis, &product));
  DIOPI_TRY(run_vector_norm(ctx, norm, p.input, mask, p.p));
  FoldCall fold;
  fold.shape = p.input.shape;
  fold.mask = mask;
  fold.in[0] = p.input;
  fold.in[1] = p.grad_output;
  fold.out[0] = product;
  DIOPI_TRY(fold_gradients(ctx, fold));
  PointwiseCall call;
  call.shape = p.input.shape;
  call.in[0] = p.grad_output;
  call.in[1] = p.input;
  call.in[2] = norm;
  call.in[3] = product;
  DIOPI_TRY(count_extremes(ctx, p.input, mask, norm, p.p, &call.in[4]));
  call.out[0] = p.grad_input;
  return pointwise_divide_gradient(ctx, p.p, p.eps, call);
}

}  // namespace impl::cuda
