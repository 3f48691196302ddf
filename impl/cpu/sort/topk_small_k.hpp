// SPDX-License-Identifier: BSD-3-Clause
// Selects very few elements of short rows: finds the first smallest key as many times as there are results.
#ifndef IMPL_CPU_SORT_TOPK_SMALL_K_HPP_
#define IMPL_CPU_SORT_TOPK_SMALL_K_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

inline constexpr int64_t kSmallK = 8;             // so many passes over a row are faster than sorting
inline constexpr int64_t kSmallKElements = 2048;  // the keys of so many elements fit the first-level cache

// Writes the positions of the `k` smallest keys of a row in sorted order (SortKey's keys, inverted if `descending`).
// Among equal keys the first comes first. `stride` counts elements; k <= kSmallK, k <= n <= kSmallKElements.
using TopkSmallKFn = void (*)(const void* row, int64_t n, int64_t stride, bool descending, int64_t k,
                              int64_t* positions);
TopkSmallKFn topk_small_k_function(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_TOPK_SMALL_K_HPP_
