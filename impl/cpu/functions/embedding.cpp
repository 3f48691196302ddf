// SPDX-License-Identifier: BSD-3-Clause
// Selects rows of a table by indices; and the gradient of the table.
#include <algorithm>

#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/long_sum.hpp"
#include "impl/cpu/functions/index_offsets.hpp"
#include "impl/cpu/norm/renorm.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;

namespace {

// The plan for the index engine: positions are the indices, in `rows` of shape indices.shape + [width]; slices are the
// rows of `table`.
struct RowMap {
  OffsetTable offsets, packed, scratch;
  IndexMap map;
  IndexSlices slices;
  const int64_t* values = nullptr;

  Status prepare(diopiContextHandle_t ctx, const TensorView& table, const TensorView& rows, const TensorView& indices) {
    const int n = indices.ndim();
    map.count = indices.numel;
    DIOPI_TRY(offsets.reserve(ctx, map.count));
    std::fill_n(offsets.data(), map.count, 0);
    map.table = offsets.data();
    DIOPI_TRY(packed_index(ctx, indices, indices.shape, &scratch, &values));
    const IndexedDim at{&table, 0, table.shape[0], table.stride[0], false};
    DIOPI_TRY(add_checked_offsets(offsets.data(), values, map.count, indices, at));
    Dims stride = rows.stride;
    stride.n = n;
    DIOPI_TRY(packed_positions(ctx, indices.shape, stride, &packed, &map));
    slices.push_back(table.shape[1], table.stride[1], rows.stride[n]);
    return diopiSuccess;
  }

  // Leaves out the rows that occur more than once, because an integer divided by their number is 0.
  Status drop_shared(diopiContextHandle_t ctx) {
    OffsetTable sorted;
    DIOPI_TRY(sorted.reserve(ctx, map.count));
    int64_t* const first = sorted.data();
    int64_t* const last = std::copy(offsets.data(), offsets.data() + map.count, first);
    std::sort(first, last);
    for (int64_t k = 0; k < map.count; ++k) {
      int64_t* const at = std::lower_bound(first, last, offsets.data()[k]);
      if (at + 1 < last && at[1] == *at) offsets.data()[k] = -1;
    }
    return diopiSuccess;
  }
};

// Requires that `table` has two dimensions, and `rows` the shape of `indices` followed by the width of the table.
Status check_rows(const TensorView& table, const TensorView& rows, const TensorView& indices) {
  DIOPI_TRY(require_index_dtype(indices));
  DIOPI_REQUIRE(table.ndim() == 2, diopiErrorOccurred, "%s has shape %s, expected two dimensions", table.name,
                diopi::Text(table.shape).c_str());
  DIOPI_REQUIRE(indices.ndim() < diopi::kMaxDims, diopiErrorOccurred,
                "indices has %d dimensions; at most %d are supported", indices.ndim(), diopi::kMaxDims - 1);
  Dims expected = indices.shape;
  expected.push_back(table.shape[1]);
  return diopi::require_shape(rows, expected);
}

}  // namespace

diopiError_t diopiEmbedding(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t weight,
                            diopiConstTensorHandle_t indices, int64_t padding_idx, bool scale_grad_byfreq,
                            bool sparse) {
  TensorView table, to, index;
  RowMap rows;
  DIOPI_TRY(diopi::read_tensor(weight, "weight", &table));
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(indices, "indices", &index));
  DIOPI_TRY(require_storage(table));
  DIOPI_TRY(diopi::require_same_dtype(to, table));
  DIOPI_TRY(check_rows(table, to, index));
  DIOPI_TRY(diopi::require_writable(to));
  DIOPI_TRY(copy_if_overlapping(ctx, to, &table));
  DIOPI_TRY(rows.prepare(ctx, table, to, index));
  gather_slices(to.data, table.data, table.itemsize(), rows.map, rows.slices);
  return diopiSuccess;
}

diopiError_t diopiEmbeddingBackward(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t grad,
                                    diopiConstTensorHandle_t indices, int64_t num_weights, int64_t padding_idx,
                                    bool scale_grad_byfreq, bool sparse) {
  TensorView to, from, index;
  RowMap rows;
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(grad, "grad", &from));
  DIOPI_TRY(diopi::read_tensor(indices, "indices", &index));
  DIOPI_TRY(require_storage(to));
  DIOPI_TRY(diopi::require_same_dtype(from, to));
  DIOPI_TRY(check_rows(to, from, index));
  DIOPI_REQUIRE(to.shape[0] == num_weights, diopiErrorOccurred, "out has shape %s, but num_weights = %lld",
                diopi::Text(to.shape).c_str(), static_cast<long long>(num_weights));
  DIOPI_TRY(diopi::require_writable(to));
  DIOPI_TRY(copy_if_overlapping(ctx, to, &from));
  DIOPI_TRY(rows.prepare(ctx, to, from, index));
  for (int64_t k = 0; padding_idx >= 0 && k < rows.map.count; ++k) {
    if (rows.values[k] == padding_idx) rows.offsets.data()[k] = -1;
  }
  if (scale_grad_byfreq && diopi::is_integral(to.dtype)) DIOPI_TRY(rows.drop_shared(ctx));
  const bool means = scale_grad_byfreq && is_inexact(to.dtype);  // drop_shared serves integers; bool needs no division
  rows.map.long_sums = !means && has_long_sums(to.dtype, rows.map);
  const auto clear = [&]() -> Status {
    fill_zero(to);
    return diopiSuccess;
  };
  return diopi::run_steps(clear, [&] {
    if (means) return accumulate_slice_means(ctx, to.dtype, to.data, from.data, rows.map, rows.slices);
    return accumulate_slices(ctx, Accumulate::kAdd, to.dtype, to.data, from.data, rows.map, rows.slices);
  });
}

diopiError_t diopiEmbeddingRenorm_(diopiContextHandle_t ctx, diopiTensorHandle_t inout,
                                   diopiConstTensorHandle_t indices, double max_norm, double norm_type) {
  TensorView table, index;
  OffsetTable offsets, scratch;
  const int64_t* values = nullptr;
  DIOPI_TRY(diopi::read_tensor(inout, "inout", &table));
  DIOPI_TRY(diopi::read_tensor(indices, "indices", &index));
  DIOPI_TRY(require_index_dtype(index));
  DIOPI_REQUIRE(diopi::is_floating(table.dtype), diopiDtypeNotSupported,
                "inout has dtype %s, expected float16, bfloat16, float32 or float64", diopi::dtype_name(table.dtype));
  DIOPI_REQUIRE(table.ndim() == 2, diopiErrorOccurred, "inout has shape %s, expected two dimensions",
                diopi::Text(table.shape).c_str());
  DIOPI_TRY(diopi::require_writable(table));
  DIOPI_TRY(offsets.reserve(ctx, index.numel));
  std::fill_n(offsets.data(), index.numel, 0);
  DIOPI_TRY(packed_index(ctx, index, index.shape, &scratch, &values));
  const IndexedDim at{&table, 0, table.shape[0], table.stride[0], false};
  DIOPI_TRY(add_checked_offsets(offsets.data(), values, index.numel, index, at));
  // Each row is scaled only once, even if several indices select it.
  std::sort(offsets.data(), offsets.data() + index.numel);
  const int64_t rows = std::unique(offsets.data(), offsets.data() + index.numel) - offsets.data();
  renorm_rows(table.dtype, table.data, offsets.data(), rows, table.shape[1], table.stride[1], max_norm, norm_type);
  return diopiSuccess;
}

}  // namespace impl::cpu
