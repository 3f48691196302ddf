// SPDX-License-Identifier: BSD-3-Clause
// Interleaves 2, 3 or 4 rows of items to one, and the reverse, dispatched to the running CPU's target.
#ifndef IMPL_CPU_ENGINE_COPY_INTERLEAVE_HPP_
#define IMPL_CPU_ENGINE_COPY_INTERLEAVE_HPP_

#include <cstdint>

namespace impl::cpu {

inline constexpr int64_t kMostInterleaved = 4;

// For n items of each of `rows` rows, which are `step` bytes apart, and the packed `line`:
// interleave: line[i * rows + k] = row k [i]; separate: row k [i] = line[i * rows + k].
using InterleaveFn = void (*)(char* dst, const char* src, int64_t step, int64_t n);

// The functions for items of 1, 2, 4 or 8 bytes.
InterleaveFn interleave_function(int64_t size, int64_t rows);
InterleaveFn separate_function(int64_t size, int64_t rows);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_INTERLEAVE_HPP_
