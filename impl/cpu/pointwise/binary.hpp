// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of two-operand operations, one per compute dtype.
#ifndef IMPL_CPU_POINTWISE_BINARY_HPP_
#define IMPL_CPU_POINTWISE_BINARY_HPP_

#include "impl/common/engine/elementwise.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

using diopi::BinaryOp;

// The kernel for operands of `dtype` (a compute dtype: never float16 or bfloat16); null if the operation has no kernel
// for it. For integer division and remainder, the caller must reject divisors that contain zeros: see `any_zero`.
BlockFn arithmetic_kernel(BinaryOp op, diopiDtype_t dtype);
BlockFn division_kernel(BinaryOp op, diopiDtype_t dtype);
BlockFn compare_kernel(BinaryOp op, diopiDtype_t dtype);
BlockFn pow_kernel(diopiDtype_t dtype);
BlockFn real_pow_kernel(diopiDtype_t dtype);  // the power kernel for float32 and float64

// The kernels whose first or second operand is one element; null if the element must be broadcast instead. And the
// kernel of many rows, if there is one.
struct OneSided {
  BlockFn first = nullptr, second = nullptr;
  BlockRowsFn rows = nullptr;
};
OneSided one_sided_kernels(BinaryOp op, diopiDtype_t dtype);

// The kernel of any operation: arithmetic, division, comparison or power.
BlockFn binary_kernel(BinaryOp op, diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_BINARY_HPP_
