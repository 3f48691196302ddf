// SPDX-License-Identifier: BSD-3-Clause
// Sorts 64-bit elements as 64-bit words. A word has the distance from the smallest key, without its low bits, and the
// position. The number of dropped low bits is the number that the position needs. If the keys span a small range, no
// bit is lost; otherwise words with equal keys are sorted again by their full keys.
#ifndef IMPL_CPU_SORT_PACKED_KEY64_HPP_
#define IMPL_CPU_SORT_PACKED_KEY64_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "impl/cpu/sort/rows.hpp"

namespace impl::cpu {

struct PackedKey64 {
  uint64_t least = ~uint64_t{0}, most = 0;
  int shift = 0, position_bits = 0;

  void settle(int64_t n) {
    const auto bits_of = [](uint64_t x) { return x == 0 ? 0 : 64 - __builtin_clzll(x); };
    position_bits = bits_of(static_cast<uint64_t>(n - 1));
    shift = std::max(0, bits_of(most - least) + position_bits - 64);
  }
  uint64_t pack(uint64_t key, int64_t position) const {
    return ((key - least) >> shift) << position_bits | static_cast<uint64_t>(position);
  }
  int64_t position(uint64_t packed) const {
    return static_cast<int64_t>(packed & ((uint64_t{1} << position_bits) - 1));
  }
};

// Returns the key of an element that was read as bits.
template <typename T>
uint64_t key_of_bits(uint64_t bits, bool descending) {
  const uint64_t key = SortKey<T>::encode(reinterpret_cast<const char*>(&bits));
  return descending ? ~key : key;
}

template <typename T>
void widen_range(const uint64_t* bits, int64_t begin, int64_t end, bool descending, uint64_t* least, uint64_t* most) {
  for (int64_t i = begin; i < end; ++i) {
    const uint64_t key = key_of_bits<T>(bits[i], descending);
    *least = std::min(*least, key);
    *most = std::max(*most, key);
  }
}

template <typename T>
void pack_range(const uint64_t* bits, int64_t begin, int64_t end, bool descending, const PackedKey64& packing,
                uint64_t* keys) {
  for (int64_t i = begin; i < end; ++i) keys[i] = packing.pack(key_of_bits<T>(bits[i], descending), i);
}

// Sorts runs of equal shortened keys by the full keys, then by position.
template <typename T>
void settle_ties(const uint64_t* bits, int64_t n, bool descending, const PackedKey64& packing, uint64_t* keys) {
  if (packing.shift == 0) return;
  const auto full_key = [&](uint64_t packed) { return key_of_bits<T>(bits[packing.position(packed)], descending); };
  for (int64_t begin = 0, end = 1; begin < n; begin = end++) {
    while (end < n && keys[begin] >> packing.position_bits == keys[end] >> packing.position_bits) ++end;
    if (end - begin == 1) continue;
    std::sort(keys + begin, keys + end, [&](uint64_t a, uint64_t b) {
      const uint64_t x = full_key(a), y = full_key(b);
      return x != y ? x < y : a < b;
    });
  }
}

inline void unpack_range(const SortPlan& plan, const RowTile& row, const uint64_t* bits, const PackedKey64& packing,
                         int64_t begin, int64_t end, const uint64_t* keys) {
  for (int64_t i = begin; i < end; ++i) store_index(plan, row.indices, i, packing.position(keys[i]));
  if (row.values == nullptr) return;
  uint64_t* const values = reinterpret_cast<uint64_t*>(row.values);
  for (int64_t i = begin; i < end; ++i) values[i * plan.values_stride] = bits[packing.position(keys[i])];
}

// Whether the row itself can be read until the end.
inline bool is_read_in_place(const SortPlan& plan) { return plan.input_stride == 1 && !plan.in_place; }

inline void copy_bits(const SortPlan& plan, const RowTile& row, int64_t begin, int64_t end, uint64_t* bits) {
  const auto* source = reinterpret_cast<const uint64_t*>(row.input);
  for (int64_t i = begin; i < end; ++i) bits[i] = source[i * plan.input_stride];
}

template <typename T>
void sort_tile_packed_key64(const SortPlan& plan, const RowTile& tile, char* scratch) {
  const int64_t n = plan.n;
  uint64_t* const keys = reinterpret_cast<uint64_t*>(scratch);
  uint64_t* const copies = keys + tile.rows * n;
  const uint64_t* bits[kMaxTile];
  PackedKey64 packings[kMaxTile];
  const TileRows<T> rows(plan, tile);
  if (!is_read_in_place(plan)) {
    rows.for_ranges(n, [&](const RowTile& row, int64_t r, int64_t begin, int64_t end) {
      copy_bits(plan, row, begin, end, copies + r * n);
    });
  }
  for (int64_t r = 0; r < tile.rows; ++r) {
    bits[r] = is_read_in_place(plan) ? reinterpret_cast<const uint64_t*>(rows[r].input) : copies + r * n;
    widen_range<T>(bits[r], 0, n, plan.descending, &packings[r].least, &packings[r].most);
    packings[r].settle(n);
    pack_range<T>(bits[r], 0, n, plan.descending, packings[r], keys + r * n);
    sort_packed(keys + r * n, n);
    settle_ties<T>(bits[r], n, plan.descending, packings[r], keys + r * n);
  }
  rows.for_ranges(plan.k, [&](const RowTile& row, int64_t r, int64_t begin, int64_t end) {
    unpack_range(plan, row, bits[r], packings[r], begin, end, keys + r * n);
  });
}

// Sorts one long row on all threads. `scratch` has room for three words per element.
template <typename T>
void sort_row_packed_key64(const SortPlan& plan, const RowTile& row, char* scratch) {
  constexpr int64_t kGrain = 1 << 14;
  const int64_t n = plan.n;
  uint64_t *const keys = reinterpret_cast<uint64_t*>(scratch), *const copy = keys + 2 * n;
  const uint64_t* bits = reinterpret_cast<const uint64_t*>(row.input);
  if (!is_read_in_place(plan)) {
    diopi::parallel_for(n, kGrain, [&](int64_t begin, int64_t end) { copy_bits(plan, row, begin, end, copy); });
    bits = copy;
  }
  std::atomic<uint64_t> least{~uint64_t{0}}, most{0};
  diopi::parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    uint64_t low = ~uint64_t{0}, high = 0;
    widen_range<T>(bits, begin, end, plan.descending, &low, &high);
    for (uint64_t old = least; low < old && !least.compare_exchange_weak(old, low);) continue;
    for (uint64_t old = most; high > old && !most.compare_exchange_weak(old, high);) continue;
  });
  PackedKey64 packing;
  packing.least = least;
  packing.most = most;
  packing.settle(n);
  diopi::parallel_for(
      n, kGrain, [&](int64_t begin, int64_t end) { pack_range<T>(bits, begin, end, plan.descending, packing, keys); });
  sort_packed_parallel(keys, n, keys + n);
  settle_ties<T>(bits, n, plan.descending, packing, keys);
  diopi::parallel_for(plan.k, kGrain,
                      [&](int64_t begin, int64_t end) { unpack_range(plan, row, bits, packing, begin, end, keys); });
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_PACKED_KEY64_HPP_
