// SPDX-License-Identifier: BSD-3-Clause
// Part of the index engine: the plan of a call, and its loops over rows and single items.
#ifndef IMPL_CPU_ENGINE_INDEX_SLICES_PLAN_HPP_
#define IMPL_CPU_ENGINE_INDEX_SLICES_PLAN_HPP_

#include <cstring>

#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/index/slices.hpp"

namespace impl::cpu::index_detail {

// Fewer elements are not worth a second thread.
inline constexpr int64_t kGrain = 16384;

// Processes n items; consecutive items are `dst_step` and `src_step` bytes apart.
using RowFn = void (*)(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n);

// The single items k in [begin, end) of a table whose offsets are in [low, low + span).
struct Points {
  const IndexMap* map;
  int64_t element_size;  // bytes per element of the tables
  int64_t begin, end;
  int64_t low, span;
};
using PointsFn = void (*)(char* indexed, const char* packed, const Points& points);

// An operation on items of the indexed side: `row` for a row of items, `points` for single items of a table.
struct Action {
  int64_t item_size;
  RowFn row;
  PointsFn points;
};

inline int64_t packed_offset(const IndexMap& map, int64_t k) {
  return map.packed_table != nullptr ? map.packed_table[k] : k * map.packed_step;
}

// Calls `Op::row` if both sides are packed, otherwise `Op::apply(dst, src)` for each item of Op::kSize bytes. A packed
// row that one item replaces is filled.
template <class Op>
void row_loop(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t n) {
  if (dst_step == Op::kSize && src_step == Op::kSize) {
    Op::row(dst, src, n);
  } else if (!Op::kReadsTarget && dst_step == Op::kSize && src_step == 0) {
    char item[Op::kSize];
    std::memcpy(item, src, Op::kSize);
    for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * Op::kSize, item, Op::kSize);
  } else {
    for (int64_t i = 0; i < n; ++i) Op::apply(dst + i * dst_step, src + i * src_step);
  }
}

template <class Op>
void point_loop(char* indexed, const char* packed, const Points& p) {
  const int64_t* table = p.map->table;
  const int64_t step = p.map->packed_step * p.element_size;
  for (int64_t k = p.begin; k < p.end; ++k) {
    if (static_cast<uint64_t>(table[k] - p.low) >= static_cast<uint64_t>(p.span)) continue;
    const int64_t from = p.map->packed_table != nullptr ? p.map->packed_table[k] * p.element_size : k * step;
    Op::apply(indexed + table[k] * p.element_size, packed + from);
  }
}

// The operation that overwrites an item of the indexed side with one of the packed side.
template <int kBytes>
struct Move {
  static constexpr int64_t kSize = kBytes, kPackedSize = kBytes;
  static constexpr bool kReadsTarget = false;
  static void apply(char* dst, const char* src) { std::memcpy(dst, src, kBytes); }
  static void row(char* dst, const char* src, int64_t n) { copy_row(dst, src, n * kBytes); }
};

template <class Op>
constexpr Action action_of() {
  return {Op::kSize, row_loop<Op>, point_loop<Op>};
}

using SliceDim = diopi::Loop<2>;
inline int64_t indexed_stride(const SliceDim& d) { return d.stride[0]; }
inline int64_t packed_stride(const SliceDim& d) { return d.stride[1]; }

// A position in the loops of a slice, with the offsets of both sides.
class SliceCursor : public diopi::LoopCursor<IndexSlices> {
 public:
  using LoopCursor::LoopCursor;
  int64_t indexed() const { return offset(0); }
  int64_t packed() const { return offset(1); }
};

// A prepared call: loops of a slice merged and sorted with the innermost first; strides in bytes.
struct Plan {
  const IndexMap* map = nullptr;
  IndexSlices slices;
  int64_t element_size = 1;  // bytes per element of the tables
  int64_t item_size = 1;     // bytes of an item: `element_size`, or a short packed run
  int64_t slice_items = 1;
};

// `widen`: several elements may be joined to one item, which is correct if bytes are only copied.
Plan make_plan(const IndexMap& map, const IndexSlices& slices, int64_t item_size, bool by_packed, bool widen);

// indexed[table[k], slice] = action(indexed, packed) for all k, on several threads. Each address is written by only one
// thread, in the order of k.
void run_scatter(const Plan& plan, const Action& action, char* indexed, const char* packed);

}  // namespace impl::cpu::index_detail

#endif  // IMPL_CPU_ENGINE_INDEX_SLICES_PLAN_HPP_
