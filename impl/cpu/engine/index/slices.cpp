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

constexpr int64_t kMaxItemSize = 64;

int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

// A position in the loops [first, last) of a plan's slices, with the offsets of both sides.
class SliceWalk {
 public:
  SliceWalk(const IndexSlices& s, int first, int last, int64_t start = 0) : s_(s), first_(first), last_(last) {
    for (int i = first; i < last; ++i) {
      index_[i] = start % s.dims[i].extent;
      start /= s.dims[i].extent;
      indexed += index_[i] * s.dims[i].indexed_stride;
      packed += index_[i] * s.dims[i].packed_stride;
    }
  }
  // Moves to the next position. Returns false after the last one; the walk is then at the beginning again.
  bool next() {
    for (int i = first_; i < last_; ++i) {
      const SliceDim& d = s_.dims[i];
      indexed += d.indexed_stride;
      packed += d.packed_stride;
      if (++index_[i] < d.extent) return true;
      indexed -= d.extent * d.indexed_stride;
      packed -= d.extent * d.packed_stride;
      index_[i] = 0;
    }
    return false;
  }
  int64_t indexed = 0, packed = 0;

 private:
  const IndexSlices& s_;
  int first_, last_;
  int64_t index_[diopi::kMaxDims];
};

int64_t extent_product(const IndexSlices& s, int first, int last) {
  int64_t result = 1;
  for (int i = first; i < last; ++i) result *= s.dims[i].extent;
  return result;
}

// The number of loops inside the loop over the positions: those with a smaller stride on the packed side than it.
int count_inner(const Plan& plan) {
  if (plan.map->packed_table != nullptr || plan.map->count == 1) return plan.slices.n;
  const int64_t step = magnitude(plan.map->packed_step) * plan.element_size;
  int inner = 0;
  while (inner < plan.slices.n && magnitude(plan.slices.dims[inner].packed_stride) < step) ++inner;
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
  const SliceDim& row = plan.slices.dims[0];
  return inner > 0 && plan.map->count * plan.slice_items * plan.item_size >= kStreamBytes &&
         row.packed_stride == plan.item_size && row.indexed_stride == plan.item_size &&
         row.extent * plan.item_size >= kStreamRun;
}

void gather_range(const Plan& plan, int inner, char* packed, const char* indexed, int64_t begin, int64_t end) {
  const bool streamed = is_streamed(plan, inner);
  const Mover& move = mover(plan.item_size);
  const IndexMap& map = *plan.map;
  const IndexSlices& s = plan.slices;
  SliceWalk outer(s, inner, s.n, begin / map.count);
  for (int64_t k = begin % map.count; begin < end; k = 0, outer.next()) {
    const int64_t stop = std::min(map.count, k + (end - begin));
    begin += stop - k;
    char* to = packed + outer.packed;
    const char* from = indexed + outer.indexed;
    if (inner == 0) {
      move.gather(to, from, plan, k, stop);
      continue;
    }
    const SliceDim& row = s.dims[0];
    for (; k < stop; ++k) {
      char* slice = to + packed_offset(map, k) * plan.element_size;
      const char* source = from + map.table[k] * plan.element_size;
      SliceWalk walk(s, 1, inner);
      do {
        if (streamed) {
          stream_rows(slice + walk.packed, 0, source + walk.indexed, 0, row.extent * plan.item_size, 1);
          continue;
        }
        move.action.row(slice + walk.packed, row.packed_stride, source + walk.indexed, row.indexed_stride, row.extent);
      } while (walk.next());
    }
  }
  if (streamed) finish_stores();
}

// Gathers few large slices. Each slice is a strided copy, which uses all threads.
void gather_large_slices(const Plan& plan, char* packed, const char* indexed) {
  CopyDim dims[diopi::kMaxDims + 1];
  const int n = plan.slices.n;
  for (int i = 0; i < n; ++i) {
    const SliceDim& d = plan.slices.dims[i];
    dims[i] = {d.extent, d.packed_stride / plan.element_size, d.indexed_stride / plan.element_size};
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
  SliceWalk outer(s, inner, s.n);
  do {
    char* to = indexed + outer.indexed;
    const char* from = packed + outer.packed;
    if (inner == 0) {
      action.points(to, from, {&map, plan.element_size, 0, map.count, low, span});
      continue;
    }
    const SliceDim& row = s.dims[0];
    for (int64_t k = 0; k < map.count; ++k) {
      if (static_cast<uint64_t>(map.table[k] - low) >= static_cast<uint64_t>(span)) continue;
      char* slice = to + map.table[k] * plan.element_size;
      const char* source = from + packed_offset(map, k) * plan.element_size;
      SliceWalk walk(s, 1, inner);
      do {
        action.row(slice + walk.indexed, row.indexed_stride, source + walk.packed, row.packed_stride, row.extent);
      } while (walk.next());
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
    const SliceDim& d = slices.dims[i];
    plan.slice_items *= d.extent;
    if (d.extent != 1) s.push_back(d.extent, d.indexed_stride * item_size, d.packed_stride * item_size);
  }
  std::sort(s.dims, s.dims + s.n, [by_packed](const SliceDim& a, const SliceDim& b) {
    const int64_t ap = magnitude(a.packed_stride), bp = magnitude(b.packed_stride);
    const int64_t ai = magnitude(a.indexed_stride), bi = magnitude(b.indexed_stride);
    if (by_packed) return ap != bp ? ap < bp : ai < bi;
    return ai != bi ? ai < bi : ap < bp;
  });
  int last = 0;
  for (int i = 1; i < s.n; ++i) {
    SliceDim& d = s.dims[last];
    if (s.dims[i].indexed_stride == d.indexed_stride * d.extent &&
        s.dims[i].packed_stride == d.packed_stride * d.extent) {
      d.extent *= s.dims[i].extent;
    } else {
      s.dims[++last] = s.dims[i];
    }
  }
  s.n = std::min(s.n, last + 1);
  if (widen && s.n > 0 && plan.slice_items > 0 && s.dims[0].indexed_stride == item_size &&
      s.dims[0].packed_stride == item_size) {
    const int64_t run = s.dims[0].extent * item_size;
    if (run <= kMaxItemSize && (run & (run - 1)) == 0) {
      plan.item_size = run;
      plan.slice_items /= s.dims[0].extent;
      std::copy(s.dims + 1, s.dims + s.n, s.dims);
      --s.n;
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
  for (int i = 1; i < s.n; ++i) longest = s.dims[i].extent > s.dims[longest].extent ? i : longest;
  if (s.n > 0 && s.dims[longest].extent >= 8 * threads) {  // each thread processes a part of every slice
    const SliceDim d = s.dims[longest];
    const int64_t grain = std::max<int64_t>(1, kGrain / (map.count * plan.slice_items / d.extent));
    diopi::parallel_for(d.extent, grain, [&](int64_t begin, int64_t end) {
      Plan part = plan;
      part.slices.dims[longest].extent = end - begin;
      scatter_range(part, action, indexed + begin * d.indexed_stride, packed + begin * d.packed_stride, 0, kAll);
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
  const int64_t chunks = map.count * extent_product(plan.slices, inner, plan.slices.n);
  if (map.count < 4 * omp_get_max_threads() && plan.slice_items > kGrain) {
    gather_large_slices(plan, to, from);
    return;
  }
  const int64_t grain = std::max<int64_t>(1, kGrain / extent_product(plan.slices, 0, inner));
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
  const int64_t n = shape.n > 0 ? shape[shape.n - 1] : 1;
  const int64_t step = shape.n > 0 ? stride[shape.n - 1] : 0;
  if (shape.product() == 0) return;
  const int64_t rows = shape.product() / n;
  diopi::parallel_for(rows, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t rest = r, offset = 0;
      for (int i = shape.n - 2; i >= 0; --i) {
        offset += rest % shape[i] * stride[i];
        rest /= shape[i];
      }
      for (int64_t j = 0; j < n; ++j) table[r * n + j] = offset + j * step;
    }
  });
}

}  // namespace impl::cpu
