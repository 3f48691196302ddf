// SPDX-License-Identifier: BSD-3-Clause
// Accumulation through a table of offsets. Dtypes that are their own accumulator are accumulated in place. For the
// other dtypes, positions of equal offset form groups, and each group is accumulated separately. The same is done where
// one offset may occur so often that its sum loses digits.
#include <algorithm>
#include <cstring>
#include <utility>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/index/index_combine.hpp"
#include "impl/cpu/engine/index/long_sums.hpp"
#include "impl/cpu/engine/index/slices_plan.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::Workspace;
using namespace index_detail;  // NOLINT: this file is part of the engine

namespace {

// Positions grouped by offset. Within a group they keep their order.
struct Groups {
  int64_t* order = nullptr;  // positions
  int64_t* start = nullptr;  // begin of each group in `order`, and the end of the last group
  int64_t count = 0;
};

// Sorts the positions by offset with a stable radix sort. Positions with a negative offset are left out.
Status group_positions(diopiContextHandle_t ctx, const IndexMap& map, Groups* groups) {
  constexpr int kBits = 11;
  constexpr int64_t kBuckets = int64_t{1} << kBits;
  Workspace workspace(ctx);
  int64_t *from = nullptr, *to = nullptr;
  DIOPI_TRY(workspace.take(map.count, &from));
  DIOPI_TRY(workspace.take(map.count, &to));
  DIOPI_TRY(workspace.take(map.count + 1, &groups->start));
  if (diopi::in_dry_run()) return diopiSuccess;  // there is no group, so nothing is computed
  int64_t n = 0, largest = 0;
  for (int64_t k = 0; k < map.count; ++k) {
    if (map.table[k] < 0) continue;
    from[n++] = k;
    largest = std::max(largest, map.table[k]);
  }
  for (int shift = 0; shift < 63 && (largest >> shift) != 0; shift += kBits) {
    int64_t place[kBuckets] = {};
    for (int64_t i = 0; i < n; ++i) ++place[(map.table[from[i]] >> shift) & (kBuckets - 1)];
    int64_t total = 0;
    for (int64_t& p : place) total += std::exchange(p, total);
    for (int64_t i = 0; i < n; ++i) to[place[(map.table[from[i]] >> shift) & (kBuckets - 1)]++] = from[i];
    std::swap(from, to);
  }
  groups->order = from;
  for (int64_t i = 0; i < n; ++i) {
    if (i == 0 || map.table[from[i]] != map.table[from[i - 1]]) groups->start[groups->count++] = i;
  }
  groups->start[groups->count] = n;
  return diopiSuccess;
}

constexpr int64_t kChunk = 256;  // elements of a slice that are accumulated at a time
constexpr int64_t kRun = 256;    // slices that are added one after another before their sum is added to the group's

// Converts n items between a row of the tensor and a packed accumulator. A row with gaps passes through a buffer.
template <typename A>
struct RowIo {
  CastFn load_cast, store_cast;
  RowFn move;
  int64_t item_size;

  void load(A* acc, const char* row, int64_t step, int64_t n) const {
    alignas(16) char packed[kChunk * sizeof(A)];
    if (step != item_size) {
      move(packed, item_size, row, step, n);
      row = packed;
    }
    load_cast(acc, row, n);
  }
  void store(char* row, int64_t step, const A* acc, int64_t n) const {
    alignas(16) char packed[kChunk * sizeof(A)];
    if (step == item_size) {
      store_cast(row, acc, n);
      return;
    }
    store_cast(packed, acc, n);
    move(row, step, packed, item_size, n);
  }
};

// One chunk of a slice: `n` elements along the innermost loop, and the offsets for the other loops.
struct SliceChunk {
  int64_t indexed = 0, packed = 0, n = 1;
};

SliceChunk chunk_at(const IndexSlices& s, int64_t number) {
  SliceChunk chunk;
  if (s.n == 0) return chunk;
  const int64_t chunks = (s[0].extent + kChunk - 1) / kChunk;
  const int64_t begin = number % chunks * kChunk;
  const SliceCursor outer(s, number / chunks, 1, s.n);
  chunk.n = std::min(kChunk, s[0].extent - begin);
  chunk.indexed = outer.indexed() + begin * indexed_stride(s[0]);
  chunk.packed = outer.packed() + begin * packed_stride(s[0]);
  return chunk;
}

// The accumulation of one chunk of one group; run() does it.
template <typename A>
struct Grouped {
  const Plan& plan;
  const Groups& groups;
  RowIo<A> io;
  Accumulate op;
  bool mean;

  void run(char* indexed, const char* packed, int64_t group, int64_t number) const {
    const IndexMap& map = *plan.map;
    const IndexSlices& s = plan.slices;
    const int64_t indexed_step = s.n > 0 ? indexed_stride(s[0]) : plan.element_size;
    const int64_t packed_step = s.n > 0 ? packed_stride(s[0]) : plan.element_size;
    const SliceChunk chunk = chunk_at(s, number);
    const int64_t begin = groups.start[group], end = groups.start[group + 1];
    char* target = indexed + map.table[groups.order[begin]] * plan.element_size + chunk.indexed;
    A acc[kChunk];
    io.load(acc, target, indexed_step, chunk.n);
    const char* const from = packed + chunk.packed;
    if (op == Accumulate::kMultiply) {
      for_slices(from, packed_step, chunk.n, begin, end, [&](const A* value) {
        for (int64_t j = 0; j < chunk.n; ++j) acc[j] *= value[j];
      });
    } else if (end - begin <= kRun) {
      add(acc, from, packed_step, chunk.n, begin, end, end - begin);
    } else {
      add_runs(acc, from, packed_step, chunk.n, begin, end);
    }
    io.store(target, indexed_step, acc, chunk.n);
  }

 private:
  // Loads n elements of each slice of the entries [begin, end) of `groups.order`, and calls f() with them.
  template <typename F>
  void for_slices(const char* from, int64_t step, int64_t n, int64_t begin, int64_t end, const F& f) const {
    A value[kChunk];
    for (int64_t i = begin; i < end; ++i) {
      io.load(value, from + packed_offset(*plan.map, groups.order[i]) * plan.element_size, step, n);
      f(value);
    }
  }

  // Adds the slices to `sum`. For a mean of `count` slices, each slice is multiplied by 1 / count first.
  void add(A* sum, const char* from, int64_t step, int64_t n, int64_t begin, int64_t end, int64_t count) const {
    if (!mean) {
      for_slices(from, step, n, begin, end, [sum, n](const A* value) {
        for (int64_t j = 0; j < n; ++j) sum[j] += value[j];
      });
      return;
    }
    const auto share = 1 / static_cast<decltype(std::real(A{}))>(count);
    for_slices(from, step, n, begin, end, [sum, n, share](const A* value) {
      for (int64_t j = 0; j < n; ++j) sum[j] += value[j] * share;
    });
  }

  void add_runs(A* acc, const char* from, int64_t step, int64_t n, int64_t begin, int64_t end) const {
    A run[kChunk];
    LongSum<A> sum[kChunk];
    for (int64_t j = 0; j < n; ++j) sum[j] = LongSum<A>(acc[j]);
    for (int64_t first = begin; first < end; first += kRun) {
      std::fill_n(run, n, A{});
      add(run, from, step, n, first, std::min(end, first + kRun), end - begin);
      for (int64_t j = 0; j < n; ++j) sum[j].add(run[j]);
    }
    for (int64_t j = 0; j < n; ++j) acc[j] = sum[j].value();
  }
};

// Multiplies numbers of float16 or bfloat16 in float.
template <typename T>
class NarrowProduct {
 public:
  explicit NarrowProduct(T start) : product_(static_cast<float>(start)) {}
  void add(T factor) { product_ *= static_cast<float>(factor); }
  T value() const { return T(product_); }

 private:
  float product_;
};

// Accumulates slices of one element, without buffers. `Total` receives the terms of an offset one after another.
template <typename T, class Total>
Status accumulate_points(diopiContextHandle_t ctx, char* indexed, const char* packed, const Plan& plan) {
  Groups groups;
  DIOPI_TRY(group_positions(ctx, *plan.map, &groups));
  const IndexMap& map = *plan.map;
  diopi::parallel_for(groups.count, kGrain / 4, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      T* target = reinterpret_cast<T*>(indexed) + map.table[groups.order[groups.start[g]]];
      Total total(*target);
      for (int64_t i = groups.start[g]; i < groups.start[g + 1]; ++i) {
        total.add(reinterpret_cast<const T*>(packed)[packed_offset(map, groups.order[i])]);
      }
      *target = total.value();
    }
  });
  return diopiSuccess;
}

RowFn move_of(int64_t element_size) {
  return diopi::for_itemsize(element_size,
                             [](auto tag) { return row_loop<Move<sizeof(diopi::tagged<decltype(tag)>)>>; });
}

template <typename A>
Status accumulate_grouped(diopiContextHandle_t ctx, Accumulate op, bool mean, diopiDtype_t dtype, char* indexed,
                          const char* packed, const Plan& plan) {
  Groups groups;
  DIOPI_TRY(group_positions(ctx, *plan.map, &groups));
  const diopiDtype_t wide = diopi::dtype_of<A>;
  const RowFn move = move_of(plan.element_size);
  const Grouped<A> work{
      plan, groups, {cast_function(dtype, wide), cast_function(wide, dtype), move, plan.element_size}, op, mean};
  const IndexSlices& s = plan.slices;
  const int64_t chunks = s.n > 0 ? (s[0].extent + kChunk - 1) / kChunk * s.numel(1, s.n) : 1;
  const int64_t cost =
      std::max<int64_t>(1, plan.slice_items / chunks * plan.map->count / std::max<int64_t>(groups.count, 1));
  diopi::parallel_for(groups.count * chunks, kGrain / cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) work.run(indexed, packed, i / chunks, i % chunks);
  });
  return diopiSuccess;
}

int64_t reach_of(const IndexMap& map) {
  return map.reach < map.count ? map.reach : *std::max_element(map.table, map.table + map.count);
}

// For slices of one element and offsets of at most `reach`: keeps a sum for each offset, even if no slice has it.
template <typename T>
Status add_to_sums(diopiContextHandle_t ctx, char* indexed, const char* packed, const Plan& plan, int64_t reach) {
  const IndexMap& map = *plan.map;
  T* const items = reinterpret_cast<T*>(indexed);
  const T* const terms = reinterpret_cast<const T*>(packed);
  LongSum<T>* sums = nullptr;
  DIOPI_TRY(Workspace(ctx).take(reach + 1, &sums));
  if (diopi::in_dry_run()) return diopiSuccess;
  const auto for_offsets = [&map](const auto& f) {
    for (int64_t k = 0; k < map.count; ++k) {
      if (map.table[k] >= 0) f(k, map.table[k]);
    }
  };
  for_offsets([&](int64_t, int64_t at) { sums[at] = LongSum<T>(items[at]); });
  for_offsets([&](int64_t k, int64_t at) { sums[at].add(terms[packed_offset(map, k)]); });
  for_offsets([&](int64_t, int64_t at) { items[at] = sums[at].value(); });
  return diopiSuccess;
}

Status add_long(diopiContextHandle_t ctx, diopiDtype_t dtype, char* indexed, const char* packed, const Plan& plan) {
  constexpr Accumulate kAdd = Accumulate::kAdd;
  if (plan.slices.n == 0) {
    const int64_t reach = reach_of(*plan.map);
    return diopi::visit_dtype<InexactTypes>(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return reach <= plan.map->count ? add_to_sums<T>(ctx, indexed, packed, plan, reach)
                                      : accumulate_points<T, LongSum<T>>(ctx, indexed, packed, plan);
    });
  }
  if (diopi::is_reduced_float(dtype)) return accumulate_grouped<float>(ctx, kAdd, false, dtype, indexed, packed, plan);
  if (diopi::is_floating(dtype)) return accumulate_grouped<double>(ctx, kAdd, false, dtype, indexed, packed, plan);
  return accumulate_grouped<diopi::complex128>(ctx, kAdd, false, dtype, indexed, packed, plan);
}

template <Accumulate kOp>
Status accumulate_with(diopiContextHandle_t ctx, diopiDtype_t dtype, char* indexed, const char* packed,
                       const Plan& plan) {
  if (diopi::is_reduced_float(dtype) || (kOp == Accumulate::kAdd && plan.map->long_sums)) {
    if (kOp == Accumulate::kAdd) return add_long(ctx, dtype, indexed, packed, plan);
    if (plan.slices.n > 0) return accumulate_grouped<float>(ctx, kOp, false, dtype, indexed, packed, plan);
    return dtype == diopi_dtype_float16
               ? accumulate_points<diopi::float16, NarrowProduct<diopi::float16>>(ctx, indexed, packed, plan)
               : accumulate_points<diopi::bfloat16, NarrowProduct<diopi::bfloat16>>(ctx, indexed, packed, plan);
  }
  if (diopi::in_dry_run()) return diopiSuccess;
  visit_accumulator(dtype, [&](auto tag) {
    run_scatter(plan, action_of<Combine<typename decltype(tag)::type, kOp>>(), indexed, packed);
  });
  return diopiSuccess;
}

}  // namespace

bool has_long_sums(diopiDtype_t dtype, const IndexMap& map) {
  constexpr int kShift = 64 - 13;  // the bits that remain select a counter
  static_assert(Occurrences::kCounters == int64_t{1} << 13);
  if (!is_inexact(dtype) || map.count <= kLongestInOrder) return false;
  Occurrences occurrences;
  for (int64_t k = 0; k < map.count; ++k) {
    if (map.table[k] < 0) continue;
    occurrences.count(static_cast<int64_t>((static_cast<uint64_t>(map.table[k]) * 0x9E3779B97F4A7C15u) >> kShift));
  }
  return occurrences.most() > kLongestInOrder;
}

Status accumulate_slices(diopiContextHandle_t ctx, Accumulate op, diopiDtype_t dtype, void* indexed, const void* packed,
                         const IndexMap& map, const IndexSlices& s) {
  const Plan plan = make_plan(map, s, diopi::dtype_size(dtype), false, false);
  if (map.count == 0 || plan.slice_items == 0) return diopiSuccess;
  auto* to = static_cast<char*>(indexed);
  const auto* from = static_cast<const char*>(packed);
  return op == Accumulate::kAdd ? accumulate_with<Accumulate::kAdd>(ctx, dtype, to, from, plan)
                                : accumulate_with<Accumulate::kMultiply>(ctx, dtype, to, from, plan);
}

Status accumulate_slice_means(diopiContextHandle_t ctx, diopiDtype_t dtype, void* indexed, const void* packed,
                              const IndexMap& map, const IndexSlices& s) {
  const Plan plan = make_plan(map, s, diopi::dtype_size(dtype), false, false);
  if (map.count == 0 || plan.slice_items == 0) return diopiSuccess;
  auto* to = static_cast<char*>(indexed);
  const auto* from = static_cast<const char*>(packed);
  if (dtype == diopi_dtype_float64)
    return accumulate_grouped<double>(ctx, Accumulate::kAdd, true, dtype, to, from, plan);
  if (diopi::is_complex(dtype))
    return accumulate_grouped<diopi::complex128>(ctx, Accumulate::kAdd, true, dtype, to, from, plan);
  return accumulate_grouped<float>(ctx, Accumulate::kAdd, true, dtype, to, from, plan);
}

}  // namespace impl::cpu
