// SPDX-License-Identifier: BSD-3-Clause
// Short vector loops of sorting, dispatched to the running CPU's target.
#pragma once

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// The smallest key (of SortKey, inverted where `descending`) of `n` packed elements.
using MinKeyFn = uint64_t (*)(const void* elements, int64_t n, bool descending);
MinKeyFn min_key_function(diopiDtype_t dtype);

// Rows up to this length are sorted by counting, for each element, how many are smaller.
inline constexpr int64_t kRankSorted = 32;
void rank_sort(uint32_t* keys, int64_t n);
void rank_sort(uint64_t* keys, int64_t n);

// Whether Highway's sort takes keys of 128 bits: it ends the process on a target without vectors.
bool vectors_sort_pairs();

}  // namespace impl::cpu
