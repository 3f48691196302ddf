// SPDX-License-Identifier: BSD-3-Clause
// The ranges of random numbers that a dtype can hold.
#ifndef IMPL_CPU_FUNCTIONS_RANDOM_BOUNDS_HPP_
#define IMPL_CPU_FUNCTIONS_RANDOM_BOUNDS_HPP_

#include "impl/common/dtype.hpp"
#include "impl/cpu/random/random.hpp"

namespace impl::cpu {

using diopi::Status;

// The largest integer n such that the dtype holds all integers up to n: an integer dtype's maximum, 1 for bool, 2^24
// for float32.
uint64_t largest_exact(diopiDtype_t dtype);

// Checks the bounds of a uniform distribution in a floating point dtype.
Status uniform_params(diopiDtype_t dtype, double from, double to, UniformParams* params);

// Checks the bounds of random integers. If `to` is null, the largest integer is largest_exact(), inclusive.
Status integer_params(diopiDtype_t dtype, int64_t from, const int64_t* to, IntegerParams* params);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_RANDOM_BOUNDS_HPP_
