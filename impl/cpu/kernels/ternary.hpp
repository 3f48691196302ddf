// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of three-operand operations, one per compute dtype; null where an operation has none.
#pragma once

#include "impl/cpu/kernels/elementwise.hpp"

namespace impl::cpu {

enum class TernaryOp {
  kAddcmul,  // a + value * b * c; params: value in the compute dtype
  kAddcdiv,  // a + value * (b / c); params: value in the compute dtype
  kLerp,     // a + c * (b - a), from the nearer end
  kClamp,    // min(max(a, b), c), NaN of any operand wins
  // kClamp with two numbers as bounds; params: b and c in the compute dtype. float32 and float64 only.
  kClampBetween,
};

// Operands and result have `dtype`, a compute dtype.
BlockFn ternary_kernel(TernaryOp op, diopiDtype_t dtype);

// out = condition ? a : b, by element size. The first operand is bool.
BlockFn select_kernel(int itemsize);

}  // namespace impl::cpu
