// SPDX-License-Identifier: BSD-3-Clause
// Sorts rows of a few elements: each pair of elements is compared once, and an element moves back by one place for each
// later element with a smaller key. Nothing depends on a branch, and equal keys keep their order.
#ifndef IMPL_CPU_SORT_SHORT_ROWS_HPP_
#define IMPL_CPU_SORT_SHORT_ROWS_HPP_

#include <cstdint>

#include "impl/cpu/sort/elements.hpp"

namespace impl::cpu {

inline constexpr int64_t kShortRow = 8;

inline bool is_short(const SortPlan& plan) { return plan.n <= kShortRow; }

// places[i] = the number of elements that come before element i.
template <typename Key, int kN>
void place_by_pairs(const Key* keys, int64_t* places) {
  for (int i = 0; i < kN; ++i) places[i] = i;
  for (int i = 0; i < kN; ++i) {
    for (int j = i + 1; j < kN; ++j) {
      const int64_t is_before = keys[j] < keys[i];
      places[i] += is_before;
      places[j] -= is_before;
    }
  }
}

template <typename T, int kN>
void sort_rows_of(const SortPlan& plan, const RowTile& tile) {
  using Key = typename SortKey<T>::Key;
  const Key flip = plan.descending ? SortKey<T>::kAll : Key{0};
  const Key* const input = reinterpret_cast<const Key*>(tile.input);
  Key* const values = reinterpret_cast<Key*>(tile.values);
  const int64_t index_size = diopi::dtype_size(plan.index_dtype);
  for (int64_t r = 0; r < tile.rows; ++r) {
    Key bits[kN], keys[kN];
    int64_t places[kN];
    for (int i = 0; i < kN; ++i) {
      bits[i] = input[r * tile.input_step + i * plan.input_stride];
      keys[i] = static_cast<Key>(SortKey<T>::encode(reinterpret_cast<const char*>(bits + i)) ^ flip);
    }
    place_by_pairs<Key, kN>(keys, places);
    char* const indices = tile.indices + r * tile.indices_step * index_size;
    for (int i = 0; i < kN; ++i) {
      if (places[i] < plan.k) store_index(plan, indices, places[i], i);
    }
    if (values == nullptr) continue;
    for (int i = 0; i < kN; ++i) {
      if (places[i] < plan.k) values[r * tile.values_step + places[i] * plan.values_stride] = bits[i];
    }
  }
}

// Sorts the rows of a tile, which have at most kShortRow elements.
template <typename T, int kN = kShortRow>
void sort_short_rows(const SortPlan& plan, const RowTile& tile) {
  if (plan.n == kN) return sort_rows_of<T, kN>(plan, tile);
  if constexpr (kN > 1) sort_short_rows<T, kN - 1>(plan, tile);
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_SHORT_ROWS_HPP_
