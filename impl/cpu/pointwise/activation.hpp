// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of activations with parameters and of gradients of activations. The others are in unary.hpp.
#ifndef IMPL_CPU_POINTWISE_ACTIVATION_HPP_
#define IMPL_CPU_POINTWISE_ACTIVATION_HPP_

#include "impl/common/engine/activation.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

using diopi::ActivationGradient;
using diopi::ParametricActivation;

// The kernel for a compute dtype, or for operands and results that are all float16 or all bfloat16; null if the
// operation has none. The parameters are of the compute dtype.
BlockFn parametric_activation_kernel(ParametricActivation op, diopiDtype_t dtype);
// The kernel for a compute dtype; null if the operation has none.
BlockFn activation_gradient_kernel(ActivationGradient op, diopiDtype_t dtype);
// The gradient kernels that choose between the gradient, a multiple of it and 0; also for float16 and bfloat16.
BlockFn choice_gradient_kernel(ActivationGradient op, diopiDtype_t dtype);
// The gradient kernels that use polynomials, and those of complex numbers. activation_gradient_kernel() calls them.
BlockFn smooth_gradient_kernel(ActivationGradient op, diopiDtype_t dtype);
BlockFn complex_gradient_kernel(ActivationGradient op, diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_ACTIVATION_HPP_
