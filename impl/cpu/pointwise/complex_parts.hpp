// SPDX-License-Identifier: BSD-3-Clause
// Block kernels that make complex numbers from their parts, and conjugate them.
#ifndef IMPL_CPU_POINTWISE_COMPLEX_PARTS_HPP_
#define IMPL_CPU_POINTWISE_COMPLEX_PARTS_HPP_

#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

// Kernels of two operands of `dtype`, float32 or float64, which are the parts, or the absolute value and the angle.
BlockFn complex_kernel(diopiDtype_t dtype);
BlockFn polar_kernel(diopiDtype_t dtype);
// The kernel for an operand of `dtype`, complex64 or complex128.
BlockFn conjugate_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_COMPLEX_PARTS_HPP_
