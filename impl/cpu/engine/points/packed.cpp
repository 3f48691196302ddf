// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/points/packed.hpp"

#include <algorithm>

#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

Status pack_planes(diopiContextHandle_t ctx, const TensorView& points, diopiDtype_t dtype, TensorView* planes) {
  return pack_input(ctx, points.transposed(points.ndim() - 2, points.ndim() - 1), dtype, planes);
}

Status PackedOutput::prepare(diopiContextHandle_t ctx, const TensorView& out, diopiDtype_t dtype) {
  out_ = view_ = out;
  if (out.dtype == dtype && out.is_contiguous()) return diopiSuccess;
  return diopi::make_temporary(ctx, out.shape, dtype, out.name, &view_);
}

Status PackedOutput::prepare_kept(diopiContextHandle_t ctx, const TensorView& out) {
  DIOPI_TRY(prepare(ctx, out, out.dtype));
  if (view_.data != out_.data) copy_view(view_, out_);
  return diopiSuccess;
}

void PackedOutput::write_back() const {
  if (view_.data != out_.data) copy_view(out_, view_);
}

Status require_positions(const TensorView& packed, const TensorView& index, const TensorView& indexed, int dim) {
  const auto* values = packed.ptr<const int32_t>();
  const auto size = static_cast<uint64_t>(indexed.shape[dim]);
  const auto outside = [size](int32_t value) { return static_cast<uint64_t>(int64_t{value}) >= size; };
  const int64_t bad = std::find_if(values, values + packed.numel, outside) - values;
  if (bad == packed.numel) return diopiSuccess;
  return diopi::refuse_index(index, values[bad], bad, indexed, dim, false);
}

Status BatchStarts::read(diopiContextHandle_t ctx, const diopi::StackedRows& stacked) {
  TensorView counts;
  int64_t* starts = nullptr;
  batches_ = stacked.counts.numel;
  DIOPI_TRY(pack_input(ctx, stacked.counts, diopi_dtype_int64, &counts));
  DIOPI_TRY(diopi::Workspace(ctx).take(batches_ + 1, &starts));
  starts[0] = 0;
  for (int64_t b = 0; b < batches_; ++b) {
    const int64_t count = counts.ptr<const int64_t>()[b];
    if (count < 0) return diopi::refuse_count(stacked.counts, count, b);
    starts[b + 1] = starts[b] + count;
  }
  starts_ = starts;
  if (starts[batches_] <= stacked.rows.shape[0]) return diopiSuccess;
  return diopi::refuse_counts(stacked.counts, starts[batches_], stacked.rows);
}

int64_t BatchStarts::batch_of(int64_t row) const {
  const int64_t* ends = starts_ + 1;
  return std::min(std::upper_bound(ends, ends + batches_, row) - ends, batches_ - 1);
}

}  // namespace impl::cpu
