// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes through an index tensor along one dimension.
#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/common/scalar.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/index/along_dim_long.hpp"
#include "impl/cpu/engine/index/scatter_reduce_1d.hpp"
#include "impl/cpu/functions/point_map.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;
using diopi::Text;

namespace {

// Views a tensor without dimensions as one element in one dimension.
TensorView at_least_1d(const TensorView& view) { return view.ndim() == 0 ? view.unsqueeze(0) : view; }

// Requires that `index` has the rank of `indexed` and is not larger, except along `dim`. As in PyTorch, an empty index
// may have any shape and dtype.
Status check_index(const TensorView& index, const TensorView& indexed, int dim) {
  if (index.numel == 0) return diopiSuccess;
  DIOPI_TRY(require_index_dtype(index));
  bool fits = index.ndim() == indexed.ndim();
  for (int d = 0; fits && d < index.ndim(); ++d) fits = d == dim || index.shape[d] <= indexed.shape[d];
  DIOPI_REQUIRE(
      fits, diopiErrorOccurred,
      "index of shape %s must have the rank of %s of shape %s and be no larger than it, except in dimension %d",
      Text(index.shape).c_str(), indexed.name, Text(indexed.shape).c_str(), dim);
  return diopiSuccess;
}

enum class Reduce { kReplace, kAdd, kMultiply };

Status read_reduce(const char* name, Reduce* reduce) {
  *reduce = Reduce::kReplace;
  if (name == nullptr || *name == '\0') return diopiSuccess;
  const bool add = std::strcmp(name, "add") == 0;
  DIOPI_REQUIRE(add || std::strcmp(name, "multiply") == 0, diopiErrorOccurred,
                "reduce = '%s', expected 'add', 'multiply' or ''", name);
  *reduce = add ? Reduce::kAdd : Reduce::kMultiply;
  return diopiSuccess;
}

// The values to scatter: a tensor, or one item for all elements.
struct Source {
  TensorView view;
  alignas(16) char item[16];

  Status read(diopiConstTensorHandle_t src, const TensorView& out, const TensorView& index) {
    DIOPI_TRY(diopi::read_tensor(src, "src", &view));
    DIOPI_TRY(diopi::require_same_dtype(view, out));
    view = at_least_1d(view);
    if (index.numel == 0) return diopiSuccess;
    bool fits = index.ndim() == view.ndim();
    for (int d = 0; fits && d < index.ndim(); ++d) fits = index.shape[d] <= view.shape[d];
    DIOPI_REQUIRE(fits, diopiErrorOccurred, "index of shape %s must have the rank of src of shape %s and be no larger",
                  Text(index.shape).c_str(), Text(view.shape).c_str());
    return diopiSuccess;
  }

  Status read(const diopiScalar_t* value, const TensorView& out, const TensorView& index) {
    if (index.numel > 0) {  // otherwise the value is not used
      DIOPI_TRY(diopi::require_fits(*value, "value", out.dtype));
      const bool floating = diopi::is_floating(*value);
      const void* bits = floating ? static_cast<const void*>(&value->fval) : &value->ival;
      cast_function(floating ? diopi_dtype_float64 : diopi_dtype_int64, out.dtype)(item, bits, 1);
    }
    view.name = "value";
    view.dtype = out.dtype;
    view.data = item;
    view.shape = index.shape;
    view.stride.n = index.ndim();
    std::fill_n(view.stride.v, index.ndim(), 0);
    return diopiSuccess;
  }
};

// Writes, adds or multiplies the source at the addresses of `points`.
Status apply(diopiContextHandle_t ctx, Reduce reduce, const PointMap& points, const TensorView& to,
             const void* source) {
  if (reduce == Reduce::kReplace) {
    if (!diopi::in_dry_run()) points.scatter(to, source);
    return diopiSuccess;
  }
  return points.accumulate(ctx, reduce == Reduce::kAdd ? Accumulate::kAdd : Accumulate::kMultiply, to, source);
}

// Used for many indices into a short line: chunks of the index are checked just before they are used, so that memory is
// read only once.
constexpr int64_t kLineChunk = 4096;

bool goes_by_chunks(const TensorView& to, const TensorView& index) {
  return index.ndim() == 1 && to.ndim() == 1 && index.numel >= 16 * kLineChunk && to.numel <= index.numel / 8 &&
         !diopi::is_reduced_float(to.dtype);
}

// Gives each chunk of the index to `line` if it is ready and accepts the chunk, else to use(points, values of the
// chunk). use() may fail.
template <typename Use>
Status for_chunks(diopiContextHandle_t ctx, const TensorView& to, const TensorView& source, const TensorView& index,
                  const ScatterReduce1d& line, const Use& use) {
  const int64_t chunk = line.is_ready() ? kValuesTogether : kLineChunk;
  for (int64_t begin = 0; begin < index.numel; begin += chunk) {
    const int64_t n = std::min(chunk, index.numel - begin);
    const LineValues values{index.data + begin * index.itemsize(), source.data + begin * source.itemsize(), n};
    if (line.is_ready() && line.add(values)) continue;
    PointMap points;
    DIOPI_TRY(points.prepare(ctx, to, source.stride, 0, index.narrow(0, begin, n), begin));
    DIOPI_TRY(use(points, source.data + begin * source.stride[0] * source.itemsize()));
  }
  return diopiSuccess;
}

bool is_packed_line(const TensorView& view) { return view.stride[0] == 1; }

// Writes or accumulates chunks of the index. A copy of the line is restored if an index is out of range.
Status scatter_chunks(diopiContextHandle_t ctx, Reduce reduce, const TensorView& to, const TensorView& source,
                      const TensorView& index) {
  TensorView kept;
  ScatterReduce1d line;
  DIOPI_TRY(packed_copy(ctx, to, &kept));
  if (reduce != Reduce::kReplace && is_packed_line(index) && is_packed_line(source)) {
    const auto op = reduce == Reduce::kAdd ? Accumulate::kAdd : Accumulate::kMultiply;
    const bool is_int64 = index.dtype == diopi_dtype_int64;
    DIOPI_TRY(line.prepare(ctx, op, to.dtype, to.data, to.numel, to.stride[0] * to.itemsize(), is_int64));
  }
  const Status done = for_chunks(ctx, to, source, index, line, [&](const PointMap& points, const char* values) {
    return apply(ctx, reduce, points, to, values);
  });
  if (!done.ok()) copy_view(to, kept);
  return done;
}

// Adds chunks of the index to wider sums, for dtypes whose sums of many terms lose digits. The line is written at the
// end, after all indices are checked.
Status add_long_chunks(diopiContextHandle_t ctx, const TensorView& to, const TensorView& source,
                       const TensorView& index) {
  LongLine sums;
  ScatterReduce1d line;
  DIOPI_TRY(sums.prepare(ctx, to));
  if (is_packed_line(index) && is_packed_line(source)) {
    const bool is_int64 = index.dtype == diopi_dtype_int64;
    DIOPI_TRY(line.prepare_long(ctx, to.dtype, sums.sums(), to.numel, sums.step(), is_int64));
  }
  DIOPI_TRY(for_chunks(ctx, to, source, index, line, [&](const PointMap& points, const char* values) -> Status {
    sums.add(points.dim_index(), values);
    return diopiSuccess;
  }));
  sums.finish();
  return diopiSuccess;
}

// Returns the dimension along which a large copy of the input is divided into tiles. A tile is copied and scattered to
// while it is in the cache. The dimension is the outermost one that is not indexed; -1 if there is none, or tiles do
// not pay.
int tile_dim(const TensorView& to, const TensorView& from, int axis) {
  constexpr int64_t kWorth = 1 << 20;
  if (to.numel * to.itemsize() < kWorth || diopi::is_reduced_float(to.dtype) || diopi::may_overlap(to, from)) return -1;
  int best = -1;
  for (int d = 0; d < to.ndim(); ++d) {
    if (d != axis && to.shape[d] > 1 && (best < 0 || to.stride[d] > to.stride[best])) best = d;
  }
  return best >= 0 && to.shape[best] >= 8 && to.stride[best] > to.stride[axis] ? best : -1;
}

void scatter_tiles(diopiContextHandle_t ctx, Reduce reduce, const PointMap& points, const TensorView& to,
                   const TensorView& from, const TensorView& source, const TensorView& index, int dim) {
  constexpr int64_t kTileBytes = 1 << 17;
  const int64_t extent = to.shape[dim], row = to.numel / extent * to.itemsize();
  const int64_t rows = std::max<int64_t>(1, kTileBytes / row), tiles = (extent + rows - 1) / rows;
  diopi::parallel_for(tiles, 1, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const int64_t first = s * rows, count = std::min(rows, extent - first);
      const TensorView target = to.narrow(dim, first, count);
      copy_view(target, from.narrow(dim, first, count));
      const int64_t indexed = std::min(count, index.shape[dim] - first);
      if (indexed <= 0) continue;
      const char* const values = source.data + first * source.stride[dim] * source.itemsize();
      const DimIndex part = points.part(dim, first, indexed);
      if (reduce == Reduce::kReplace) {
        scatter_along_dim(target.data, values, to.itemsize(), part);
      } else {  // cannot fail, because only long sums need temporaries
        const auto op = reduce == Reduce::kAdd ? Accumulate::kAdd : Accumulate::kMultiply;
        (void)scatter_reduce_along_dim(ctx, op, to.dtype, target.data, values, part);
      }
    }
  });
}

// out = input (null for the in-place form); then the source is written, added or multiplied to out at the index.
template <typename Value>
Status scatter(diopiContextHandle_t ctx, const TensorView& out, const TensorView* input, int64_t dim, Value value,
               diopiConstTensorHandle_t index_handle, const char* reduce_name) {
  TensorView index;
  Source source;
  PointMap points;
  Reduce reduce;
  int axis = 0;
  const TensorView to = at_least_1d(out);
  DIOPI_TRY(diopi::read_tensor(index_handle, "index", &index));
  index = at_least_1d(index);
  DIOPI_TRY(require_storage(out));
  DIOPI_TRY(read_reduce(reduce_name, &reduce));
  DIOPI_TRY(diopi::wrap_dim(dim, to, "dim", &axis));
  DIOPI_TRY(check_index(index, to, axis));
  DIOPI_TRY(source.read(value, to, index));
  DIOPI_TRY(diopi::require_writable(out));
  if (index.numel != 0) {
    DIOPI_TRY(copy_if_overlapping(ctx, to, &source.view));
    DIOPI_TRY(copy_if_overlapping(ctx, to, &index));
    if (input == nullptr && goes_by_chunks(to, index)) {
      return reduce == Reduce::kAdd && is_inexact(to.dtype) ? add_long_chunks(ctx, to, source.view, index)
                                                            : scatter_chunks(ctx, reduce, to, source.view, index);
    }
    DIOPI_TRY(points.prepare(ctx, to, source.view.stride, axis, index));
    if (reduce == Reduce::kAdd) points.look_for_long_sums(to.dtype);
  }
  if (input != nullptr && index.numel != 0 && points.goes_by_points()) {
    const TensorView from = at_least_1d(*input);
    const int tiled_dim = points.has_long_sums() ? -1 : tile_dim(to, from, axis);
    if (tiled_dim >= 0) {
      scatter_tiles(ctx, reduce, points, to, from, source.view, index, tiled_dim);
      return diopiSuccess;
    }
  }
  const auto copy = [&] { return input != nullptr ? copy_tensor(ctx, out, *input) : Status(); };
  if (index.numel == 0) return copy();
  return diopi::run_steps(copy, [&] { return apply(ctx, reduce, points, to, source.view.data); });
}

template <typename Value>
Status scatter_out(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim,
                   Value value, diopiConstTensorHandle_t index, const char* reduce) {
  TensorView to, from;
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::require_same_dtype(to, from));
  DIOPI_TRY(diopi::require_result_shape(&to, from));
  return scatter(ctx, to, &from, dim, value, index, reduce);
}

}  // namespace

diopiError_t diopiGather(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim,
                         diopiConstTensorHandle_t index) {
  TensorView from, to, positions;
  PointMap points;
  int axis = 0;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(index, "index", &positions));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(diopi::require_same_dtype(to, from));
  DIOPI_TRY(diopi::require_result_shape(&to, positions));
  DIOPI_TRY(diopi::require_writable(to));
  from = at_least_1d(from);
  to = at_least_1d(to);
  positions = at_least_1d(positions);
  DIOPI_TRY(diopi::wrap_dim(dim, from, "dim", &axis));
  DIOPI_TRY(check_index(positions, from, axis));
  if (positions.numel == 0) return diopiSuccess;
  DIOPI_TRY(copy_if_overlapping(ctx, to, &from));
  DIOPI_TRY(copy_if_overlapping(ctx, to, &positions));
  DIOPI_TRY(points.prepare(ctx, from, to.stride, axis, positions));
  points.gather(to.data, from);
  return diopiSuccess;
}

diopiError_t diopiGatherBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                 diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input, int64_t dim,
                                 diopiConstTensorHandle_t index) {
  TensorView to, grad, like, positions;
  PointMap points;
  int axis = 0;
  DIOPI_TRY(diopi::read_tensor(grad_input, "grad_input", &to));
  DIOPI_TRY(diopi::read_tensor(grad_output, "grad_output", &grad));
  DIOPI_TRY(diopi::read_tensor(input, "input", &like));
  DIOPI_TRY(diopi::read_tensor(index, "index", &positions));
  DIOPI_TRY(require_storage(to));
  DIOPI_TRY(diopi::require_result_shape(&to, like));
  DIOPI_TRY(diopi::require_same_dtype(grad, to));
  DIOPI_TRY(diopi::require_result_shape(&grad, positions));
  DIOPI_TRY(diopi::require_writable(to));
  const TensorView target = at_least_1d(to);
  grad = at_least_1d(grad);
  positions = at_least_1d(positions);
  DIOPI_TRY(diopi::wrap_dim(dim, target, "dim", &axis));
  DIOPI_TRY(check_index(positions, target, axis));
  if (positions.numel != 0) {
    DIOPI_TRY(copy_if_overlapping(ctx, to, &grad));
    DIOPI_TRY(copy_if_overlapping(ctx, to, &positions));
    DIOPI_TRY(points.prepare(ctx, target, grad.stride, axis, positions));
    points.look_for_long_sums(to.dtype);
  }
  const auto clear = [&]() -> Status {
    fill_zero(to);
    return diopiSuccess;
  };
  if (positions.numel == 0) return clear();
  return diopi::run_steps(clear, [&] { return points.accumulate(ctx, Accumulate::kAdd, target, grad.data); });
}

diopiError_t diopiScatterInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t dim,
                             diopiConstTensorHandle_t src, diopiConstTensorHandle_t index, const char* reduce) {
  TensorView to;
  DIOPI_TRY(diopi::read_tensor(input, "input", &to));
  return scatter(ctx, to, nullptr, dim, src, index, reduce);
}

diopiError_t diopiScatterInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, int64_t dim,
                                   const diopiScalar_t* value, diopiConstTensorHandle_t index, const char* reduce) {
  TensorView to;
  DIOPI_TRY(diopi::read_tensor(input, "input", &to));
  return scatter(ctx, to, nullptr, dim, value, index, reduce);
}

diopiError_t diopiScatter(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          int64_t dim, diopiConstTensorHandle_t src, diopiConstTensorHandle_t index,
                          const char* reduce) {
  return scatter_out(ctx, out, input, dim, src, index, reduce);
}

diopiError_t diopiScatterScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                int64_t dim, const diopiScalar_t* value, diopiConstTensorHandle_t index,
                                const char* reduce) {
  return scatter_out(ctx, out, input, dim, value, index, reduce);
}

}  // namespace impl::cpu
