// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index/along_dim.hpp"

#include <algorithm>
#include <atomic>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/cache_sizes.hpp"
#include "impl/cpu/engine/index/along_dim_blocks.hpp"

namespace impl::cpu {

using namespace along_dim_detail;  // NOLINT: this file is part of the engine
using namespace index_detail;      // NOLINT

int64_t index_at(const DimIndex& dim_index, int64_t position) {
  const auto nest = diopi::row_major_nest(dim_index.shape, dim_index.index_stride);
  const int64_t offset = diopi::LoopCursor(nest, position).offset();
  return dim_index.is_int64 ? static_cast<const int64_t*>(dim_index.index)[offset]
                            : static_cast<const int32_t*>(dim_index.index)[offset];
}

namespace {

// Whether the `n` entries of an index are one line that is too short for several threads. Such a call needs no plan.
bool is_short_line(const DimIndex& dim_index, int64_t n) { return n == dim_index.shape[dim_index.dim] && n <= kGrain; }

Block line_block(const DimIndex& dim_index, int64_t n, int64_t item_size) {
  const int dim = dim_index.dim;
  Block block{};
  block.n_a = 1;
  block.n_b = n;
  block.index_b = dim_index.index_stride[dim];
  block.packed_b = dim_index.packed_stride[dim] * item_size;
  block.by_index = dim_index.indexed_stride[dim] * item_size;
  block.size = dim_index.size;
  return block;
}

template <typename I>
bool row_in_range(const I* row, int64_t n, int64_t step, int64_t size) {
  constexpr int64_t kShort = 16;  // for fewer entries, calling the vector loop takes longer than comparing them
  if (step == 1 && n >= kShort) return indices_within(row, n, 0, size);
  int bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= static_cast<int>(row[i * step] < 0) | static_cast<int>(row[i * step] >= size);
  return bad == 0;
}

template <typename I>
bool all_in_range(const DimIndex& dim_index, const DimPlan& plan) {
  std::atomic<bool> inside{true};
  const I* const index = static_cast<const I*>(dim_index.index);
  const auto check = [&](int64_t offset, int64_t n, int64_t step) {
    if (!row_in_range(index + offset, n, step, dim_index.size)) inside.store(false, std::memory_order_relaxed);
  };
  Block block = make_block(plan, plan.along, plan.columns);
  if (block.index_a == block.n_b * block.index_b || block.n_a == 1) {  // the block is one row
    block.n_b *= block.n_a;
    block.n_a = 1;
  }
  if (plan.outer == 1 && block.n_a == 1) {
    // One thread scatters along a single column: it finds a short index in its own cache if it has checked it.
    const int64_t cached = plan.columns == 1 ? second_level_cache() / 2 / static_cast<int64_t>(sizeof(I)) : 0;
    diopi::parallel_for(block.n_b, std::max(cached, 2 * kGrain),
                        [&](int64_t begin, int64_t end) { check(begin * block.index_b, end - begin, block.index_b); });
  } else {
    diopi::parallel_for(plan.outer * block.n_a, kGrain / block.n_b, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        check(outer_offsets(plan, r / block.n_a).index + r % block.n_a * block.index_a, block.n_b, block.index_b);
      }
    });
  }
  return inside.load(std::memory_order_relaxed);
}

}  // namespace

int64_t find_out_of_range(const DimIndex& dim_index) {
  const int64_t n = count(dim_index);
  if (n == 0) return -1;
  if (is_short_line(dim_index, n)) {
    const int64_t step = dim_index.index_stride[dim_index.dim];
    if (dim_index.is_int64 ? row_in_range(static_cast<const int64_t*>(dim_index.index), n, step, dim_index.size)
                           : row_in_range(static_cast<const int32_t*>(dim_index.index), n, step, dim_index.size)) {
      return -1;
    }
  }
  const DimPlan plan = make_dim_plan(dim_index, 1, 1);
  if (dim_index.is_int64 ? all_in_range<int64_t>(dim_index, plan) : all_in_range<int32_t>(dim_index, plan)) return -1;
  int64_t position = 0;
  for (; position < n; ++position) {
    const int64_t i = index_at(dim_index, position);
    if (i < 0 || i >= dim_index.size) break;
  }
  return position;
}

namespace {

template <bool kGather>
BlockFn move_function(int64_t size, bool is_int64) {
  return diopi::for_itemsize(size, [is_int64](auto tag) {
    return block_function<Move<sizeof(diopi::tagged<decltype(tag)>)>, kGather>(is_int64);
  });
}

}  // namespace

void gather_along_dim(void* packed, const void* indexed, int64_t item_size, const DimIndex& dim_index) {
  if (count(dim_index) == 0) return;
  DimPlan plan = make_dim_plan(dim_index, item_size, item_size);
  plan.streams = count(dim_index) * item_size >= stream_bytes();
  const BlockFn block = move_function<true>(item_size, dim_index.is_int64);
  char* from = const_cast<char*>(static_cast<const char*>(indexed));  // a gather only reads the indexed side
  char* to = static_cast<char*>(packed);
  if (plan.outer * plan.columns > 1) {
    run_columns(dim_index, plan, block, from, to);
    return;
  }
  diopi::parallel_for(plan.along, kGrain, [&](int64_t begin, int64_t end) {
    block(from, to + begin * plan.packed_along, entry(dim_index, begin * plan.index_along),
          make_block(plan, end - begin, 1));
    if (plan.streams) finish_stores();
  });
}

void scatter_along_dim(void* indexed, const void* packed, int64_t item_size, const DimIndex& dim_index) {
  const int64_t n = count(dim_index);
  if (n == 0) return;
  char* const from = const_cast<char*>(static_cast<const char*>(packed));  // a scatter only reads the packed side
  char* const to = static_cast<char*>(indexed);
  const BlockFn block = move_function<false>(item_size, dim_index.is_int64);
  if (is_short_line(dim_index, n)) return block(to, from, dim_index.index, line_block(dim_index, n, item_size));
  run_columns(dim_index, make_dim_plan(dim_index, item_size, item_size), block, to, from);
}

}  // namespace impl::cpu
