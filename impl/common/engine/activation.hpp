// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for activations with parameters, and for the gradients of activations. Activations without
// parameters are in elementwise.hpp. Families have checked all arguments; the functions return diopiDtypeNotSupported,
// before the first write, for dtypes in which the vendor does not compute.
#ifndef IMPL_COMMON_ENGINE_ACTIVATION_HPP_
#define IMPL_COMMON_ENGINE_ACTIVATION_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Activations with one operand and two parameters.
enum class ParametricActivation {
  kHardtanh,   // smallest and largest result; neither is NaN
  kThreshold,  // threshold, value of elements that do not exceed it
  kLeakyRelu,  // slope for negative elements, 0
};

// Gradients. Operands: gradient of the output, then the input; for kTanh and kSigmoid the output of the forward call
// instead of the input.
enum class ActivationGradient {
  kTanh,
  kSigmoid,
  kSilu,
  kGelu,
  kGeluTanh,
  kHardswish,
  // Params are those of the forward call; kThreshold ignores the second one.
  kHardtanh,
  kThreshold,
  kLeakyRelu,
};

// Two numbers, each an element of the compute dtype: the second one follows the first one without a gap.
struct ActivationParams {
  alignas(16) char bytes[32] = {};
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::ActivationGradient;
using diopi::ActivationParams;
using diopi::ParametricActivation;
using diopi::Status;
using diopi::TensorView;

// out = op(in), computed in the dtype of `in`. `params` are in its compute dtype. `out` has the shape of `in`; it may
// be `in` itself. The result is converted to the dtype of `out`.
Status run_activation(diopiContextHandle_t ctx, ParametricActivation op, const TensorView& out, const TensorView& in,
                      const ActivationParams& params);

// grad_input = grad times the derivative at `point`, computed in the dtype `promoted`. `params` are in its compute
// dtype. `grad_input` has the broadcast shape of the operands; it may be one of them. If `promoted` is float16 or
// bfloat16, all operands have that dtype.
Status run_activation_gradient(diopiContextHandle_t ctx, ActivationGradient op, const TensorView& grad_input,
                               const TensorView& grad, const TensorView& point, diopiDtype_t promoted,
                               const ActivationParams& params);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_ACTIVATION_HPP_
