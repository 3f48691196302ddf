// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes through an index.
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

Status write_base(diopiContextHandle_t ctx, const TensorView& out, const ScatterBase& base) {
  if (base.is_zero()) return fill(ctx, out, diopiScalar_t{diopi_dtype_int64, {0}});
  return base.tensor() != nullptr ? copy(ctx, out, *base.tensor()) : Status();
}

bool Places::is_nothing() const { return loops.count == 0 || loops.slice == 0 || limit == 0 || diopi::in_dry_run(); }

Status run_gather(diopiContextHandle_t ctx, const Places& p, const TensorView& out, const TensorView& in) {
  if (p.is_nothing()) return diopiSuccess;
  PickCall call{};
  DeferredCheck check;
  DIOPI_TRY(p.source(ctx, &check, &call.source));
  p.add_slices(&call.loops, [&](int d, int64_t) {
    return diopi::Loop<4>(p.indexed.shape[d], p.packed_stride[d], p.indexed.stride[d], 0, 0);
  });
  p.add_positions(&call.loops, [&](int d, int64_t in_source, int64_t number) {
    return diopi::Loop<4>(p.positions[d], p.position_stride[d], p.direct_offset(d), in_source, number);
  });
  call.step = p.offset_step();
  call.width = out.itemsize();
  call.out = out.data;
  call.in = in.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(pick_elements(stream, call));
  return check.end();
}

Status find_last(diopiContextHandle_t ctx, const Places& p, LastCall* last) {
  *last = LastCall{};
  last->count = p.loops.count;
  last->limit = p.limit;
  last->places = p.places;
  last->wide = last->count >= UINT32_MAX;
  const int64_t size = last->wide ? sizeof(uint64_t) : sizeof(uint32_t);
  DIOPI_TRY(diopi::Workspace(ctx).take_items(p.limit, size, &last->last));
  if (p.is_nothing()) return diopiSuccess;
  MarkCall call{};
  DeferredCheck check;
  DIOPI_TRY(p.source(ctx, &check, &call.source));
  p.add_positions(&call.loops, [&](int d, int64_t in_source, int64_t number) {
    return diopi::Loop<3>(p.positions[d], in_source, p.direct_place(d), number);
  });
  call.loops.merge();
  call.step = p.place_step();
  call.last = *last;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(checked(cudaMemsetAsync(last->last, 0, p.limit * size, stream), "setting memory"));
  DIOPI_TRY(mark_last(stream, call));
  return check.end();
}

namespace {

// Writes the elements of the positions that are the last of their places.
Status replace(diopiContextHandle_t ctx, const Places& p, const LastCall& last, const TensorView& out,
               const TensorView& src) {
  ReplaceCall call{};
  DIOPI_TRY(p.source(ctx, nullptr, &call.source));
  p.add_slices(&call.loops, [&](int d, int64_t) {
    return diopi::Loop<5>(p.indexed.shape[d], p.packed_stride[d], p.indexed.stride[d], 0, 0, 0);
  });
  p.add_positions(&call.loops, [&](int d, int64_t in_source, int64_t number) {
    const int64_t place = p.direct_place(d);
    return diopi::Loop<5>(p.positions[d], p.position_stride[d], p.direct_offset(d), in_source, place, number);
  });
  call.offset_step = p.offset_step();
  call.place_step = p.place_step();
  call.width = out.itemsize();
  call.out = out.data;
  call.src = src.data;
  call.last = last;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return replace_elements(stream, call);
}

}  // namespace

Status run_scatter(diopiContextHandle_t ctx, ScatterOp op, const Places& places, const TensorView& out,
                   const ScatterBase& base, const TensorView& src) {
  if (op == ScatterOp::kAdd) return run_combine(ctx, PlaceOp::kAdd, places, out, base, src);
  if (op == ScatterOp::kMultiply) return run_combine(ctx, PlaceOp::kMultiply, places, out, base, src);
  WriteCall call{};
  DIOPI_TRY(find_last(ctx, places, &call.last));
  DIOPI_TRY(write_base(ctx, out, base));
  if (places.is_nothing()) return diopiSuccess;
  if (places.has_linear_offsets()) return replace(ctx, places, call.last, out, src);
  call.loops = places.loops;
  call.targets = places.targets;
  call.width = out.itemsize();
  call.out = out.data;
  call.src = src.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(write_places(stream, call), "writing through an index");
}

}  // namespace impl::cuda
