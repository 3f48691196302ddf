// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/activation.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cpu/pointwise/half.hpp"

namespace impl::cpu {

Status run_activation(diopiContextHandle_t ctx, ParametricActivation op, const TensorView& out, const TensorView& in,
                      const ActivationParams& params) {
  const diopiDtype_t compute = out.dtype == in.dtype ? in.dtype : diopi::compute_dtype(in.dtype);
  const BlockFn fn = parametric_activation_kernel(op, compute);
  if (fn == nullptr) return diopi::unsupported_dtype(in.dtype, {&in});
  return run_elementwise(ctx, uniform_kernel(fn, compute, 1, params.bytes), &out, &in);
}

Status run_activation_gradient(diopiContextHandle_t ctx, ActivationGradient op, const TensorView& grad_input,
                               const TensorView& grad, const TensorView& point, diopiDtype_t promoted,
                               const ActivationParams& params) {
  const bool uniform = grad.dtype == promoted && point.dtype == promoted && grad_input.dtype == promoted;
  const BlockFn half = uniform ? half_gradient_kernel(op, promoted) : nullptr;
  const diopiDtype_t compute = half != nullptr ? promoted : diopi::compute_dtype(promoted);
  const BlockFn fn = half != nullptr ? half : activation_gradient_kernel(op, compute);
  if (fn == nullptr) return diopi::unsupported_dtype(promoted, {&grad, &point});
  const TensorView inputs[] = {grad, point};
  ElementwiseKernel kernel = uniform_kernel(fn, compute, 2, params.bytes);
  kernel.costly =
      op == ActivationGradient::kSilu || op == ActivationGradient::kGelu || op == ActivationGradient::kGeluTanh;
  return run_elementwise(ctx, kernel, &grad_input, inputs);
}

}  // namespace impl::cpu
