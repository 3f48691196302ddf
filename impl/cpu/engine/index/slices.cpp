// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index/slices.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/index/index_simd.hpp"
#include "impl/cpu/engine/index/slices_plan.hpp"

namespace impl::cpu {

using diopi::Dims;

namespace index_detail {

namespace {

constexpr int64_t kMaxRun = 64;  // bytes of a packed run that is moved as one item

int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

// The number of loops inside the loop over the positions: those with a smaller stride on the packed side than it. If
// all positions have the same slice on the packed side: those with a smaller stride on the indexed side than its
// offsets.
int count_inner(const Plan& plan) {
  const IndexMap& map = *plan.map;
  if (map.packed_table != nullptr || map.count == 1 || plan.slices.n == 0) return plan.slices.n;
  const bool shared = map.packed_step == 0;
  const int64_t step =
      (shared ? *std::max_element(map.table, map.table + map.count) : magnitude(map.packed_step)) * plan.element_size;
  int inner = 0;
  while (inner < plan.slices.n) {
    const SliceDim& d = plan.slices[inner];
    if (magnitude(shared ? indexed_stride(d) : packed_stride(d)) >= step) break;
    ++inner;
  }
  return inner;
}

// Gathers the positions [begin, end) of one outer step. Slices are single items.
template <int kSize>
void gather_points(char* packed, const char* indexed, const Plan& plan, int64_t begin, int64_t end) {
  const IndexMap& map = *plan.map;
  const int64_t step = map.packed_step * plan.element_size;
  if (map.packed_table != nullptr) {
    for (int64_t k = begin; k < end; ++k) {
      std::memcpy(packed + map.packed_table[k] * plan.element_size, indexed + map.table[k] * plan.element_size, kSize);
    }
  } else if (step == kSize && plan.element_size == kSize) {
    static const GatherItemsFn gather = gather_items_function(kSize, true);
    if (gather != nullptr && map.reach <= kMaxGathered) {
      gather(packed + begin * kSize, indexed, map.table + begin, end - begin);
      return;
    }
    for (int64_t k = begin; k < end; ++k) std::memcpy(packed + k * kSize, indexed + map.table[k] * kSize, kSize);
  } else {
    for (int64_t k = begin; k < end; ++k)
      std::memcpy(packed + k * step, indexed + map.table[k] * plan.element_size, kSize);
  }
}

using GatherFn = void (*)(char*, const char*, const Plan&, int64_t, int64_t);

struct Mover {
  Action action;
  GatherFn gather;
  diopiDtype_t dtype;  // a dtype of this size, if there is one
};

template <int kBytes>
constexpr Mover mover_of(diopiDtype_t dtype) {
  return {action_of<Move<kBytes>>(), gather_points<kBytes>, dtype};
}

const Mover& mover(int64_t item_size) {
  static constexpr Mover kMovers[] = {mover_of<1>(diopi_dtype_uint8),       mover_of<2>(diopi_dtype_uint16),
                                      mover_of<4>(diopi_dtype_uint32),      mover_of<8>(diopi_dtype_uint64),
                                      mover_of<16>(diopi_dtype_complex128), mover_of<32>(diopi_dtype_unsupported),
                                      mover_of<64>(diopi_dtype_unsupported)};
  return kMovers[__builtin_ctzll(static_cast<uint64_t>(item_size))];
}

// Whether a gather uses non-temporal stores: its result is too large for the cache and its rows are long enough.
bool is_streamed(const Plan& plan, int inner) {
  const SliceDim& row = plan.slices[0];
  return inner > 0 && plan.map->count * plan.slice_items * plan.item_size >= stream_bytes() &&
         packed_stride(row) == plan.item_size && indexed_stride(row) == plan.item_size &&
         row.extent * plan.item_size >= kStreamRun;
}

// Whether a slice is one short packed row.
bool has_short_rows(const Plan& plan, int inner) {
  const SliceDim& row = plan.slices[0];
  return inner == 1 && plan.map->packed_table == nullptr && packed_stride(row) == plan.item_size &&
         indexed_stride(row) == plan.item_size && row.extent * plan.item_size <= kShortRowBytes;
}

void gather_range(const Plan& plan, int inner, char* packed, const char* indexed, int64_t begin, int64_t end) {
  const bool streamed = is_streamed(plan, inner), is_short = has_short_rows(plan, inner);
  const Mover& move = mover(plan.item_size);
  const IndexMap& map = *plan.map;
  const IndexSlices& s = plan.slices;
  SliceCursor outer(s, begin / map.count, inner, s.n);
  for (int64_t k = begin % map.count; begin < end; k = 0, outer.next()) {
    const int64_t stop = std::min(map.count, k + (end - begin));
    begin += stop - k;
    char* to = packed + outer.packed();
    const char* from = indexed + outer.indexed();
    if (inner == 0) {
      move.gather(to, from, plan, k, stop);
      continue;
    }
    const SliceDim& row = s[0];
    if (is_short) {
      const int64_t step = map.packed_step * plan.element_size;
      gather_short_rows(to + k * step, step, from, map.table + k, plan.element_size, row.extent * plan.item_size,
                        stop - k);
      continue;
    }
    SliceCursor at(s, 0, 1, inner);
    for (; k < stop; ++k) {
      char* slice = to + packed_offset(map, k) * plan.element_size;
      const char* source = from + map.table[k] * plan.element_size;
      do {
        if (streamed) {
          stream_rows(slice + at.packed(), 0, source + at.indexed(), 0, row.extent * plan.item_size, 1);
          continue;
        }
        move.action.row(slice + at.packed(), packed_stride(row), source + at.indexed(), indexed_stride(row),
                        row.extent);
      } while (at.next());
    }
  }
  if (streamed) finish_stores();
}

// Gathers few large slices. Each slice is a strided copy, which uses all threads.
void gather_large_slices(const Plan& plan, char* packed, const char* indexed) {
  CopyDim dims[diopi::kMaxDims + 1];
  const int n = plan.slices.n;
  for (int i = 0; i < n; ++i) {
    const SliceDim& d = plan.slices[i];
    dims[i] = {d.extent, packed_stride(d) / plan.element_size, indexed_stride(d) / plan.element_size};
  }
  dims[n] = {plan.item_size / plan.element_size, 1, 1};  // the run of which an item consists
  const diopiDtype_t dtype = mover(plan.element_size).dtype;
  for (int64_t k = 0; k < plan.map->count; ++k) {
    copy_strided(packed + packed_offset(*plan.map, k) * plan.element_size, dtype,
                 indexed + plan.map->table[k] * plan.element_size, dtype, dims, n + 1);
  }
}

// Applies the action to all positions whose offsets are in [low, low + span), in order.
void scatter_range(const Plan& plan, const Action& action, char* indexed, const char* packed, int64_t low,
                   int64_t span) {
  const IndexMap& map = *plan.map;
  const IndexSlices& s = plan.slices;
  const int inner = count_inner(plan);
  SliceCursor outer(s, 0, inner, s.n);
  do {
    char* to = indexed + outer.indexed();
    const char* from = packed + outer.packed();
    if (inner == 0) {
      action.points(to, from, {&map, plan.element_size, 0, map.count, low, span});
      continue;
    }
    const SliceDim& row = s[0];
    SliceCursor at(s, 0, 1, inner);
    for (int64_t k = 0; k < map.count; ++k) {
      if (static_cast<uint64_t>(map.table[k] - low) >= static_cast<uint64_t>(span)) continue;
      char* slice = to + map.table[k] * plan.element_size;
      const char* source = from + packed_offset(map, k) * plan.element_size;
      do {
        action.row(slice + at.indexed(), indexed_stride(row), source + at.packed(), packed_stride(row), row.extent);
      } while (at.next());
    }
  } while (outer.next());
}

}  // namespace

Plan make_plan(const IndexMap& map, const IndexSlices& slices, int64_t item_size, bool by_packed, bool widen) {
  Plan plan;
  plan.map = &map;
  plan.element_size = plan.item_size = item_size;
  IndexSlices& s = plan.slices;
  for (int i = 0; i < slices.n; ++i) {
    const SliceDim& d = slices[i];
    plan.slice_items *= d.extent;
    if (d.extent != 1) s.push_back(d.extent, indexed_stride(d) * item_size, packed_stride(d) * item_size);
  }
  s.sort([by_packed](const SliceDim& a, const SliceDim& b) {
    const int64_t ap = magnitude(packed_stride(a)), bp = magnitude(packed_stride(b));
    const int64_t ai = magnitude(indexed_stride(a)), bi = magnitude(indexed_stride(b));
    if (by_packed) return ap != bp ? ap > bp : ai > bi;
    return ai != bi ? ai > bi : ap > bp;
  });
  s.merge();
  if (widen && s.n > 0 && plan.slice_items > 0 && indexed_stride(s[0]) == item_size &&
      packed_stride(s[0]) == item_size) {
    const int64_t run = s[0].extent * item_size;
    if (run <= kMaxRun && (run & (run - 1)) == 0) {
      plan.item_size = run;
      plan.slice_items /= s[0].extent;
      s.drop_inner();
    }
  }
  return plan;
}

void run_scatter(const Plan& plan, const Action& action, char* indexed, const char* packed) {
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  const IndexMap& map = *plan.map;
  const IndexSlices& s = plan.slices;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  if (threads == 1 || map.count * plan.slice_items <= kGrain) {
    scatter_range(plan, action, indexed, packed, 0, kAll);
    return;
  }
  int longest = 0;
  for (int i = 1; i < s.n; ++i) longest = s[i].extent > s[longest].extent ? i : longest;
  if (s.n > 0 && s[longest].extent >= 8 * threads) {  // each thread processes a part of every slice
    const SliceDim d = s[longest];
    const int64_t grain = std::max<int64_t>(1, kGrain / (map.count * plan.slice_items / d.extent));
    diopi::parallel_for(d.extent, grain, [&](int64_t begin, int64_t end) {
      Plan part = plan;
      part.slices[longest].extent = end - begin;
      scatter_range(part, action, indexed + begin * indexed_stride(d), packed + begin * packed_stride(d), 0, kAll);
    });
    return;
  }
  // Each thread owns a range of offsets and reads all positions.
  const int64_t room = *std::max_element(map.table, map.table + map.count) + 1;
  if (room <= 0) return;
  const int64_t chunks = std::min(threads, map.count * plan.slice_items / kGrain + 1);
  const int64_t size = (room + chunks - 1) / chunks;
  diopi::parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    scatter_range(plan, action, indexed, packed, begin * size, (end - begin) * size);
  });
}

}  // namespace index_detail

using namespace index_detail;  // NOLINT: this file is part of the engine

void gather_slices(void* packed, const void* indexed, int64_t item_size, const IndexMap& map, const IndexSlices& s) {
  const Plan plan = make_plan(map, s, item_size, true, true);
  if (map.count == 0 || plan.slice_items == 0) return;
  auto* to = static_cast<char*>(packed);
  const auto* from = static_cast<const char*>(indexed);
  const int inner = count_inner(plan);
  const int64_t chunks = map.count * plan.slices.numel(inner, plan.slices.n);
  if (map.count < int64_t{4} * omp_get_max_threads() && plan.slice_items > kGrain) {
    gather_large_slices(plan, to, from);
    return;
  }
  const int64_t grain = std::max<int64_t>(1, kGrain / plan.slices.numel(0, inner));
  diopi::parallel_for(chunks, grain,
                      [&](int64_t begin, int64_t end) { gather_range(plan, inner, to, from, begin, end); });
}

void scatter_slices(void* indexed, const void* packed, int64_t item_size, const IndexMap& map, const IndexSlices& s) {
  const Plan plan = make_plan(map, s, item_size, false, true);
  if (map.count == 0 || plan.slice_items == 0) return;
  run_scatter(plan, mover(plan.item_size).action, static_cast<char*>(indexed), static_cast<const char*>(packed));
}

int64_t add_index_offsets(int64_t* table, const int64_t* index, int64_t count, int64_t size, int64_t stride, bool wrap,
                          bool first) {
  std::atomic<bool> outside{false};
  diopi::parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    const IndexOffsets offsets{size, stride, wrap, first};
    if (!make_offsets(table + begin, index + begin, end - begin, offsets)) {
      outside.store(true, std::memory_order_relaxed);
    }
  });
  if (!outside.load(std::memory_order_relaxed)) return -1;
  const int64_t low = wrap ? -size : 0;
  return std::find_if(index, index + count, [&](int64_t i) { return i < low || i >= size; }) - index;
}

void enumerate_offsets(int64_t* table, const Dims& shape, const Dims& stride) {
  if (shape.product() == 0) return;
  const auto nest = diopi::row_major_nest(shape, stride);
  const int64_t n = nest.inner_extent(), step = nest.inner_stride();
  diopi::parallel_for(shape.product() / n, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    diopi::LoopCursor at(nest, begin * n);
    int64_t* next = table + begin * n;
    at.for_runs((end - begin) * n, [&](int64_t run) {
      for (int64_t j = 0; j < run; ++j) *next++ = at.offset() + j * step;
    });
  });
}

}  // namespace impl::cpu
