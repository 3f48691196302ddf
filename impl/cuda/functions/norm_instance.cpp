// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/norm_instance.hpp"

#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/norm.hpp"
#include "impl/cuda/kernels/norm/channel_norm.hpp"

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

}  // namespace

Status run_instance_norm(diopiContextHandle_t ctx, const InstanceNormProblem& p) {
  NormCall call;
  call.sets = instances_of(p.input, p.axis);
  call.out = p.out;
  call.input = p.input;
  DIOPI_TRY(read_parameter(ctx, p.scale, 1, p.input, p.axis, &call.weight));
  DIOPI_TRY(read_parameter(ctx, p.bias, 0, p.input, p.axis, &call.bias));
  call.eps = p.eps;
  return normalize_sets(ctx, call);
}

Status run_instance_norm_backward(diopiContextHandle_t ctx, const InstanceNormBackwardProblem& p) {
  bool done = false;
  DIOPI_TRY(instance_gradients(ctx, p, &done));
  if (done) return diopiSuccess;
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

}  // namespace impl::cuda
