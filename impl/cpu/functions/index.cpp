// SPDX-License-Identifier: BSD-3-Clause
// Advanced indexing, and selection by an index along one dimension.
#include <algorithm>

#include "impl/common/allocate.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/index/along_dim_long.hpp"
#include "impl/cpu/functions/index_advanced.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

namespace {

// The plan of IndexSelect and its gradient for the index engine: positions along `dim`, slices over the other
// dimensions. `whole` has the full dimension; `picked` has one entry per index.
struct Selection {
  OffsetTable table, scratch;
  IndexMap map;
  IndexSlices slices;

  Status prepare(diopiContextHandle_t ctx, const TensorView& whole, const TensorView& picked, int dim,
                 const TensorView& index) {
    const bool scalar = whole.ndim() == 0;
    const int64_t size = scalar ? 1 : whole.shape[dim], stride = scalar ? 1 : whole.stride[dim];
    map.count = index.numel;
    DIOPI_TRY(table.reserve(ctx, map.count));
    std::fill_n(table.data(), map.count, 0);
    map.table = table.data();
    map.packed_step = picked.ndim() == 0 ? 0 : picked.stride[dim];
    const int64_t* values = nullptr;
    DIOPI_TRY(packed_index(ctx, index, index.shape, &scratch, &values));
    DIOPI_TRY(add_checked_offsets(table.data(), values, map.count, index, {&whole, dim, size, stride, false}));
    for (int d = 0; d < whole.ndim(); ++d) {
      if (d != dim) slices.push_back(whole.shape[d], whole.stride[d], picked.stride[d]);
    }
    return diopiSuccess;
  }
};

// Whether `dim` has the smallest stride on both sides. Then no slice is packed, and it is faster to move single
// elements, with an index that is expanded over the other dimensions.
bool goes_by_points(const TensorView& whole, const TensorView& picked, int dim) {
  if (whole.ndim() < 2 || picked.numel < 256) return false;
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
  line.index_stride.push_back(index.ndim() == 0 ? 1 : index.stride[0]);
  line.indexed_stride.push_back(0);
  line.packed_stride.push_back(0);
  line.size = whole.shape[dim];
  line.index = index.data;
  line.is_int64 = index.dtype == diopi_dtype_int64;
  const int64_t bad = find_out_of_range(line);
  DIOPI_REQUIRE(bad < 0, diopiErrorOccurred,
                "%s holds %lld at position %lld, which is out of range [0, %lld] for dimension %d of %s of shape %s",
                index.name, static_cast<long long>(index_at(line, bad)), static_cast<long long>(bad),
                static_cast<long long>(line.size - 1), dim, whole.name, diopi::Text(whole.shape).c_str());
  *expanded = line;
  expanded->dim = dim;
  expanded->shape = picked.shape;
  expanded->indexed_stride = whole.stride;
  expanded->packed_stride = picked.stride;
  expanded->index_stride.n = picked.ndim();
  for (int d = 0; d < picked.ndim(); ++d) expanded->index_stride[d] = d == dim ? line.index_stride[0] : 0;
  return diopiSuccess;
}

// Requires that `picked` has the shape of `whole` with the extent of `dim` replaced by the number of indices.
Status check_selection(const TensorView& whole, TensorView* picked, int dim, const TensorView& index) {
  DIOPI_TRY(require_index_dtype(index));
  DIOPI_REQUIRE(index.ndim() <= 1, diopiErrorOccurred, "index has shape %s, expected one dimension",
                diopi::Text(index.shape).c_str());
  Dims expected = whole.shape;
  if (whole.ndim() > 0) expected[dim] = index.numel;
  DIOPI_REQUIRE(whole.ndim() > 0 || index.numel == 1, diopiErrorOccurred,
                "index has %lld elements, expected 1 for %s without dimensions", static_cast<long long>(index.numel),
                whole.name);
  return diopi::require_result_shape(picked, expected);
}

}  // namespace

diopiError_t diopiIndex(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                        diopiConstTensorHandle_t* indices, int64_t nums) {
  TensorView from, to;
  AdvancedIndex index;
  IndexMap map;
  IndexSlices slices;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(index.resolve(ctx, from, indices, nums));
  DIOPI_TRY(index.locate(ctx));
  DIOPI_TRY(diopi::allocate_output(ctx, "out", index.shape(), nullptr, from.dtype, out, &to));
  DIOPI_TRY(index.plan(ctx, to.stride, &map, &slices));
  gather_slices(to.data, from.data, from.itemsize(), map, slices);
  return diopiSuccess;
}

diopiError_t diopiIndexBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                diopiTensorHandle_t zeros_like_input, diopiConstTensorHandle_t* indices, int64_t nums,
                                diopiConstTensorHandle_t grad_output) {
  TensorView to, zeros, grad;
  AdvancedIndex index;
  IndexMap map;
  IndexSlices slices;
  DIOPI_TRY(diopi::read_tensor(grad_input, "grad_input", &to));
  DIOPI_TRY(diopi::read_tensor(zeros_like_input, "zeros_like_input", &zeros));
  DIOPI_TRY(diopi::read_tensor(grad_output, "grad_output", &grad));
  DIOPI_TRY(require_storage(grad));
  DIOPI_TRY(diopi::require_same_dtype(to, grad));
  DIOPI_TRY(diopi::require_same_dtype(zeros, grad));
  DIOPI_TRY(diopi::require_result_shape(&to, zeros));
  DIOPI_TRY(diopi::require_writable(to));
  DIOPI_TRY(index.resolve(ctx, to, indices, nums));
  DIOPI_TRY(diopi::require_result_shape(&grad, index.shape()));
  DIOPI_TRY(index.locate(ctx));
  DIOPI_TRY(copy_if_overlapping(ctx, to, &grad));
  DIOPI_TRY(index.plan(ctx, grad.stride, &map, &slices));
  map.long_sums = has_long_sums(to.dtype, map);
  return diopi::run_steps(
      [&] { return copy_tensor(ctx, to, zeros); },
      [&] { return accumulate_slices(ctx, Accumulate::kAdd, to.dtype, to.data, grad.data, map, slices); });
}

diopiError_t diopiIndexSelect(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                              int64_t dim, diopiConstTensorHandle_t index) {
  TensorView from, to, positions;
  Selection selection;
  int axis = 0;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(index, "index", &positions));
  DIOPI_TRY(require_storage(from));
  DIOPI_TRY(diopi::wrap_dim(dim, from, "dim", &axis));
  DIOPI_TRY(diopi::require_same_dtype(to, from));
  DIOPI_TRY(check_selection(from, &to, axis, positions));
  DIOPI_TRY(diopi::require_writable(to));
  DIOPI_TRY(copy_if_overlapping(ctx, to, &from));
  if (goes_by_points(from, to, axis) && !diopi::may_overlap(to, positions)) {
    DimIndex points;
    DIOPI_TRY(expanded_index(from, to, axis, positions, &points));
    gather_along_dim(to.data, from.data, from.itemsize(), points);
    return diopiSuccess;
  }
  DIOPI_TRY(selection.prepare(ctx, from, to, axis, positions));
  gather_slices(to.data, from.data, from.itemsize(), selection.map, selection.slices);
  return diopiSuccess;
}

diopiError_t diopiIndexSelectBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                      diopiConstTensorHandle_t grad, diopiSize_t input_sizes, int64_t dim,
                                      diopiConstTensorHandle_t index) {
  TensorView to, from, positions;
  Selection selection;
  int axis = 0;
  DIOPI_TRY(diopi::read_tensor(grad_input, "grad_input", &to));
  DIOPI_TRY(diopi::read_tensor(grad, "grad", &from));
  DIOPI_TRY(diopi::read_tensor(index, "index", &positions));
  DIOPI_TRY(require_storage(to));
  DIOPI_REQUIRE(input_sizes.len >= 0 && input_sizes.len <= diopi::kMaxDims, diopiErrorOccurred,
                "input_sizes has %lld entries; at most %d dimensions are supported",
                static_cast<long long>(input_sizes.len), diopi::kMaxDims);
  DIOPI_TRY(diopi::require_result_shape(&to, Dims(input_sizes)));
  DIOPI_TRY(diopi::wrap_dim(dim, to, "dim", &axis));
  DIOPI_TRY(diopi::require_same_dtype(from, to));
  DIOPI_TRY(check_selection(to, &from, axis, positions));
  DIOPI_TRY(diopi::require_writable(to));
  DIOPI_TRY(copy_if_overlapping(ctx, to, &from));
  const auto clear = [&]() -> Status {
    fill_zero(to);
    return diopiSuccess;
  };
  if (goes_by_points(to, from, axis) && !diopi::may_overlap(to, positions)) {
    DimIndex points;
    DIOPI_TRY(expanded_index(to, from, axis, positions, &points));
    points.long_sums = has_long_sums(to.dtype, points);
    return diopi::run_steps(
        clear, [&] { return scatter_reduce_along_dim(ctx, Accumulate::kAdd, to.dtype, to.data, from.data, points); });
  }
  DIOPI_TRY(selection.prepare(ctx, to, from, axis, positions));
  selection.map.long_sums = has_long_sums(to.dtype, selection.map);
  return diopi::run_steps(clear, [&] {
    return accumulate_slices(ctx, Accumulate::kAdd, to.dtype, to.data, from.data, selection.map, selection.slices);
  });
}

}  // namespace impl::cpu
