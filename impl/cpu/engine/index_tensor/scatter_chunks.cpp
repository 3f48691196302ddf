// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index_tensor/scatter_chunks.hpp"

#include <algorithm>

#include "impl/common/openmp.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/index_tensor/point_map.hpp"
#include "impl/cpu/engine/index/scatter_reduce_1d.hpp"
#include "impl/cpu/engine/long_sum.hpp"

namespace impl::cpu {

using diopi::ScatterOp;
using diopi::Status;
using diopi::TensorView;

namespace {

constexpr int64_t kLineChunk = 4096;

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

// Whether `line` takes the values. It passes over them twice, and a thread reads what the others have written, so a few
// threads gain nothing: on a Zen 4, two of them take 1.5 to 3 times as long as one without it.
bool suits_line(const TensorView& source, const TensorView& index) {
  constexpr int kFewestThreads = 4;
  return omp_get_max_threads() >= kFewestThreads && index.stride[0] == 1 && source.stride[0] == 1;
}

// Writes or accumulates chunks of the index. A copy of the line is restored if an index is out of range.
Status combine_chunks(diopiContextHandle_t ctx, ScatterOp op, const TensorView& to, const TensorView& source,
                      const TensorView& index) {
  TensorView kept;
  ScatterReduce1d line;
  DIOPI_TRY(packed_copy(ctx, to, &kept));
  if (op != ScatterOp::kReplace && suits_line(source, index)) {
    const bool is_int64 = index.dtype == diopi_dtype_int64;
    DIOPI_TRY(line.prepare(ctx, accumulation(op), to.dtype, to.data, to.numel, to.stride[0] * to.itemsize(), is_int64));
  }
  const Status done = for_chunks(ctx, to, source, index, line, [&](const PointMap& points, const char* values) {
    return points.scatter(ctx, op, to, values);
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
  if (suits_line(source, index)) {
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

}  // namespace

bool scatters_by_chunks(const TensorView& to, const TensorView& index) {
  return index.ndim() == 1 && to.ndim() == 1 && index.numel >= 16 * kLineChunk && to.numel <= index.numel / 8 &&
         !diopi::is_reduced_float(to.dtype);
}

Status scatter_chunks(diopiContextHandle_t ctx, ScatterOp op, const TensorView& to, const TensorView& source,
                      const TensorView& index) {
  return op == ScatterOp::kAdd && is_inexact(to.dtype) ? add_long_chunks(ctx, to, source, index)
                                                       : combine_chunks(ctx, op, to, source, index);
}

}  // namespace impl::cpu
