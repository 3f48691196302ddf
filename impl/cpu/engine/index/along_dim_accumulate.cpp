// SPDX-License-Identifier: BSD-3-Clause
// Sums and products through an index along one dimension.

#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/index/along_dim_blocks.hpp"
#include "impl/cpu/engine/index/along_dim_long.hpp"

namespace impl::cpu {

using diopi::Status;
using namespace along_dim_detail;  // NOLINT: this file is part of the engine
using namespace index_detail;      // NOLINT

namespace {

template <Accumulate kOp>
BlockFn wide_function(diopiDtype_t dtype, bool is_int64) {
  return dtype == diopi_dtype_float16 ? block_function<CombineWide<diopi::float16, kOp>, false>(is_int64)
                                      : block_function<CombineWide<diopi::bfloat16, kOp>, false>(is_int64);
}

// Accumulation of float16 and bfloat16: some columns are converted to float, accumulated in float, and converted back.
Status accumulate_wide(diopiContextHandle_t ctx, BlockFn block, diopiDtype_t dtype, char* indexed, char* packed,
                       const DimIndex& dim_index) {
  constexpr int64_t kTileColumns = 16;
  const DimPlan plan = make_dim_plan(dim_index, 2, 2);
  const int64_t width = std::min(plan.columns, kTileColumns), tiles_across = (plan.columns + width - 1) / width;
  const int64_t tiles = plan.outer * tiles_across;
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  const int64_t chunks =
      std::clamp<int64_t>(plan.along * plan.columns * plan.outer / kGrain, 1, std::min(threads, tiles));
  float* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(chunks * dim_index.size * width, &memory));
  if (diopi::in_dry_run()) return diopiSuccess;
  // The float copy keeps the order of the original: adjacent elements stay adjacent.
  const bool along_lines = plan.by_index <= plan.indexed_column;
  diopi::parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    float* wide = memory + begin * dim_index.size * width;
    for (int64_t tile = begin * tiles / chunks; tile < end * tiles / chunks; ++tile) {
      const Offsets at = outer_offsets(plan, tile / tiles_across);
      const int64_t c = tile % tiles_across * width, columns = std::min(width, plan.columns - c);
      const int64_t step = along_lines ? 1 : columns, column_step = along_lines ? dim_index.size : 1;
      char* narrow = indexed + at.indexed + c * plan.indexed_column;
      const CopyDim in[] = {{dim_index.size, step, plan.by_index / 2}, {columns, column_step, plan.indexed_column / 2}};
      const CopyDim out[] = {{dim_index.size, plan.by_index / 2, step},
                             {columns, plan.indexed_column / 2, column_step}};
      copy_strided(wide, diopi_dtype_float32, narrow, dtype, in, 2);
      DimPlan on_tile = plan;
      on_tile.by_index = step * static_cast<int64_t>(sizeof(float));
      on_tile.indexed_column = column_step * static_cast<int64_t>(sizeof(float));
      block(reinterpret_cast<char*>(wide), packed + at.packed + c * plan.packed_column,
            entry(dim_index, at.index + c * plan.index_column), make_block(on_tile, plan.along, columns));
      copy_strided(narrow, dtype, wide, diopi_dtype_float32, out, 2);
    }
  });
  return diopiSuccess;
}

template <Accumulate kOp>
Status accumulate_with(diopiContextHandle_t ctx, diopiDtype_t dtype, char* indexed, char* packed,
                       const DimIndex& dim_index) {
  if (diopi::in_dry_run() && !diopi::is_reduced_float(dtype)) return diopiSuccess;
  const bool done = visit_accumulator(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_columns(dim_index, make_dim_plan(dim_index, sizeof(T), sizeof(T)),
                block_function<Combine<T, kOp>, false>(dim_index.is_int64), indexed, packed);
  });
  if (done) return diopiSuccess;
  return accumulate_wide(ctx, wide_function<kOp>(dtype, dim_index.is_int64), dtype, indexed, packed, dim_index);
}

}  // namespace

Status scatter_reduce_along_dim(diopiContextHandle_t ctx, Accumulate op, diopiDtype_t dtype, void* indexed,
                                const void* packed, const DimIndex& dim_index) {
  if (count(dim_index) == 0) return diopiSuccess;
  if (op == Accumulate::kAdd && dim_index.long_sums) return add_long_along_dim(ctx, dtype, indexed, packed, dim_index);
  auto* to = static_cast<char*>(indexed);
  char* from = const_cast<char*>(static_cast<const char*>(packed));  // an accumulation only reads the packed side
  return op == Accumulate::kAdd ? accumulate_with<Accumulate::kAdd>(ctx, dtype, to, from, dim_index)
                                : accumulate_with<Accumulate::kMultiply>(ctx, dtype, to, from, dim_index);
}

}  // namespace impl::cpu
