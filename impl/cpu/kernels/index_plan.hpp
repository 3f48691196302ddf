// SPDX-License-Identifier: BSD-3-Clause
// Inside the index engine: the plan of a call, and the row and point loops that it consists of.
#pragma once

#include <cstring>

#include "index.hpp"

namespace impl::cpu::index_detail {

// Elements that are worth a thread.
inline constexpr int64_t kGrain = 16384;

// n items at `dst_step` and `src_step` bytes.
using RowFn = void (*)(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n);

// Single items at the offsets of a table, for k in [begin, end) and offsets in [low, low + span).
struct Points {
  const IndexMap* map;
  int64_t unit;  // bytes per element of the tables
  int64_t begin, end;
  int64_t low, span;
};
using PointsFn = void (*)(char* indexed, const char* packed, const Points& points);

// The action on an item of the indexed side.
struct Action {
  int64_t item_size;
  RowFn row;
  PointsFn points;
};

inline int64_t packed_offset(const IndexMap& map, int64_t k) {
  return map.packed_table != nullptr ? map.packed_table[k] : k * map.packed_step;
}

// `Op::apply(dst, src)` on items of Op::kSize bytes, `Op::row` where both sides are packed.
template <class Op>
void row_loop(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n) {
  if (dst_step == Op::kSize && src_step == Op::kSize) {
    Op::row(dst, src, n);
  } else {
    for (int64_t i = 0; i < n; ++i) Op::apply(dst + i * dst_step, src + i * src_step);
  }
}

template <class Op>
void point_loop(char* indexed, const char* packed, const Points& p) {
  const int64_t* table = p.map->table;
  const int64_t step = p.map->packed_step * p.unit;
  for (int64_t k = p.begin; k < p.end; ++k) {
    if (static_cast<uint64_t>(table[k] - p.low) >= static_cast<uint64_t>(p.span)) continue;
    const int64_t from = p.map->packed_table != nullptr ? p.map->packed_table[k] * p.unit : k * step;
    Op::apply(indexed + table[k] * p.unit, packed + from);
  }
}

// The item of the packed side replaces the other.
template <int kBytes>
struct Move {
  static constexpr int64_t kSize = kBytes, kPackedSize = kBytes;
  static constexpr bool kReadsTarget = false;
  static void apply(char* dst, const char* src) { std::memcpy(dst, src, kBytes); }
  static void row(char* dst, const char* src, int64_t n) { std::memcpy(dst, src, static_cast<size_t>(n) * kBytes); }
};

template <class Op>
constexpr Action action_of() {
  return {Op::kSize, row_loop<Op>, point_loop<Op>};
}

// Slices with their loops sorted from the innermost out and merged; strides in bytes.
struct Plan {
  const IndexMap* map = nullptr;
  IndexSlices slices;
  int64_t unit = 1;       // bytes per element of the tables
  int64_t item_size = 1;  // bytes moved at a time: `unit`, or a short packed run
  int64_t slice_items = 1;
};

// `widen`: items may be joined, as they may where bytes are only moved.
Plan make_plan(const IndexMap& map, const IndexSlices& slices, int64_t item_size, bool by_packed, bool widen);

// indexed[table[k], slice] = action(indexed, packed) for all k in order, spread over the threads so that no address
// is touched by two of them and each sees its positions in order.
void run_scatter(const Plan& plan, const Action& action, char* indexed, const char* packed);

}  // namespace impl::cpu::index_detail
