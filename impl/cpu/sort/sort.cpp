// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sort/sort.hpp"

#include <algorithm>

#include "impl/common/alignment.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/plan/loop_nest.hpp"
#include "impl/cpu/cache_sizes.hpp"
#include "impl/cpu/sort/counting.hpp"
#include "impl/cpu/sort/packed_key64.hpp"
#include "impl/cpu/sort/rows.hpp"
#include "impl/cpu/sort/short_rows.hpp"
#include "impl/cpu/sort/topk_small_k.hpp"

namespace impl::cpu {

namespace {

using SortTypes = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                                  diopi::float16, diopi::bfloat16, float, double, bool>;

constexpr int64_t kParallelRow = 1 << 16;  // a row of this length is worth several threads

// The division of the rows among threads.
struct Schedule {
  bool within_rows;         // all threads sort one row after another, instead of a row each
  int64_t tile;             // rows that are read together
  int64_t scratch_per_job;  // bytes
  int64_t jobs;
};

bool is_few(const SortPlan& plan) {
  return plan.k <= kSmallK && plan.n <= kSmallKElements && (plan.k == 1 || 8 * plan.k <= plan.n);
}

// The number of adjacent rows to read together, if the sorted dimension is not packed.
int64_t tile_of(const SortPlan& plan, int64_t key_bytes) {
  const int last = plan.outer.n - 1;
  if (last < 0 || plan.k < plan.n || plan.input_outer[last] != 1 || plan.input_stride == 1) return 1;
  const int64_t most = second_level_cache() / 2;
  for (int64_t tile = kMaxTile; tile > 1; tile /= 2) {
    if (plan.n * key_bytes * tile <= most) return std::min(tile, plan.outer[last]);
  }
  return 1;
}

Schedule schedule_of(const SortPlan& plan) {
  Schedule s{};
  const int64_t rows = plan.outer.product(), threads = omp_get_max_threads();
  const int64_t key_bytes = packed_size(plan);
  s.within_rows = rows < threads && plan.n >= kParallelRow && threads > 1 && !omp_in_parallel();
  s.tile = 1;
  if (is_few(plan) || is_short(plan)) {
    const int last = plan.outer.n - 1;
    if (last >= 0) s.tile = std::min(plan.outer[last], std::max<int64_t>(1, 4096 / plan.n));
  } else if (is_counted(plan)) {
    s.scratch_per_job = counting_scratch_bytes(plan);
    s.within_rows = false;
  } else if (is_selection(plan)) {
    s.scratch_per_job = selection_capacity(plan) * key_bytes;
  } else {
    s.tile = s.within_rows ? 1 : tile_of(plan, key_bytes);
    s.scratch_per_job = plan.n * key_bytes * (s.within_rows ? 2 : s.tile);
  }
  s.jobs = (s.within_rows && !is_selection(plan)) || (is_counted(plan) && counting_chunks(plan) > 1) ? 1 : threads;
  s.scratch_per_job = diopi::aligned(s.scratch_per_job);
  return s;
}

// Returns the addresses of the rows of a tile. The rows are neighbours along the last outer dimension.
RowTile tile_at(const SortPlan& plan, int64_t tile_index, int64_t tile) {
  RowTile t{plan.input, plan.values, plan.indices, 1, 0, 0, 0};
  const int last = plan.outer.n - 1;
  if (last < 0) return t;
  const int64_t value_size = diopi::dtype_size(plan.dtype), index_size = diopi::dtype_size(plan.index_dtype);
  const int64_t tiles_per_line = (plan.outer[last] + tile - 1) / tile;
  const int64_t first = tile_index % tiles_per_line * tile;
  diopi::LoopNest<3> lines;
  for (int i = last - 1; i >= 0; --i) {
    lines.push_back(plan.outer[i], plan.input_outer[i], t.values != nullptr ? plan.values_outer[i] : 0,
                    plan.indices_outer[i]);
  }
  const diopi::LoopCursor at(lines, tile_index / tiles_per_line);
  t.input += (at.offset(0) + first * plan.input_outer[last]) * value_size;
  if (t.values != nullptr) t.values += (at.offset(1) + first * plan.values_outer[last]) * value_size;
  t.indices += (at.offset(2) + first * plan.indices_outer[last]) * index_size;
  t.rows = std::min(tile, plan.outer[last] - first);
  t.input_step = plan.input_outer[last];
  t.values_step = plan.values_outer[last];
  t.indices_step = plan.indices_outer[last];
  return t;
}

int64_t tile_count(const SortPlan& plan, int64_t tile) {
  const int last = plan.outer.n - 1;
  if (last < 0) return 1;
  int64_t lines = 1;
  for (int i = 0; i < last; ++i) lines *= plan.outer[i];
  return lines * ((plan.outer[last] + tile - 1) / tile);
}

// Selects the first k elements of each row of a tile, for a small k.
template <typename T>
void select_few_of_rows(const SortPlan& plan, const RowTile& tile) {
  using Key = typename SortKey<T>::Key;
  const TopkSmallKFn select = topk_small_k_function(plan.dtype);
  const int64_t index_size = diopi::dtype_size(plan.index_dtype);
  const Key* const elements = reinterpret_cast<const Key*>(tile.input);
  Key* const values = reinterpret_cast<Key*>(tile.values);
  int64_t positions[kSmallK];
  for (int64_t r = 0; r < tile.rows; ++r) {
    const Key* const row = elements + r * tile.input_step;
    select(row, plan.n, plan.input_stride, plan.descending, plan.k, positions);
    char* const indices = tile.indices + r * tile.indices_step * index_size;
    for (int64_t i = 0; i < plan.k; ++i) store_index(plan, indices, i, positions[i]);
    for (int64_t i = 0; i < plan.k && values != nullptr; ++i) {
      values[r * tile.values_step + i * plan.values_stride] = row[positions[i] * plan.input_stride];
    }
  }
}

template <typename T>
void sort_on_this_thread(const SortPlan& plan, const RowTile& tile, char* scratch) {
  if (is_few(plan)) return select_few_of_rows<T>(plan, tile);
  if (is_short(plan)) return sort_short_rows<T>(plan, tile);
  if (is_counted(plan)) return sort_by_counting<T>(plan, tile, scratch);
  if constexpr (sizeof(T) == 8) {
    if (has_packed_key64(plan)) return sort_tile_packed_key64<T>(plan, tile, scratch);
  }
  with_packed_type<T>(plan,
                      [&](auto zero) { sort_tile_packed<T>(plan, tile, reinterpret_cast<decltype(zero)*>(scratch)); });
}

template <typename T>
void sort_on_all_threads(const SortPlan& plan, const RowTile& row, char* scratch, int64_t scratch_per_job) {
  if constexpr (sizeof(T) == 8) {
    if (has_packed_key64(plan)) return sort_row_packed_key64<T>(plan, row, scratch);
  }
  with_packed_type<T>(plan,
                      [&](auto zero) { sort_row_packed<T, decltype(zero)>(plan, row, scratch, scratch_per_job); });
}

}  // namespace

int64_t sort_scratch_bytes(const SortPlan& plan) {
  const Schedule s = schedule_of(plan);
  return s.scratch_per_job * s.jobs;
}

void sort_rows(const SortPlan& plan, void* scratch) {
  const Schedule s = schedule_of(plan);
  const int64_t tiles = tile_count(plan, s.tile);
  char* const memory = static_cast<char*>(scratch);
  (void)diopi::visit_dtype<SortTypes>(plan.dtype, [&](auto tag) -> diopi::Status {
    using T = typename decltype(tag)::type;
    if (s.within_rows) {
      for (int64_t i = 0; i < tiles; ++i) sort_on_all_threads<T>(plan, tile_at(plan, i, 1), memory, s.scratch_per_job);
      return diopiSuccess;
    }
    const bool nested = omp_in_parallel() != 0;  // if so, parallel_for uses only this thread
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, plan.n * s.tile));
    diopi::parallel_for(tiles, grain, [&](int64_t begin, int64_t end) {
      char* const own = memory + (nested ? 0 : omp_get_thread_num()) * s.scratch_per_job;
      for (int64_t i = begin; i < end; ++i) sort_on_this_thread<T>(plan, tile_at(plan, i, s.tile), own);
    });
    return diopiSuccess;
  });
}

}  // namespace impl::cpu
