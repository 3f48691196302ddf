// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes through an index tensor along one dimension.
#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/scalar.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/cache_sizes.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/index_tensor/point_map.hpp"
#include "impl/cpu/engine/index_tensor/scatter_chunks.hpp"

namespace impl::cpu {

namespace {

// Returns the dimension along which a large copy of the input is divided into tiles. A tile is copied and scattered to
// while it is in the cache. The dimension is the outermost one that is not indexed; -1 if there is none, or tiles do
// not pay.
int tile_dim(const TensorView& to, const TensorView& from, int axis) {
  if (to.numel * to.itemsize() < second_level_cache() || diopi::is_reduced_float(to.dtype) ||
      diopi::may_overlap(to, from))
    return -1;
  int best = -1;
  for (int d = 0; d < to.ndim(); ++d) {
    if (d != axis && to.shape[d] > 1 && (best < 0 || to.stride[d] > to.stride[best])) best = d;
  }
  return best >= 0 && to.shape[best] >= 8 && to.stride[best] > to.stride[axis] ? best : -1;
}

void scatter_tiles(diopiContextHandle_t ctx, ScatterOp op, const PointMap& points, const TensorView& to,
                   const TensorView& from, const TensorView& source, const TensorView& index, int dim) {
  const int64_t tile_bytes = second_level_cache() / 8;
  const int64_t extent = to.shape[dim], row = to.numel / extent * to.itemsize();
  const int64_t rows = std::max<int64_t>(1, tile_bytes / row), tiles = (extent + rows - 1) / rows;
  diopi::parallel_for(tiles, 1, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const int64_t first = s * rows, count = std::min(rows, extent - first);
      const TensorView target = to.narrow(dim, first, count);
      copy_view(target, from.narrow(dim, first, count));
      const int64_t indexed = std::min(count, index.shape[dim] - first);
      if (indexed <= 0) continue;
      const char* const values = source.data + first * source.stride[dim] * source.itemsize();
      const DimIndex part = points.part(dim, first, indexed);
      if (op == ScatterOp::kReplace) {
        scatter_along_dim(target.data, values, to.itemsize(), part);
      } else {  // cannot fail, because only long sums need temporaries
        (void)scatter_reduce_along_dim(ctx, accumulation(op), to.dtype, target.data, values, part);
      }
    }
  });
}

}  // namespace

Status gather(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, int dim, const TensorView& index) {
  PointMap points;
  DIOPI_TRY(points.prepare(ctx, in, out.stride, dim, index));
  points.gather(out.data, in);
  return diopiSuccess;
}

Status scatter(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base, int dim,
               const TensorView& src, const TensorView& index) {
  if (index.numel == 0) return write_base(ctx, out, base);
  if (base.is_kept() && scatters_by_chunks(out, index)) return scatter_chunks(ctx, op, out, src, index);
  PointMap points;
  DIOPI_TRY(points.prepare(ctx, out, src.stride, dim, index));
  if (op == ScatterOp::kAdd) points.look_for_long_sums(out.dtype);
  if (base.tensor() != nullptr && points.goes_by_points() && !points.has_long_sums()) {
    const int tiled_dim = tile_dim(out, *base.tensor(), dim);
    if (tiled_dim >= 0) {
      scatter_tiles(ctx, op, points, out, *base.tensor(), src, index, tiled_dim);
      return diopiSuccess;
    }
  }
  if (op == ScatterOp::kReplace) {  // needs no memory
    DIOPI_TRY(write_base(ctx, out, base));
    return points.scatter(ctx, op, out, src.data);
  }
  return diopi::run_steps([&] { return write_base(ctx, out, base); },
                          [&] { return points.scatter(ctx, op, out, src.data); });
}

Status scatter_value(diopiContextHandle_t ctx, ScatterOp op, const TensorView& out, const ScatterBase& base, int dim,
                     const diopiScalar_t& value, const TensorView& index) {
  alignas(16) char item[16];
  const bool floating = diopi::is_floating(value);
  const void* bits = floating ? static_cast<const void*>(&value.fval) : &value.ival;
  if (index.numel > 0) cast_function(floating ? diopi_dtype_float64 : diopi_dtype_int64, out.dtype)(item, bits, 1);
  TensorView src = index;  // one element for all indices
  src.name = "value";
  src.dtype = out.dtype;
  src.data = item;
  std::fill_n(src.stride.v, index.ndim(), 0);
  return scatter(ctx, op, out, base, dim, src, index);
}

}  // namespace impl::cpu
