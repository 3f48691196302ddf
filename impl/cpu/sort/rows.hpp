// SPDX-License-Identifier: BSD-3-Clause
// Sorts one row, or a tile of adjacent rows: pack, sort or select, unpack.
#ifndef IMPL_CPU_SORT_ROWS_HPP_
#define IMPL_CPU_SORT_ROWS_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/parallel.hpp"
#include "impl/cpu/sort/elements.hpp"
#include "impl/cpu/sort/topk_select.hpp"

namespace impl::cpu {

inline constexpr int64_t kMaxTile = 16;

// The rows of a tile, each as a tile of one row.
template <typename T>
class TileRows {
 public:
  TileRows(const SortPlan& plan, const RowTile& tile) : count_(tile.rows) {
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    const int64_t index_size = diopi::dtype_size(plan.index_dtype);
    for (int64_t r = 0; r < count_; ++r) {
      rows_[r] = tile;
      rows_[r].rows = 1;
      rows_[r].input += r * tile.input_step * kSize;
      if (tile.values != nullptr) rows_[r].values += r * tile.values_step * kSize;
      rows_[r].indices += r * tile.indices_step * index_size;
    }
  }
  const RowTile& operator[](int64_t r) const { return rows_[r]; }

  // Calls f(row, r, begin, end) for ranges of all rows. Adjacent elements of different rows are visited together.
  template <typename F>
  void for_ranges(int64_t n, F&& f) const {
    const int64_t step = count_ == 1 ? n : 1;
    for (int64_t begin = 0; begin < n; begin += step) {
      for (int64_t r = 0; r < count_; ++r) f(rows_[r], r, begin, begin + step);
    }
  }

 private:
  RowTile rows_[kMaxTile];
  int64_t count_;
};

template <typename T, typename P>
void pack_range(const SortPlan& plan, const RowTile& row, int64_t begin, int64_t end, P* keys) {
  for (int64_t i = begin; i < end; ++i) keys[i] = Packing<P>::pack(key_at<T>(plan, row.input, i), i);
}

template <typename T, typename P>
void store_range(const SortPlan& plan, const RowTile& row, int64_t begin, int64_t end, const P* keys) {
  if (plan.in_place) {
    store_bits<T>(plan, row.values, row.indices, begin, end, keys);
  } else {
    store<T>(plan, row.input, row.values, row.indices, begin, end, keys);
  }
}

template <typename T, typename P>
void sort_tile_packed(const SortPlan& plan, const RowTile& tile, P* keys) {
  const int64_t n = plan.n;
  const TileRows<T> rows(plan, tile);
  if (is_selection(plan)) {  // the tile has one row
    sort_packed(keys, select<T>(plan, tile.input, 0, n, keys));
  } else {
    rows.for_ranges(n, [&](const RowTile& row, int64_t r, int64_t begin, int64_t end) {
      pack_range<T>(plan, row, begin, end, keys + r * n);
    });
    for (int64_t r = 0; r < tile.rows; ++r) sort_packed(keys + r * n, n);
  }
  for (int64_t r = 0; plan.in_place && r < tile.rows; ++r) {
    keys_to_bits<T>(plan, rows[r].input, 0, plan.k, keys + r * n);
  }
  rows.for_ranges(plan.k, [&](const RowTile& row, int64_t r, int64_t begin, int64_t end) {
    store_range<T>(plan, row, begin, end, keys + r * n);
  });
}

// Sorts one long row on all threads.
template <typename T, typename P>
void sort_row_packed(const SortPlan& plan, const RowTile& tile, char* scratch, int64_t scratch_per_job) {
  constexpr int64_t kGrain = 1 << 14;
  P* const keys = reinterpret_cast<P*>(scratch);
  if (is_selection(plan)) {
    const int64_t jobs = omp_get_max_threads();
    const auto bound = [&](int64_t j) { return plan.n * j / jobs; };
    const auto job_keys = [&](int64_t j) { return reinterpret_cast<P*>(scratch + j * scratch_per_job); };
    diopi::parallel_for(jobs, 1, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) select<T>(plan, tile.input, bound(j), bound(j + 1), job_keys(j));
    });
    int64_t count = std::min(plan.k, bound(1));
    for (int64_t j = 1; j < jobs; ++j) {
      const int64_t more = std::min(plan.k, bound(j + 1) - bound(j));
      std::copy_n(job_keys(j), more, keys + count);
      count = keep_smallest(keys, count + more, plan.k);
    }
    sort_packed(keys, count);
  } else {
    diopi::parallel_for(plan.n, kGrain,
                        [&](int64_t begin, int64_t end) { pack_range<T>(plan, tile, begin, end, keys); });
    sort_packed_parallel(keys, plan.n, keys + plan.n);
  }
  if (plan.in_place) {
    diopi::parallel_for(plan.k, kGrain,
                        [&](int64_t begin, int64_t end) { keys_to_bits<T>(plan, tile.input, begin, end, keys); });
  }
  diopi::parallel_for(plan.k, kGrain,
                      [&](int64_t begin, int64_t end) { store_range<T>(plan, tile, begin, end, keys); });
}

// Calls f(P{}), where P is the packed type of the plan.
template <typename T, typename F>
void with_packed_type(const SortPlan& plan, F&& f) {
  if constexpr (sizeof(T) == 8) {
    f(Packed128{});
  } else {
    if constexpr (sizeof(T) < 4) {
      if (packed_size(plan) == 4) return f(uint32_t{});
    }
    f(uint64_t{});
  }
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_ROWS_HPP_
