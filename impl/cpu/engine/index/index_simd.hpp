// SPDX-License-Identifier: BSD-3-Clause
// Vector loops of indexing, dispatched to the running CPU's target.
#ifndef IMPL_CPU_ENGINE_INDEX_INDEX_SIMD_HPP_
#define IMPL_CPU_ENGINE_INDEX_INDEX_SIMD_HPP_

#include <cstdint>

namespace impl::cpu {

// Whether all of `n` packed indices are in [low, low + span).
bool indices_within(const int64_t* index, int64_t n, int64_t low, int64_t span);
bool indices_within(const int32_t* index, int64_t n, int64_t low, int64_t span);

// table[i] += stride * index[i]; if `first`, table[i] = stride * index[i]. If `wrap`, a negative index counts from
// `size`. Returns false if an index is out of range.
struct IndexOffsets {
  int64_t size, stride;
  bool wrap, first;
};
bool make_offsets(int64_t* table, const int64_t* index, int64_t n, const IndexOffsets& offsets);

// dst[i] = src[index[i]] for items of 4 or 8 bytes and indices below kMaxGathered.
using GatherItemsFn = void (*)(void* dst, const void* src, const void* index, int64_t n);
inline constexpr int64_t kMaxGathered = INT32_MAX;
// Null if a plain loop is as fast on this target.
GatherItemsFn gather_items_function(int64_t item_size, bool is_int64);

// Row r at dst + r * dst_step = the row of `bytes` bytes at src + table[r] * size. A row has at most kShortRowBytes.
void gather_short_rows(char* dst, int64_t dst_step, const char* src, const int64_t* table, int64_t size, int64_t bytes,
                       int64_t rows);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_INDEX_SIMD_HPP_
