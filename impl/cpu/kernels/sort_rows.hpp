// What happens to one row, or to a tile of neighbouring rows, of a sort: pack, sort or select, unpack.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "impl/common/parallel.hpp"
#include "impl/cpu/kernels/sort.hpp"
#include "impl/cpu/kernels/sort_keys.hpp"
#include "impl/cpu/kernels/sort_simd.hpp"

namespace impl::cpu {

// Rows of one tile; steps from row to row in elements.
struct RowTile {
  const char* input;
  char* values;
  char* indices;
  int64_t rows;
  int64_t input_step, values_step, indices_step;
};

inline int64_t packed_size(const SortPlan& plan) {
  const int size = diopi::dtype_size(plan.dtype);
  if (size == 8) return 16;
  return size <= 2 && plan.n <= 0x10000 ? 4 : 8;
}

// Few of many are wanted: candidates are collected instead of sorting all.
inline bool is_selection(const SortPlan& plan) { return plan.n >= 256 && plan.k <= plan.n / 8; }

// Keys of 64 bits are cut so far that the position fits in beside them; what that makes equal is settled afterwards.
inline bool is_cut(const SortPlan& plan) { return packed_size(plan) == 16 && !is_selection(plan); }

inline constexpr int64_t kSelectionBlock = 32;
inline int64_t selection_capacity(const SortPlan& plan) { return std::max<int64_t>(2 * plan.k, 32) + kSelectionBlock; }

inline int64_t counting_scratch_bytes(const SortPlan& plan) {
  const int size = diopi::dtype_size(plan.dtype);
  return (int64_t{1} << (8 * size)) * static_cast<int64_t>(sizeof(int64_t)) + (plan.in_place ? plan.n * size : 0);
}

template <typename T>
inline const char* element_at(const SortPlan& plan, const char* row, int64_t i) {
  return row + i * plan.input_stride * static_cast<int64_t>(sizeof(T));
}

template <typename T>
inline typename SortKey<T>::Key key_at(const SortPlan& plan, const char* row, int64_t i) {
  const auto key = SortKey<T>::encode(element_at<T>(plan, row, i));
  return plan.descending ? static_cast<typename SortKey<T>::Key>(~key) : key;
}

inline void store_index(const SortPlan& plan, char* indices, int64_t i, int64_t position) {
  if (plan.index_dtype == diopi_dtype_int64) {
    reinterpret_cast<int64_t*>(indices)[i * plan.indices_stride] = position;
  } else {
    reinterpret_cast<int32_t*>(indices)[i * plan.indices_stride] = static_cast<int32_t>(position);
  }
}

// The bits of the element that was packed. Zeros and NaN share a key: theirs are read from the row.
template <typename T, typename P>
inline typename SortKey<T>::Key unpack(const SortPlan& plan, const char* row, P packed) {
  using Key = typename SortKey<T>::Key;
  const Key half = static_cast<Key>(Packing<P>::key(packed)), key = plan.descending ? static_cast<Key>(~half) : half;
  if (SortKey<T>::is_exact(key)) return SortKey<T>::decode(key);
  Key bits;
  std::memcpy(&bits, element_at<T>(plan, row, Packing<P>::position(packed)), sizeof(bits));
  return bits;
}

// Writes results [begin, end) of a row from its sorted keys.
template <typename T, typename P>
void store(const SortPlan& plan, const char* row, char* values, char* indices, int64_t begin, int64_t end,
           const P* keys) {
  using Key = typename SortKey<T>::Key;
  for (int64_t i = begin; i < end; ++i) store_index(plan, indices, i, Packing<P>::position(keys[i]));
  Key* const target = reinterpret_cast<Key*>(values);
  if (values == nullptr) return;
  for (int64_t i = begin; i < end; ++i) target[i * plan.values_stride] = unpack<T>(plan, row, keys[i]);
}

// In place, the row is overwritten while it is still needed: its bits take the room of the keys first.
template <typename T, typename P>
void keys_to_bits(const SortPlan& plan, const char* row, int64_t begin, int64_t end, P* keys) {
  for (int64_t i = begin; i < end; ++i) {
    keys[i] = Packing<P>::pack(unpack<T>(plan, row, keys[i]), Packing<P>::position(keys[i]));
  }
}

template <typename T, typename P>
void store_bits(const SortPlan& plan, char* values, char* indices, int64_t begin, int64_t end, const P* keys) {
  using Key = typename SortKey<T>::Key;
  Key* const target = reinterpret_cast<Key*>(values);
  for (int64_t i = begin; i < end; ++i) {
    store_index(plan, indices, i, Packing<P>::position(keys[i]));
    target[i * plan.values_stride] = static_cast<Key>(Packing<P>::key(keys[i]));
  }
}

// Leaves the smallest min(k, count) of `count` keys in front and returns how many they are.
template <typename P>
int64_t keep_smallest(P* keys, int64_t count, int64_t k) {
  if (count <= k) return count;
  if (k > 0) std::nth_element(keys, keys + k - 1, keys + count);
  return k;
}

// Collects the k smallest keys of elements [begin, end) in `keys`, which has room for selection_capacity().
template <typename T, typename P>
int64_t select(const SortPlan& plan, const char* row, int64_t begin, int64_t end, P* keys) {
  if (plan.k == 0) return 0;
  const int64_t capacity = selection_capacity(plan);
  const MinKeyFn min_key = plan.input_stride == 1 ? min_key_function(plan.dtype) : nullptr;
  P limit = static_cast<P>(~P{0});
  int64_t count = 0;
  for (int64_t block = begin; block < end; block += kSelectionBlock) {
    const int64_t stop = std::min(end, block + kSelectionBlock);
    if (min_key != nullptr && count >= plan.k &&
        min_key(element_at<T>(plan, row, block), stop - block, plan.descending) > Packing<P>::key(limit)) {
      continue;
    }
    for (int64_t i = block; i < stop; ++i) {
      const P packed = Packing<P>::pack(key_at<T>(plan, row, i), i);
      keys[count] = packed;
      count += packed <= limit;
    }
    if (count + kSelectionBlock > capacity) {
      count = keep_smallest(keys, count, plan.k);
      limit = keys[plan.k - 1];
    }
  }
  return keep_smallest(keys, count, plan.k);
}

inline constexpr int64_t kMaxTile = 16;

// The rows of a tile, each as a tile of its own.
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

  // Calls f(row, r, begin, end) for ranges of all rows, so that what lies side by side is visited together.
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
  if (is_selection(plan)) {  // one row at a time
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

// One long row, all threads on it.
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

// Calls f(P{}) with the packed type of the plan.
template <typename T, typename F>
void with_packed_type(const SortPlan& plan, F&& f) {
  if constexpr (sizeof(T) == 8) {
    f(Packed128{});
  } else if constexpr (sizeof(T) == 4) {
    f(uint64_t{});
  } else if (packed_size(plan) == 4) {
    f(uint32_t{});
  } else {
    f(uint64_t{});
  }
}

// Keys of 8 or 16 bits in a long row: their number per key gives each element its place.
template <typename T>
void sort_by_counting(const SortPlan& plan, const RowTile& tile, char* scratch) {
  if constexpr (sizeof(T) <= 2) {
    using Key = typename SortKey<T>::Key;
    constexpr int64_t kBins = int64_t{1} << (8 * sizeof(T));
    int64_t* const place = reinterpret_cast<int64_t*>(scratch);
    std::fill_n(place, kBins, int64_t{0});
    for (int64_t i = 0; i < plan.n; ++i) ++place[key_at<T>(plan, tile.input, i)];
    for (int64_t bin = 0, sum = 0; bin < kBins; ++bin) sum += std::exchange(place[bin], sum);
    SortPlan from = plan;
    const char* row = tile.input;
    if (plan.in_place) {
      Key* const copy = reinterpret_cast<Key*>(place + kBins);
      for (int64_t i = 0; i < plan.n; ++i) std::memcpy(copy + i, element_at<T>(plan, row, i), sizeof(Key));
      row = reinterpret_cast<const char*>(copy);
      from.input_stride = 1;
    }
    for (int64_t i = 0; i < plan.n; ++i) {
      const int64_t to = place[key_at<T>(from, row, i)]++;
      store_index(plan, tile.indices, to, i);
      if (tile.values == nullptr) continue;
      std::memcpy(tile.values + to * plan.values_stride * static_cast<int64_t>(sizeof(T)), element_at<T>(from, row, i),
                  sizeof(T));
    }
  }
}

}  // namespace impl::cpu
