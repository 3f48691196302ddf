// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of three-operand operations, one per compute dtype; null if an operation has none.
#ifndef IMPL_CPU_POINTWISE_TERNARY_HPP_
#define IMPL_CPU_POINTWISE_TERNARY_HPP_

#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

enum class TernaryOp {
  kAddcmul,  // a + value * b * c; params: value in the compute dtype
  kAddcdiv,  // a + value * (b / c); params: value in the compute dtype
  kLerp,     // a + c * (b - a), computed from the nearer end
  kClamp,    // min(max(a, b), c); NaN if an operand is NaN
  // kClamp with two numbers as bounds; params: b and c in the compute dtype. float32 and float64 only.
  kClampBetween,
};

// Operands and the result have `dtype`, a compute dtype.
BlockFn ternary_kernel(TernaryOp op, diopiDtype_t dtype);

// out = condition ? a : b, for elements of `itemsize` bytes. The first operand is bool.
BlockFn select_kernel(int itemsize);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_TERNARY_HPP_
