// SPDX-License-Identifier: BSD-3-Clause
// Finds distinct rows: sorts the first elements of the rows, then the rows whose first elements are equal.
#include "impl/common/engine/unique.hpp"

#include <algorithm>

#include "impl/common/engine/sort.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/unsupported.hpp"
#include "impl/cpu/sort/distinct.hpp"

namespace impl::cpu {

using diopi::Dims;

namespace {

Dims line_shape(int64_t n) {
  Dims shape;
  shape.push_back(n);
  return shape;
}

// The rows as a row-major matrix, in a dtype for which there are kernels.
Status matrix_of(diopiContextHandle_t ctx, const TensorView& rows, TensorView* matrix) {
  diopiDtype_t dtype = diopi::compute_dtype(rows.dtype);
  *matrix = rows;
  if (!rows.is_contiguous() || dtype != rows.dtype) {
    DIOPI_TRY(diopi::make_temporary(ctx, rows.shape, dtype, rows.name, matrix));
    copy_view(*matrix, rows);
  }
  if (dtype == diopi_dtype_bool) matrix->dtype = diopi_dtype_uint8;
  const int64_t n = rows.shape[0], length = rows.numel / n;
  matrix->shape = matrix->stride = Dims();
  matrix->shape.push_back(n);
  matrix->shape.push_back(length);
  matrix->stride = diopi::contiguous_strides(matrix->shape);
  return diopiSuccess;
}

}  // namespace

Status find_distinct(diopiContextHandle_t ctx, const TensorView& rows, DistinctRows* found) {
  TensorView matrix, order, begin;
  DIOPI_TRY(matrix_of(ctx, rows, &matrix));
  const DistinctKernels* kernels = distinct_kernels(matrix.dtype);
  if (kernels == nullptr) return unsupported_dtype(rows.dtype, {&rows});
  const int64_t n = matrix.shape[0];
  DIOPI_TRY(diopi::make_temporary(ctx, line_shape(n), diopi_dtype_int64, rows.name, &order));
  DIOPI_TRY(run_sort(ctx, nullptr, order, matrix.select(1, 0), 0, false));
  const SortedRows sorted_rows{matrix.data, n, matrix.shape[1], order.ptr<int64_t>()};
  if (sorted_rows.length > 1) kernels->sort_ties(sorted_rows);
  int64_t* starts = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take((n + kDistinctChunk - 1) / kDistinctChunk, &starts));
  found->count = kernels->count(sorted_rows, starts);
  DIOPI_TRY(diopi::make_temporary(ctx, line_shape(found->count + 1), diopi_dtype_int64, rows.name, &begin));
  auto* const group_begin = begin.ptr<int64_t>();
  kernels->list(sorted_rows, starts, group_begin);
  group_begin[found->count] = n;
  DIOPI_TRY(diopi::make_temporary(ctx, line_shape(found->count), diopi_dtype_int64, rows.name, &found->firsts));
  for (int64_t k = 0; k < found->count; ++k) {
    found->firsts.ptr<int64_t>()[k] = sorted_rows.order[group_begin[k]];
  }
  found->order = sorted_rows.order;
  found->starts = group_begin;
  return diopiSuccess;
}

namespace {

template <typename T>
void number_rows(const TensorView& group, const DistinctRows& found) {
  const auto* const order = static_cast<const int64_t*>(found.order);
  const auto* const starts = static_cast<const int64_t*>(found.starts);
  T* const out = group.ptr<T>();
  const int64_t stride = group.stride[0], n = group.shape[0];
  diopi::parallel_for(n, diopi::Picoseconds{2000}, [=, &found](int64_t begin, int64_t end) {
    int64_t k = std::upper_bound(starts, starts + found.count + 1, begin) - starts - 1;
    for (int64_t i = begin; i < end; ++i) {
      while (starts[k + 1] <= i) ++k;
      out[order[i] * stride] = static_cast<T>(k);
    }
  });
}

}  // namespace

Status write_groups(diopiContextHandle_t ctx, const TensorView& group, const DistinctRows& found) {
  group.dtype == diopi_dtype_int64 ? number_rows<int64_t>(group, found) : number_rows<int32_t>(group, found);
  return diopiSuccess;
}

Status write_group_sizes(diopiContextHandle_t ctx, const TensorView& size, const DistinctRows& found) {
  const auto* const starts = static_cast<const int64_t*>(found.starts);
  for (int64_t k = 0; k < found.count; ++k) size.ptr<int64_t>()[k] = starts[k + 1] - starts[k];
  return diopiSuccess;
}

}  // namespace impl::cpu
