// SPDX-License-Identifier: BSD-3-Clause
// The gradient of the table of an embedding, and the scaling of its rows.
#include "impl/common/engine/embedding.hpp"

#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/index_tensor/selection.hpp"
#include "impl/cpu/engine/long_sum.hpp"
#include "impl/cpu/norm/renorm.hpp"

namespace impl::cpu {

namespace {

// Leaves out the rows that occur more than once, because an integer divided by their number is 0.
Status drop_shared(diopiContextHandle_t ctx, Selection* rows) {
  OffsetTable sorted;
  int64_t *const offsets = rows->table.data(), count = rows->map.count;
  DIOPI_TRY(sorted.reserve(ctx, count));
  int64_t* const first = sorted.data();
  int64_t* const last = std::copy(offsets, offsets + count, first);
  std::sort(first, last);
  for (int64_t k = 0; k < count; ++k) {
    int64_t* const at = std::lower_bound(first, last, offsets[k]);
    if (at + 1 < last && at[1] == *at) offsets[k] = -1;
  }
  return diopiSuccess;
}

}  // namespace

Status embedding_backward(diopiContextHandle_t ctx, const TensorView& out, const TensorView& grad,
                          const TensorView& index, int64_t padding_idx, bool mean) {
  Selection rows;
  DIOPI_TRY(rows.prepare(ctx, out, grad, 0, index));
  for (int64_t k = 0; padding_idx >= 0 && k < rows.map.count; ++k) {
    if (rows.values[k] == padding_idx) rows.table.data()[k] = -1;
  }
  if (mean && diopi::is_integral(out.dtype)) DIOPI_TRY(drop_shared(ctx, &rows));
  const bool means = mean && is_inexact(out.dtype);  // drop_shared serves integers; bool needs no division
  rows.map.long_sums = !means && has_long_sums(out.dtype, rows.map);
  const auto clear = [&] { return write_base(ctx, out, diopi::ScatterBase::zeros()); };
  return diopi::run_steps(clear, [&] {
    if (means) return accumulate_slice_means(ctx, out.dtype, out.data, grad.data, rows.map, rows.slices);
    return accumulate_slices(ctx, Accumulate::kAdd, out.dtype, out.data, grad.data, rows.map, rows.slices);
  });
}

Status renorm_selected(diopiContextHandle_t ctx, const TensorView& table, const TensorView& index, double max_norm,
                       double norm_type) {
  OffsetTable offsets, scratch;
  const int64_t* values = nullptr;
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
