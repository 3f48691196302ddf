// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index/along_dim_plan.hpp"

#include <algorithm>
#include <cstdlib>

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/index/slices_plan.hpp"

namespace impl::cpu::along_dim_detail {

using index_detail::kGrain;

DimPlan make_dim_plan(const DimIndex& dim_index, int64_t packed_size, int64_t indexed_size) {
  DimPlan plan;
  const int n = dim_index.shape.n;
  int column = -1;
  for (int d = 0; d < n; ++d) {
    if (d == dim_index.dim || dim_index.shape[d] == 1) continue;
    if (column < 0 || dim_index.indexed_stride[d] <= dim_index.indexed_stride[column]) column = d;
  }
  plan.along = dim_index.shape[dim_index.dim];
  plan.size = dim_index.size;
  plan.index_along = dim_index.index_stride[dim_index.dim];
  plan.packed_along = dim_index.packed_stride[dim_index.dim] * packed_size;
  plan.by_index = dim_index.indexed_stride[dim_index.dim] * indexed_size;
  if (column >= 0) {
    plan.columns = dim_index.shape[column];
    plan.index_column = dim_index.index_stride[column];
    plan.packed_column = dim_index.packed_stride[column] * packed_size;
    plan.indexed_column = dim_index.indexed_stride[column] * indexed_size;
  }
  for (int d = n - 1; d >= 0; --d) {
    if (d == dim_index.dim || d == column || dim_index.shape[d] == 1) continue;
    plan.rest.push_back(dim_index.shape[d], dim_index.index_stride[d], dim_index.packed_stride[d] * packed_size,
                        dim_index.indexed_stride[d] * indexed_size);
  }
  plan.outer = plan.rest.numel();
  return plan;
}

Offsets outer_offsets(const DimPlan& plan, int64_t outer) {
  const diopi::LoopCursor at(plan.rest, outer);
  return {at.offset(0), at.offset(1), at.offset(2)};
}

Block make_block(const DimPlan& p, int64_t along, int64_t columns) {
  // If the index is expanded over the columns, the strides of the indexed side decide which loop is inside.
  const bool by_columns =
      p.index_column == 0 && p.index_along != 0 ? p.indexed_column <= p.by_index : p.index_column < p.index_along;
  if (columns > 1 && (by_columns || along == 1)) {
    return {along, columns,          p.index_along, p.index_column, p.packed_along, p.packed_column,
            0,     p.indexed_column, p.by_index,    p.size,         p.streams};
  }
  return {columns,          along, p.index_column, p.index_along, p.packed_column, p.packed_along,
          p.indexed_column, 0,     p.by_index,     p.size,        p.streams};
}

namespace {

// Columns of one tile. The memory that they reach fits the second-level cache, and there are enough tiles for
// all threads.
int64_t column_chunk(const DimPlan& plan) {
  constexpr int64_t kReached = 1 << 18, kFewest = 32, kCacheLine = 64;
  const int64_t step = std::clamp<int64_t>(std::abs(plan.indexed_column), 1, kCacheLine);
  int64_t wanted = std::max(kFewest, kReached / std::max<int64_t>(1, plan.size * step));
  const int64_t threads = omp_get_max_threads();
  if (threads > 1 && plan.outer < threads) wanted = std::min(wanted, std::max(kFewest, plan.columns / (2 * threads)));
  return std::min(plan.columns, wanted);
}

}  // namespace

void run_columns(const DimIndex& dim_index, const DimPlan& plan, BlockFn block, char* indexed, char* packed) {
  const int64_t chunk = column_chunk(plan), chunks = (plan.columns + chunk - 1) / chunk;
  const int64_t grain = kGrain / (plan.along * chunk);
  diopi::parallel_for(plan.outer * chunks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const Offsets at = outer_offsets(plan, u / chunks);
      const int64_t c = u % chunks * chunk, count = std::min(chunk, plan.columns - c);
      block(indexed + at.indexed + c * plan.indexed_column, packed + at.packed + c * plan.packed_column,
            entry(dim_index, at.index + c * plan.index_column), make_block(plan, plan.along, count));
    }
    if (plan.streams) finish_stores();
  });
}

}  // namespace impl::cpu::along_dim_detail
