// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/activation.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cuda/kernels/elementwise/activation.hpp"

namespace impl::cuda {

Status run_activation(diopiContextHandle_t ctx, ParametricActivation op, const TensorView& out, const TensorView& in,
                      const ActivationParams& params) {
  const diopiDtype_t dtype = diopi::compute_dtype(in.dtype);
  if (!has_activation(op, dtype)) return diopi::unsupported_dtype(in.dtype, {&in});
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, &in, 1, &call));
  return launch_activation(call, op, dtype, params);
}

Status run_activation_gradient(diopiContextHandle_t ctx, ActivationGradient op, const TensorView& grad_input,
                               const TensorView& grad, const TensorView& point, diopiDtype_t promoted,
                               const ActivationParams& params) {
  const diopiDtype_t dtype = diopi::compute_dtype(promoted);
  if (!has_gradient(op, dtype)) return diopi::unsupported_dtype(promoted, {&grad, &point});
  const TensorView inputs[] = {grad, point};
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, grad_input, inputs, 2, &call));
  return launch_gradient(call, op, dtype, params);
}

}  // namespace impl::cuda
