// SPDX-License-Identifier: BSD-3-Clause
// Kernels on packed elements of one floating point dtype for operations on lists of tensors.
#ifndef IMPL_CPU_POINTWISE_LIST_HPP_
#define IMPL_CPU_POINTWISE_LIST_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// out[i] = in[i] + number, or in[i] * number, in the compute dtype. `out` may be `in`.
using NumberFn = void (*)(void* out, const void* in, int64_t n, double number);
NumberFn add_number_kernel(diopiDtype_t dtype);
NumberFn multiply_number_kernel(diopiDtype_t dtype);

// Multiplies elements by a factor, unless it is 1, and returns whether one of them was infinite or NaN before.
using UnscaleFn = bool (*)(void* data, int64_t n, double factor);
UnscaleFn unscale_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_LIST_HPP_
