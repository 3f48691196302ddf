// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of three-operand operations, one per compute dtype; null if an operation has none.
#ifndef IMPL_CPU_POINTWISE_TERNARY_HPP_
#define IMPL_CPU_POINTWISE_TERNARY_HPP_

#include "impl/common/engine/ternary.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

// Operands and the result have `dtype`, a compute dtype.
BlockFn ternary_kernel(TernaryOp op, diopiDtype_t dtype);

// The same for calls whose input 1 or 2 is one element; null if there is no such kernel.
BlockFn ternary_with_one(TernaryOp op, diopiDtype_t dtype, int input);

// TernaryOp::kClamp with two numbers as bounds; params: both, in `dtype`. Real dtypes only.
BlockFn clamp_between_kernel(diopiDtype_t dtype);

// TernaryOp::kLerp with a number as weight; params: the weight, in `dtype`. Null if `dtype` is complex.
BlockFn lerp_by_number_kernel(diopiDtype_t dtype);

// out = condition ? a : b, for elements of `itemsize` bytes. The first operand is bool.
BlockFn select_kernel(int itemsize);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_TERNARY_HPP_
