// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm_rms.hpp"

#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/norm.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

namespace {

uint32_t leading(int first) { return (1u << first) - 1; }

NormSets rows_of(const TensorView& input, int first) {
  return {input.shape, ((1u << input.ndim()) - 1) & ~leading(first)};
}

Status inverse_rms(diopiContextHandle_t ctx, const NormSets& sets, const TensorView& input, double eps,
                   TensorView* result) {
  const Dims shape = diopi::reduced_shape(sets.shape, sets.mask, true);
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi_dtype_float64, "inv_rms", result));
  FoldCall fold;
  fold.shape = sets.shape;
  fold.mask = sets.mask;
  fold.in[0] = input;
  fold.out[0] = *result;
  return fold_inverse_rms(ctx, eps, fold);
}

}  // namespace

Status run_rms_norm(diopiContextHandle_t ctx, const RmsNormProblem& p) {
  TensorView inverse;
  DIOPI_TRY(inverse_rms(ctx, rows_of(p.input, p.first), p.input, p.eps, &inverse));
  DIOPI_TRY(normalize(ctx, p.out, p.input, RowInput(0.0), inverse, RowInput(p.weight, 1), RowInput(p.bias, 0)));
  return p.inv_rms != nullptr ? copy_values(ctx, *p.inv_rms, inverse) : Status(diopiSuccess);
}

Status run_rms_norm_backward(diopiContextHandle_t ctx, const RmsNormBackwardProblem& p) {
  NormGradientCall call;
  call.sets = rows_of(p.input, p.first);
  call.grad_output = p.grad_output;
  call.input = p.input;
  call.mean = RowInput(0.0);
  call.invstd = p.inv_rms;
  call.weight = RowInput(p.weight, 1);
  call.centred = false;
  call.weight_mask = leading(p.first);
  call.grad_input = p.grad_input;
  call.grad_weight = p.grad_weight;
  call.grad_bias = p.grad_bias;
  return norm_gradients(ctx, call);
}

Status run_add_rms_norm(diopiContextHandle_t ctx, const AddRmsNormProblem& p) {
  PointwiseCall add;
  add.shape = p.residual.shape;
  add.in[0] = p.residual;
  add.in[1] = p.inout;
  add.in[2] = RowInput(p.bias, -0.0);
  add.out[0] = p.residual;
  DIOPI_TRY(pointwise_add(ctx, add));
  TensorView inverse;
  DIOPI_TRY(inverse_rms(ctx, rows_of(p.residual, 1), p.residual, p.eps, &inverse));
  return normalize(ctx, p.inout, p.residual, RowInput(0.0), inverse, p.scale, RowInput(0.0));
}

}  // namespace impl::cuda
