// SPDX-License-Identifier: BSD-3-Clause
// Squared deviations from means, for standard deviations.
#ifndef IMPL_CPU_NORM_DEVIATION_HPP_
#define IMPL_CPU_NORM_DEVIATION_HPP_

#include "impl/cpu/engine/elementwise/elementwise.hpp"
#include "impl/cpu/engine/reduce/reduce.hpp"

namespace impl::cpu {

// The kernels of the reduction engine for elements of a floating point dtype; results are doubles. The first writes
// sums of squared deviations; the second standard deviations, and its `params` must be set to the address of the
// correction, a double.
const ReduceKernel* squared_deviation_kernel(diopiDtype_t dtype);
const ReduceKernel* standard_deviation_kernel(diopiDtype_t dtype);

// Element-wise, in float64: two sums of squared deviations -> the square root of their total divided by `params`, a
// double.
BlockFn joint_deviation_kernel();

// The number by which the sum of `count` squared deviations is divided.
double deviation_divisor(int64_t count, double correction);

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_DEVIATION_HPP_
