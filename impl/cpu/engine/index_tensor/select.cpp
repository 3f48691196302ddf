// SPDX-License-Identifier: BSD-3-Clause
// Selects slices of a tensor by the indices of one dimension, and adds slices at indices.
#include <algorithm>

#include "impl/common/rules/indices.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/index/along_dim_long.hpp"
#include "impl/cpu/engine/index_tensor/selection.hpp"

namespace impl::cpu {

Status Selection::prepare(diopiContextHandle_t ctx, const TensorView& whole, const TensorView& picked, int dim,
                          const TensorView& index) {
  map.count = index.numel;
  DIOPI_TRY(table.reserve(ctx, map.count));
  map.table = table.data();
  DIOPI_TRY(packed_index(ctx, index, index.shape, &scratch, &values));
  const IndexedDim at{&whole, dim, whole.shape[dim], whole.stride[dim], false};
  DIOPI_TRY(add_checked_offsets(table.data(), values, map.count, index, at, true));
  for (int d = 0; d < whole.ndim(); ++d) {
    if (d != dim) slices.push_back(whole.shape[d], whole.stride[d], picked.stride[d < dim ? d : d + index.ndim() - 1]);
  }
  if (index.ndim() == 1) {
    map.packed_step = picked.stride[dim];
    return diopiSuccess;
  }
  diopi::Dims stride;
  for (int d = 0; d < index.ndim(); ++d) stride.push_back(picked.stride[dim + d]);
  return packed_positions(ctx, index.shape, stride, &packed, &map);
}

namespace {

// Whether `dim` has the smallest stride on both sides, or is the only dimension. Then no slice is packed, and it is
// faster to move single elements, with an index that is expanded over the other dimensions.
bool goes_by_points(const TensorView& whole, const TensorView& picked, int dim, const TensorView& index) {
  if (picked.numel < 256 || index.ndim() != 1) return false;
  for (int d = 0; d < whole.ndim(); ++d) {
    if (d == dim || whole.shape[d] == 1) continue;
    if (whole.stride[d] <= whole.stride[dim] || picked.stride[d] <= picked.stride[dim]) return false;
  }
  return true;
}

// Expands the index of a selection to one entry for every element of `picked`, and checks the range of the index.
Status expanded_index(const TensorView& whole, const TensorView& picked, int dim, const TensorView& index,
                      DimIndex* expanded) {
  DimIndex line;  // the index without expansion
  line.shape.push_back(index.numel);
  line.index_stride.push_back(index.stride[0]);
  line.indexed_stride.push_back(0);
  line.packed_stride.push_back(0);
  line.size = whole.shape[dim];
  line.index = index.data;
  line.is_int64 = index.dtype == diopi_dtype_int64;
  const int64_t bad = find_out_of_range(line);
  if (bad >= 0) return diopi::refuse_index(index, index_at(line, bad), bad, whole, dim, false);
  *expanded = line;
  expanded->dim = dim;
  expanded->shape = picked.shape;
  expanded->indexed_stride = whole.stride;
  expanded->packed_stride = picked.stride;
  expanded->index_stride.n = picked.ndim();
  for (int d = 0; d < picked.ndim(); ++d) expanded->index_stride[d] = d == dim ? line.index_stride[0] : 0;
  return diopiSuccess;
}

}  // namespace

Status select(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, int dim, const TensorView& index) {
  if (goes_by_points(in, out, dim, index)) {
    DimIndex points;
    DIOPI_TRY(expanded_index(in, out, dim, index, &points));
    gather_along_dim(out.data, in.data, in.itemsize(), points);
    return diopiSuccess;
  }
  Selection selection;
  DIOPI_TRY(selection.prepare(ctx, in, out, dim, index));
  gather_slices(out.data, in.data, in.itemsize(), selection.map, selection.slices);
  return diopiSuccess;
}

Status add_selected(diopiContextHandle_t ctx, const TensorView& out, int dim, const TensorView& src,
                    const TensorView& index) {
  const auto clear = [&] { return write_base(ctx, out, ScatterBase::zeros()); };
  if (goes_by_points(out, src, dim, index)) {
    DimIndex points;
    DIOPI_TRY(expanded_index(out, src, dim, index, &points));
    points.long_sums = has_long_sums(out.dtype, points);
    return diopi::run_steps(
        clear, [&] { return scatter_reduce_along_dim(ctx, Accumulate::kAdd, out.dtype, out.data, src.data, points); });
  }
  Selection selection;
  DIOPI_TRY(selection.prepare(ctx, out, src, dim, index));
  selection.map.long_sums = has_long_sums(out.dtype, selection.map);
  return diopi::run_steps(clear, [&] {
    return accumulate_slices(ctx, Accumulate::kAdd, out.dtype, out.data, src.data, selection.map, selection.slices);
  });
}

}  // namespace impl::cpu
