// SPDX-License-Identifier: BSD-3-Clause
// The gradient of the table of an embedding, and the scaling of its rows.
#include "impl/common/engine/embedding.hpp"

#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/index/embedding.hpp"

namespace impl::cuda {

Status embedding_backward(diopiContextHandle_t ctx, const TensorView& out, const TensorView& grad,
                          const TensorView& index, int64_t padding_idx, bool mean) {
  Places places;
  DIOPI_TRY(find_slices(ctx, PlaceKind::kNumbers, out, grad, 0, index, &places));
  if (padding_idx >= 0) DIOPI_TRY(places.list(ctx));
  if (padding_idx >= 0 && places.loops.count > 0 && !diopi::in_dry_run()) {
    cudaStream_t stream = nullptr;
    DIOPI_TRY(stream_of(ctx, &stream));
    const DropCall call{places.loops.count, places.places, padding_idx, places.limit};
    DIOPI_TRY(checked(drop_place(stream, call), "leaving out an index"));
  }
  return run_combine(ctx, mean ? PlaceOp::kMean : PlaceOp::kAdd, places, out, ScatterBase::zeros(), grad);
}

Status renorm_selected(diopiContextHandle_t ctx, const TensorView& table, const TensorView& index, double max_norm,
                       double norm_type) {
  Places places;
  TensorView rows = table;  // a selection from one column: only the places are used
  rows.shape.n = rows.stride.n = 1;
  places.named = &table;
  DIOPI_TRY(find_slices(ctx, PlaceKind::kNumbers, rows, index, 0, index, &places));
  DIOPI_TRY(places.list(ctx));
  RenormCall call{};
  DIOPI_TRY(find_last(ctx, places, &call.last));
  if (places.loops.count == 0 || table.numel == 0 || diopi::in_dry_run()) return diopiSuccess;
  call.width = table.shape[1];
  call.row_stride = table.stride[0];
  call.stride = table.stride[1];
  call.max_norm = max_norm;
  call.order = norm_type;
  call.dtype = table.dtype;
  call.table = table.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(renorm_rows(stream, call), "scaling rows");
}

}  // namespace impl::cuda
