// SPDX-License-Identifier: BSD-3-Clause
// Vector loops of sorting short rows, dispatched to the running CPU's target.
#ifndef IMPL_CPU_SORT_SIMD_HPP_
#define IMPL_CPU_SORT_SIMD_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// Returns the smallest key of `n` packed elements (SortKey's keys, inverted if `descending`).
using MinKeyFn = uint64_t (*)(const void* elements, int64_t n, bool descending);
MinKeyFn min_key_function(diopiDtype_t dtype);

// Rows up to this length are sorted by counting, for each element, the smaller elements.
inline constexpr int64_t kRankSorted = 32;
void rank_sort(uint32_t* keys, int64_t n);
void rank_sort(uint64_t* keys, int64_t n);

// Whether Highway's sort supports keys of 128 bits. On a target without vectors it would end the process.
bool vectors_sort_pairs();

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_SIMD_HPP_
