// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of one-operand operations, one per compute dtype.
#ifndef IMPL_CPU_POINTWISE_UNARY_HPP_
#define IMPL_CPU_POINTWISE_UNARY_HPP_

#include "impl/common/engine/elementwise.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

using diopi::UnaryOp;

// The kernels for an operand of `dtype`; null if the operation has none. For float16 and bfloat16 there are only the
// functions of the sign; all others need a conversion to the compute dtype.
BlockFn exact_unary_kernel(UnaryOp op, diopiDtype_t dtype);    // signs, roundings, choices of any real dtype
BlockFn exponential_kernel(UnaryOp op, diopiDtype_t dtype);    // exponentials, logarithms, roots, error functions
BlockFn trigonometric_kernel(UnaryOp op, diopiDtype_t dtype);  // circular and hyperbolic functions
BlockFn activation_kernel(UnaryOp op, diopiDtype_t dtype);     // activations of real numbers without parameters
BlockFn complex_unary_kernel(UnaryOp op, diopiDtype_t dtype);

// Returns the kernel of any operation.
BlockFn unary_kernel(UnaryOp op, diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_UNARY_HPP_
