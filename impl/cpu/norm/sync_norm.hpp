// SPDX-License-Identifier: BSD-3-Clause
// Normalisation that also returns the normalised elements before scale and shift.
#ifndef IMPL_CPU_NORM_SYNC_NORM_HPP_
#define IMPL_CPU_NORM_SYNC_NORM_HPP_

#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

// x, mean, std, weight, bias -> norm = (x - mean) / std, norm * weight + bias; in float32 or float64.
BlockFn sync_norm_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_NORM_SYNC_NORM_HPP_
