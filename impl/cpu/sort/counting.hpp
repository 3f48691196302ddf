// SPDX-License-Identifier: BSD-3-Clause
// Counting sort for keys of 8 or 16 bits in a long row: the number of elements per key determines each element's place.
#ifndef IMPL_CPU_SORT_COUNTING_HPP_
#define IMPL_CPU_SORT_COUNTING_HPP_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "impl/common/parallel.hpp"
#include "impl/cpu/sort/elements.hpp"

namespace impl::cpu {

inline bool is_counted(const SortPlan& plan) {
  const int size = diopi::dtype_size(plan.dtype);
  if (size > 2 || plan.k < plan.n) return false;
  return plan.n >= (size == 1 ? 128 : 1 << 16);
}

// A single long row is counted in one chunk per thread.
inline int64_t counting_chunks(const SortPlan& plan) {
  constexpr int64_t kWorthThreads = 1 << 16;
  const bool alone = plan.outer.product() == 1 && plan.n >= kWorthThreads && omp_in_parallel() == 0;
  return alone ? omp_get_max_threads() : 1;
}

inline int64_t counting_scratch_bytes(const SortPlan& plan) {
  const int size = diopi::dtype_size(plan.dtype);
  const int64_t counts = (int64_t{1} << (8 * size)) * counting_chunks(plan);
  return counts * static_cast<int64_t>(sizeof(int64_t)) + (plan.in_place ? plan.n * size : 0);
}

// Counts one-byte keys in four tables in turn, so that equal neighbours do not wait for each other. Returns the number
// of counted elements.
template <typename T>
int64_t count_by_fours(const SortPlan& plan, const char* row, int64_t begin, int64_t end, int64_t* counts) {
  constexpr int64_t kBins = int64_t{1} << (8 * sizeof(T)), kWorthTables = 1 << 13;
  if (end - begin < kWorthTables) return 0;
  int64_t tables[3][kBins] = {}, i = begin;
  for (; i + 4 <= end; i += 4) {
    ++counts[key_at<T>(plan, row, i)];
    for (int k = 0; k < 3; ++k) ++tables[k][key_at<T>(plan, row, i + k + 1)];
  }
  for (int64_t bin = 0; bin < kBins; ++bin) counts[bin] += tables[0][bin] + tables[1][bin] + tables[2][bin];
  return i - begin;
}

// counts[key] = the number of elements in [begin, end) with this key.
template <typename T>
void count_keys(const SortPlan& plan, const char* row, int64_t begin, int64_t end, int64_t* counts) {
  std::fill_n(counts, int64_t{1} << (8 * sizeof(T)), int64_t{0});
  int64_t i = begin;
  if constexpr (sizeof(T) == 1) i += count_by_fours<T>(plan, row, begin, end, counts);
  for (; i < end; ++i) ++counts[key_at<T>(plan, row, i)];
}

template <typename T>
void place_indices(const SortPlan& plan, const char* row, char* indices, int64_t begin, int64_t end, int64_t* places) {
  if (plan.index_dtype == diopi_dtype_int64 && plan.indices_stride == 1 && plan.input_stride == 1) {
    int64_t* const out = reinterpret_cast<int64_t*>(indices);
    constexpr int64_t kAhead = 12;  // prefetch distance: the hardware does not predict these stores
    const bool descending = plan.descending;
    using Key = typename SortKey<T>::Key;
    for (int64_t i = begin; i < end; ++i) {
      const Key key = SortKey<T>::encode(row + i * static_cast<int64_t>(sizeof(T)));
      int64_t* const place = out + places[descending ? static_cast<Key>(~key) : key]++;
      if constexpr (sizeof(T) == 1) __builtin_prefetch(place + kAhead, 1);
      *place = i;
    }
    return;
  }
  for (int64_t i = begin; i < end; ++i) store_index(plan, indices, places[key_at<T>(plan, row, i)]++, i);
}

// Writes the values of all elements of one key to their places [begin, end).
template <typename T>
void store_values(const SortPlan& plan, const char* row, const RowTile& tile, typename SortKey<T>::Key sorted,
                  int64_t begin, int64_t end) {
  using Key = typename SortKey<T>::Key;
  Key* const values = reinterpret_cast<Key*>(tile.values);
  const Key key = plan.descending ? static_cast<Key>(~sorted) : sorted;
  if (SortKey<T>::is_exact(key)) {
    const Key bits = SortKey<T>::decode(key);
    for (int64_t i = begin; i < end; ++i) values[i * plan.values_stride] = bits;
    return;
  }
  for (int64_t i = begin; i < end; ++i) {  // zeros and NaN share a key, so the elements are read
    const int64_t at = i * plan.indices_stride;
    const int64_t from = plan.index_dtype == diopi_dtype_int64 ? reinterpret_cast<const int64_t*>(tile.indices)[at]
                                                               : reinterpret_cast<const int32_t*>(tile.indices)[at];
    std::memcpy(values + i * plan.values_stride, element_at<T>(plan, row, from), sizeof(T));
  }
}

template <typename T>
void sort_by_counting(const SortPlan& plan, const RowTile& tile, char* scratch) {
  if constexpr (sizeof(T) <= 2) {
    using Key = typename SortKey<T>::Key;
    constexpr int64_t kBins = int64_t{1} << (8 * sizeof(T));
    const int64_t chunks = counting_chunks(plan);
    int64_t* const places = reinterpret_cast<int64_t*>(scratch);
    SortPlan from = plan;
    const char* row = tile.input;
    if (plan.in_place) {
      Key* const copy = reinterpret_cast<Key*>(places + chunks * kBins);
      for (int64_t i = 0; i < plan.n; ++i) std::memcpy(copy + i, element_at<T>(plan, row, i), sizeof(Key));
      row = reinterpret_cast<const char*>(copy);
      from.input_stride = 1;
    }
    const auto for_chunks = [&](auto&& f) {
      diopi::parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) f(plan.n * p / chunks, plan.n * (p + 1) / chunks, places + p * kBins);
      });
    };
    for_chunks([&](int64_t begin, int64_t end, int64_t* own) { count_keys<T>(from, row, begin, end, own); });
    for (int64_t bin = 0, sum = 0; bin < kBins; ++bin) {
      for (int64_t p = 0; p < chunks; ++p) sum += std::exchange(places[p * kBins + bin], sum);
    }
    for_chunks(
        [&](int64_t begin, int64_t end, int64_t* own) { place_indices<T>(from, row, tile.indices, begin, end, own); });
    if (tile.values == nullptr) return;
    const int64_t* const ends = places + (chunks - 1) * kBins;  // end of each key's places
    diopi::parallel_for(kBins, chunks > 1 ? 1 : kBins, [&](int64_t begin, int64_t end) {
      for (int64_t bin = begin; bin < end; ++bin) {
        store_values<T>(from, row, tile, static_cast<Key>(bin), bin == 0 ? 0 : ends[bin - 1], ends[bin]);
      }
    });
  }
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_COUNTING_HPP_
