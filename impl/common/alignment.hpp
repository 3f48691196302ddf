// SPDX-License-Identifier: BSD-3-Clause
// The alignment of memory that kernels work in.
#ifndef IMPL_COMMON_ALIGNMENT_HPP_
#define IMPL_COMMON_ALIGNMENT_HPP_

#include <cstdint>

namespace diopi {

inline constexpr int64_t kAlignment = 64;  // a cache line, and the widest vector

// Rounds a number of bytes up to a multiple of kAlignment.
constexpr int64_t aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace diopi

#endif  // IMPL_COMMON_ALIGNMENT_HPP_
