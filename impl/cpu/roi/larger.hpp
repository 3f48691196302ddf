// SPDX-License-Identifier: BSD-3-Clause
// The running maximum of rows of channels.
#ifndef IMPL_CPU_ROI_LARGER_HPP_
#define IMPL_CPU_ROI_LARGER_HPP_

#include <diopi/diopirt.h>

#include "impl/cpu/roi/taps.hpp"

namespace impl::cpu {

// For each channel c, with value = the sum of weight * rows[row][c] over the taps in their order: where value >
// best[c], or for all channels if `first`, best[c] = value, mark_a[c] = a and mark_b[c] = b. `mark_b` may be null.
// Computed in float64.
using LargerFn = void (*)(const Tap* taps, int64_t n, const void* rows, int64_t pitch, int64_t count, bool first,
                          double a, double b, double* best, double* mark_a, double* mark_b);
// `dtype`: of the rows, float32 or float64.
LargerFn larger_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ROI_LARGER_HPP_
