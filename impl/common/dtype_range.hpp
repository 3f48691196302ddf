// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a dtype can hold.
#ifndef IMPL_COMMON_DTYPE_RANGE_HPP_
#define IMPL_COMMON_DTYPE_RANGE_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace diopi {

// The bits of a significand of a floating point dtype, the leading bit included.
int significand_bits(diopiDtype_t dtype);

// The largest finite number of a floating point dtype, or of the parts of a complex one.
double largest_finite(diopiDtype_t dtype);

// The largest integer n such that the dtype holds all integers up to n: an integer dtype's maximum, 1 for bool, 2^24
// for float32.
uint64_t largest_exact(diopiDtype_t dtype);

}  // namespace diopi

#endif  // IMPL_COMMON_DTYPE_RANGE_HPP_
