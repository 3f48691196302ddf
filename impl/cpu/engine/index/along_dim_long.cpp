// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index/along_dim_long.hpp"

#include <algorithm>
#include <atomic>

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/index/along_dim_blocks.hpp"
#include "impl/cpu/engine/index/long_sums.hpp"

namespace impl::cpu {

using diopi::Status;
using namespace along_dim_detail;  // NOLINT: this file is part of the engine
using namespace index_detail;      // NOLINT

namespace {

// Returns whether no element of any column receives more than kLongestInOrder terms. Indices are counted by their last
// bits, so the result may be false although no element receives so many terms.
template <typename I, bool kOneColumn>
bool sums_are_short(const DimIndex& dim_index, const DimPlan& plan) {
  constexpr int64_t kTogether = kOneColumn ? 1 : 8, kKinds = Occurrences::kCounters / kTogether;
  const int64_t tiles_across = (plan.columns + kTogether - 1) / kTogether;
  std::atomic<bool> all_short{true};
  diopi::parallel_for(plan.outer * tiles_across, kGrain / (plan.along * kTogether), [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end && all_short.load(std::memory_order_relaxed); ++tile) {
      const int64_t first = tile % tiles_across * kTogether, columns = std::min(kTogether, plan.columns - first);
      const I* row = static_cast<const I*>(dim_index.index) + outer_offsets(plan, tile / tiles_across).index;
      row += first * plan.index_column;
      Occurrences occurrences;
      for (int64_t i = 0; i < plan.along; ++i, row += plan.index_along) {
        for (int64_t c = 0; c < (kOneColumn ? 1 : columns); ++c) {
          const auto kind = static_cast<int64_t>(row[c * plan.index_column]) & (kKinds - 1);
          occurrences.count(kind * kTogether + c);
        }
      }
      if (occurrences.most() > kLongestInOrder) all_short.store(false, std::memory_order_relaxed);
    }
  });
  return all_short.load(std::memory_order_relaxed);
}

// The sums of several lines of the indexed side: `rows` sums for each of `columns` lines. sum_row and sum_column count
// sums; item_row and item_column count bytes.
template <typename T>
struct Tile {
  LongSum<T>* sums;
  char* items;
  int64_t rows, columns;
  int64_t sum_row, sum_column, item_row, item_column;

  template <typename F>
  void for_each(const F& f) const {
    const bool along_rows = sum_row <= sum_column;
    const int64_t outer = along_rows ? columns : rows, inner = along_rows ? rows : columns;
    for (int64_t i = 0; i < outer; ++i) {
      for (int64_t j = 0; j < inner; ++j) {
        const int64_t r = along_rows ? j : i, c = along_rows ? i : j;
        f(sums + r * sum_row + c * sum_column, reinterpret_cast<T*>(items + r * item_row + c * item_column));
      }
    }
  }
  void load() const {
    for_each([](LongSum<T>* sum, const T* item) { *sum = LongSum<T>(*item); });
  }
  void store() const {
    for_each([](const LongSum<T>* sum, T* item) { *item = sum->value(); });
  }
};

template <typename T>
Status add_long(diopiContextHandle_t ctx, char* indexed, char* packed, const DimIndex& dim_index) {
  constexpr int64_t kWidest = 16, kSums = 1 << 20;
  const DimPlan plan = make_dim_plan(dim_index, sizeof(T), sizeof(T));
  const int64_t widest = std::clamp<int64_t>(kSums / dim_index.size, 1, kWidest);
  const int64_t width = std::min(plan.columns, widest), tiles_across = (plan.columns + width - 1) / width;
  const int64_t tiles = plan.outer * tiles_across;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  const int64_t chunks = std::min(threads, tiles);
  const BlockFn block = block_function<AddLong<T>, false>(dim_index.is_int64);
  LongSum<T>* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(chunks * dim_index.size * width, &memory));
  if (diopi::in_dry_run()) return diopiSuccess;
  const bool along_rows = plan.by_index <= plan.indexed_column;  // the sums are ordered like the items
  diopi::parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    LongSum<T>* const sums = memory + begin * dim_index.size * width;
    for (int64_t tile = begin * tiles / chunks; tile < end * tiles / chunks; ++tile) {
      const Offsets at = outer_offsets(plan, tile / tiles_across);
      const int64_t c = tile % tiles_across * width, columns = std::min(width, plan.columns - c);
      const int64_t row = along_rows ? 1 : columns, column = along_rows ? dim_index.size : 1;
      char* const items = indexed + at.indexed + c * plan.indexed_column;
      const Tile<T> sums_of_tile{sums, items, dim_index.size, columns, row, column, plan.by_index, plan.indexed_column};
      sums_of_tile.load();
      DimPlan on_sums = plan;
      on_sums.by_index = row * static_cast<int64_t>(sizeof(LongSum<T>));
      on_sums.indexed_column = column * static_cast<int64_t>(sizeof(LongSum<T>));
      block(reinterpret_cast<char*>(sums), packed + at.packed + c * plan.packed_column,
            entry(dim_index, at.index + c * plan.index_column), make_block(on_sums, plan.along, columns));
      sums_of_tile.store();
    }
  });
  return diopiSuccess;
}

template <typename T>
Tile<T> tile_of(const diopi::TensorView& line, void* sums) {
  return {static_cast<LongSum<T>*>(sums),
          line.data,
          line.shape[0],
          1,
          1,
          line.shape[0],
          line.stride[0] * static_cast<int64_t>(sizeof(T)),
          0};
}

}  // namespace

bool has_long_sums(diopiDtype_t dtype, const DimIndex& dim_index) {
  const int64_t along = dim_index.shape[dim_index.dim];
  if (!is_inexact(dtype) || along <= kLongestInOrder || count(dim_index) == 0) return false;
  if (dim_index.size <= along / 16) return true;  // counting would take longer than the wider sums
  const DimPlan plan = make_dim_plan(dim_index, 1, 1);
  if (plan.columns == 1) {
    return !(dim_index.is_int64 ? sums_are_short<int64_t, true>(dim_index, plan)
                                : sums_are_short<int32_t, true>(dim_index, plan));
  }
  return !(dim_index.is_int64 ? sums_are_short<int64_t, false>(dim_index, plan)
                              : sums_are_short<int32_t, false>(dim_index, plan));
}

Status add_long_along_dim(diopiContextHandle_t ctx, diopiDtype_t dtype, void* indexed, const void* packed,
                          const DimIndex& dim_index) {
  char* from = const_cast<char*>(static_cast<const char*>(packed));  // an accumulation only reads the packed side
  return diopi::visit_dtype<InexactTypes>(dtype, [&](auto tag) {
    return add_long<typename decltype(tag)::type>(ctx, static_cast<char*>(indexed), from, dim_index);
  });
}

Status LongLine::prepare(diopiContextHandle_t ctx, const diopi::TensorView& line) {
  line_ = line;
  return diopi::visit_dtype<InexactTypes>(line.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    LongSum<T>* sums = nullptr;
    DIOPI_TRY(diopi::Workspace(ctx).take(line.shape[0], &sums));
    sums_ = sums;
    step_ = sizeof(LongSum<T>);
    if (!diopi::in_dry_run()) tile_of<T>(line, sums).load();
    return diopiSuccess;
  });
}

void LongLine::add(const DimIndex& chunk, const void* packed) const {
  char* from = const_cast<char*>(static_cast<const char*>(packed));
  (void)diopi::visit_dtype<InexactTypes>(line_.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    DimPlan plan = make_dim_plan(chunk, sizeof(T), sizeof(T));
    plan.by_index = step_;
    block_function<AddLong<T>, false>(chunk.is_int64)(static_cast<char*>(sums_), from, chunk.index,
                                                      make_block(plan, plan.along, 1));
    return diopiSuccess;
  });
}

void LongLine::finish() const {
  (void)diopi::visit_dtype<InexactTypes>(line_.dtype, [&](auto tag) -> Status {
    tile_of<typename decltype(tag)::type>(line_, sums_).store();
    return diopiSuccess;
  });
}

}  // namespace impl::cpu
