// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of two-operand operations, one per compute dtype.
#pragma once

#include "elementwise.hpp"

namespace impl::cpu {

enum class BinaryOp {
  // Results have the operands' dtype.
  kAdd,        // bool: or
  kAddScaled,  // a + alpha * b; params: alpha in the compute dtype
  kSub,
  kMul,  // bool: and
  kDiv,
  kDivTrunc,
  kDivFloor,
  kRemainder,  // sign of the divisor
  kMaximum,    // NaN wins
  kMinimum,
  kPow,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  // Results are bool.
  kEq,
  kNe,
  kLt,
  kLe,
  kLogicalAnd,
  kLogicalOr,
};

// The kernel for operands of `dtype` (a compute dtype: never float16 or bfloat16), or null where the operation has
// none. Integer division and remainder need a divisor without zeros: see `has_zero`.
BlockFn arithmetic_kernel(BinaryOp op, diopiDtype_t dtype);
BlockFn division_kernel(BinaryOp op, diopiDtype_t dtype);
BlockFn compare_kernel(BinaryOp op, diopiDtype_t dtype);
BlockFn pow_kernel(diopiDtype_t dtype);
BlockFn real_pow_kernel(diopiDtype_t dtype);  // the power kernel for float32 and float64

// The kernels whose first or second operand is one element; null if the element must be broadcast instead.
struct OneSided {
  BlockFn first = nullptr, second = nullptr;
};
OneSided one_sided_kernels(BinaryOp op, diopiDtype_t dtype);

// Any of the arithmetic, division, comparison and power kernels.
BlockFn binary_kernel(BinaryOp op, diopiDtype_t dtype);

}  // namespace impl::cpu
