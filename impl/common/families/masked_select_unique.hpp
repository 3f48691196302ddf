// SPDX-License-Identifier: BSD-3-Clause
// Distinct elements and slices. Part of the family masked_select.
#ifndef IMPL_COMMON_FAMILIES_MASKED_SELECT_UNIQUE_HPP_
#define IMPL_COMMON_FAMILIES_MASKED_SELECT_UNIQUE_HPP_

#include "arguments/masked_select.hpp"
#include "impl/common/allocate.hpp"
#include "impl/common/engine/index.hpp"
#include "impl/common/engine/unique.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;

// The shape of the result for `count` groups.
inline Dims shape_of_groups(const TensorView& input, int dim, bool flattened, int64_t count) {
  Dims shape = input.shape;
  if (flattened || shape.n == 0) {
    shape = Dims();
    shape.push_back(count);
  } else {
    shape[dim] = count;
  }
  return shape;
}

// The slices of the input in dimension 0, or its elements in one dimension.
inline Status rows_of_input(diopiContextHandle_t ctx, int dim, bool flattened, TensorView* rows) {
  if (!flattened) {
    if (rows->ndim() == 0) *rows = rows->unsqueeze(0);
    for (int d = dim; d > 0; --d) *rows = rows->transposed(d, d - 1);
    return diopiSuccess;
  }
  if (rows->ndim() == 1) return diopiSuccess;
  if (!rows->is_contiguous()) DIOPI_TRY(replace_by_copy(ctx, rows));
  rows->shape = rows->stride = Dims();
  rows->shape.push_back(rows->numel);
  rows->stride.push_back(1);
  return diopiSuccess;
}

// The tensor of the numbers of groups as one dimension; a temporary if its elements are not packed.
inline Status line_of(diopiContextHandle_t ctx, const TensorView& indices, TensorView* line) {
  *line = indices;
  if (indices.ndim() == 1) return diopiSuccess;
  if (!indices.is_contiguous()) {
    DIOPI_TRY(diopi::make_temporary(ctx, indices.shape, indices.dtype, indices.name, line));
  }
  line->shape = line->stride = Dims();
  line->shape.push_back(indices.numel);
  line->stride.push_back(1);
  return diopiSuccess;
}

inline Status write_inverse(diopiContextHandle_t ctx, const TensorView& indices, const DistinctRows& found) {
  TensorView line;
  DIOPI_TRY(line_of(ctx, indices, &line));
  DIOPI_TRY(write_groups(ctx, line, found));
  if (line.data == indices.data) return diopiSuccess;
  line.shape = indices.shape;
  line.stride = diopi::contiguous_strides(indices.shape);
  return copy(ctx, indices, line);
}

inline Status run(diopiContextHandle_t ctx, diopi::UniqueArgs& args) {
  const bool flattened = args.dim == nullptr;
  TensorView rows = args.input;
  int dim = 0;
  if (!flattened) DIOPI_TRY(diopi::wrap_dim(*args.dim, rows, "dim", &dim));
  Dims numbered = rows.shape;
  if (!flattened && rows.ndim() > 0) {
    DIOPI_REQUIRE(rows.numel > 0 || rows.shape[dim] == 0, diopiErrorOccurred,
                  "input of shape %s has slices without elements in dimension %d, which have no order",
                  diopi::Text(rows.shape).c_str(), dim);
    numbered = Dims();
    numbered.push_back(rows.shape[dim]);
  }
  if (args.indices) {
    DIOPI_TRY(diopi::require_result_shape(&*args.indices, numbered));
    DIOPI_TRY(diopi::require_writable(*args.indices));
  }
  DistinctRows found;
  if (rows.numel > 0) {
    DIOPI_TRY(rows_of_input(ctx, dim, flattened, &rows));
    DIOPI_TRY(find_distinct(ctx, rows, &found));
  }
  diopiTensorHandle_t out_handle = nullptr, counts_handle = nullptr;
  TensorView out, counts;
  DIOPI_TRY(diopi::allocate_output(ctx, "out", shape_of_groups(args.input, dim, flattened, found.count), nullptr,
                                   args.input.dtype, &out_handle, &out));
  if (args.return_counts) {
    Dims shape;
    shape.push_back(found.count);
    DIOPI_TRY(diopi::allocate_output(ctx, "counts", shape, nullptr, diopi_dtype_int64, &counts_handle, &counts));
  }
  if (found.count > 0) {
    TensorView slices = out;
    if (!flattened) DIOPI_TRY(rows_of_input(ctx, dim, false, &slices));
    DIOPI_TRY(select(ctx, slices, rows, 0, found.firsts));
    if (args.return_counts) DIOPI_TRY(write_group_sizes(ctx, counts, found));
    if (args.indices) DIOPI_TRY(write_inverse(ctx, *args.indices, found));
  }
  *args.out = out_handle;
  if (args.return_counts) *args.counts = counts_handle;
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_MASKED_SELECT_UNIQUE_HPP_
