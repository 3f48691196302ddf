// SPDX-License-Identifier: BSD-3-Clause
// Functions shared by the sorting methods: reading keys, choosing a method and writing results.
#ifndef IMPL_CPU_SORT_ELEMENTS_HPP_
#define IMPL_CPU_SORT_ELEMENTS_HPP_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "impl/cpu/sort/keys.hpp"
#include "impl/cpu/sort/sort.hpp"

namespace impl::cpu {

// The rows of one tile. Steps from row to row count elements.
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

// If k is small compared to n, candidates are collected and only those are sorted.
inline bool is_selection(const SortPlan& plan) { return plan.n >= 256 && plan.k <= plan.n / 8; }

// 64-bit keys are shortened to leave room for the position. Keys that become equal are sorted again by their full keys.
inline bool has_packed_key64(const SortPlan& plan) { return packed_size(plan) == 16 && !is_selection(plan); }

inline constexpr int64_t kSelectionBlock = 32;
inline int64_t selection_capacity(const SortPlan& plan) { return std::max<int64_t>(2 * plan.k, 32) + kSelectionBlock; }

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

// Returns the bits of a packed element. Zeros and NaN share a key, so their bits are read from the row.
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

// Replaces keys by bits of the elements. An in-place sort overwrites the row, so the bits must be read before.
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

}  // namespace impl::cpu

#endif  // IMPL_CPU_SORT_ELEMENTS_HPP_
