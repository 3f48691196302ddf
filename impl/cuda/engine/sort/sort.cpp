// SPDX-License-Identifier: BSD-3-Clause
// Sorts along one dimension. A sort of the first elements of rows sorts the rows whole.
#include "impl/common/engine/sort.hpp"

#include "impl/common/engine/copy.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/sort/order.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

namespace {

SortedCall result_of(const TensorView* values, const TensorView& indices, const TensorView& in, int dim) {
  SortedCall call{};
  for (int d = in.ndim() - 1; d >= 0; --d) {
    if (d == dim || in.shape[d] == 1) continue;
    call.row_loops.push_back(in.shape[d], in.stride[d], values != nullptr ? values->stride[d] : 0, indices.stride[d]);
  }
  call.row_loops.merge();
  call.n = in.shape[dim];
  call.rows = in.numel / call.n;
  call.kept = indices.shape[dim];
  call.in_stride = in.stride[dim];
  call.values_stride = values != nullptr ? values->stride[dim] : 0;
  call.indices_stride = indices.stride[dim];
  call.width = in.itemsize();
  call.in = in.data;
  call.values = values != nullptr ? values->data : nullptr;
  call.indices = indices.data;
  call.is_int64 = indices.dtype == diopi_dtype_int64;
  return call;
}

// Makes keys, sorts them, and writes the result.
Status sort_by_keys(diopiContextHandle_t ctx, SortedCall result, const TensorView& from, int dim, bool descending) {
  KeyRows rows;
  rows.rows = result.rows;
  rows.n = result.n;
  rows.bits = 8 * from.itemsize();
  DIOPI_TRY(rows.reserve(ctx));
  if (diopi::in_dry_run()) return diopiSuccess;
  KeyCall keys{};
  keys.in_loops.push_back(from.shape[dim], from.stride[dim]);
  for (int i = 0; i < result.row_loops.n; ++i) {
    keys.in_loops.push_back(result.row_loops[i].extent, result.row_loops[i].stride[0]);
  }
  keys.numel = from.numel;
  keys.dtype = from.dtype;
  keys.descending = descending;
  keys.in = from.data;
  keys.keys = rows.keys[0];
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(checked(make_keys(stream, keys), "making keys"));
  DIOPI_TRY(rows.sort(ctx));
  result.order = rows.order();
  return checked(write_sorted(stream, result), "writing sorted elements");
}

}  // namespace

Status run_sort(diopiContextHandle_t ctx, const TensorView* values, const TensorView& indices, const TensorView& in,
                int dim, bool descending) {
  TensorView from = in;
  if (values != nullptr && diopi::may_overlap(*values, in)) {
    DIOPI_TRY(diopi::make_temporary(ctx, in.shape, in.dtype, in.name, &from));
    DIOPI_TRY(copy_apart(ctx, from, in));
  }
  const SortedCall result = result_of(values, indices, from, dim);
  if (result.n > kMostInBlock) return sort_by_keys(ctx, result, from, dim, descending);
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(sort_rows_in_blocks(stream, result, from.dtype, descending), "a sort");
}

}  // namespace impl::cuda
