// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes through an index.
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/engine/words.hpp"

namespace impl::cuda {

Status write_base(diopiContextHandle_t ctx, const TensorView& out, const ScatterBase& base) {
  if (base.is_zero()) return fill(ctx, out, diopiScalar_t{diopi_dtype_int64, {0}});
  return base.tensor() != nullptr ? copy(ctx, out, *base.tensor()) : Status();
}

bool is_one_element(const TensorView& view) {
  for (int d = 0; d < view.ndim(); ++d) {
    if (view.shape[d] > 1 && view.stride[d] != 0) return false;
  }
  return view.numel > 0;
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

// Writes the base, then the only element of `src`, which may be on the host, at all positions.
Status put(diopiContextHandle_t ctx, const Places& p, const TensorView& out, const ScatterBase& base,
           const TensorView& src) {
  PutCall call{};
  DeferredCheck check;
  if (!p.is_nothing()) DIOPI_TRY(p.source(ctx, &check, &call.source));
  DIOPI_TRY(write_base(ctx, out, base));
  if (p.is_nothing()) return diopiSuccess;
  p.add_slices(&call.loops,
               [&](int d, int64_t) { return diopi::Loop<3>(p.indexed.shape[d], p.indexed.stride[d], 0, 0); });
  p.add_positions(&call.loops, [&](int d, int64_t in_source, int64_t number) {
    return diopi::Loop<3>(p.positions[d], p.direct_offset(d), in_source, number);
  });
  call.step = p.offset_step();
  call.width = out.itemsize();
  call.out = out.data;
  if (on_host(src.data)) {
    std::memcpy(call.number, src.data, call.width);
    repeat_element(call.number, call.width);
  } else {
    call.element = src.data;
  }
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(put_element(stream, call));
  return check.end();
}

// Whether one launch can replace the elements of few positions; then makes the call.
bool find_owned(const Places& p, const TensorView& out, const TensorView& src, OwnedCall* call) {
  if (p.is_listed || p.loops.count == 0 || p.loops.slice == 0 || p.place_step() != 1) return false;
  Loops2 positions{};
  for (int d = 0; d < p.positions.n; ++d) {
    if (p.direct[d] != 0) return false;
  }
  *call = OwnedCall{};
  p.add_positions(&positions, [&](int d, int64_t in_source, int64_t) {
    return diopi::Loop<2>(p.positions[d], in_source, p.position_stride[d]);
  });
  positions.merge();
  if (positions.n > 1) return false;
  p.add_slices(&call->slices, [&](int d, int64_t) {
    return diopi::Loop<2>(p.indexed.shape[d], p.indexed.stride[d], p.packed_stride[d]);
  });
  call->slices.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  call->slices.merge();
  call->count = p.loops.count;
  call->places = p.limit;
  call->index_step = positions.inner_stride(0);
  call->src_step = positions.inner_stride(1);
  call->out_step = p.offset_step();
  call->width = out.itemsize();
  call->out = out.data;
  call->src = src.data;
  return fits_owners(*call);
}

// Writes the base, then the elements.
Status replace_owned(diopiContextHandle_t ctx, const Places& p, const TensorView& out, const ScatterBase& base,
                     OwnedCall call) {
  if (diopi::in_dry_run()) return write_base(ctx, out, base);
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DeferredCheck check;
  DIOPI_TRY(p.source(ctx, &check, &call.source));
  DIOPI_TRY(write_base(ctx, out, base));
  DIOPI_TRY(replace_by_owners(stream, call));
  return check.end();
}

// Kernels read the element of `src` on the device.
Status move_to_device(diopiContextHandle_t ctx, TensorView* src) {
  if (!is_one_element(*src) || !on_host(src->data)) return diopiSuccess;
  TensorView number = *src, element;
  number.shape = number.stride = Dims();
  number.numel = 1;
  DIOPI_TRY(diopi::make_temporary(ctx, number.shape, src->dtype, src->name, &element));
  DIOPI_TRY(copy_apart(ctx, element, number));
  src->data = element.data;
  return diopiSuccess;
}

}  // namespace

Status run_scatter(diopiContextHandle_t ctx, ScatterOp op, const Places& places, const TensorView& out,
                   const ScatterBase& base, const TensorView& values) {
  const bool replaces = op == ScatterOp::kReplace;
  if (replaces && is_one_element(values) && places.has_linear_offsets()) return put(ctx, places, out, base, values);
  TensorView src = values;
  DIOPI_TRY(move_to_device(ctx, &src));
  if (!replaces) {
    const PlaceOp combine = op == ScatterOp::kAdd ? PlaceOp::kAdd : PlaceOp::kMultiply;
    return run_combine(ctx, combine, places, out, base, src);
  }
  OwnedCall owned;
  if (find_owned(places, out, src, &owned)) return replace_owned(ctx, places, out, base, owned);
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
