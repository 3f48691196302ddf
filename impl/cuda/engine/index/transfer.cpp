// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes at the places of an index.
#include <algorithm>

#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/engine/sort/order.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

namespace {

Status write_base(diopiContextHandle_t ctx, const TensorView& out, const ScatterBase& base) {
  if (base.is_zero()) return fill(ctx, out, diopiScalar_t{diopi_dtype_int64, {0}});
  return base.tensor() != nullptr ? copy(ctx, out, *base.tensor()) : Status();
}

bool is_nothing(const Places& places) {
  return places.loops.count == 0 || places.loops.slice == 0 || places.limit == 0 || diopi::in_dry_run();
}

// Makes two neighbours of a slice one element of twice the width, if all addresses allow it.
bool widen(GatherCall* call, int64_t step_bits) {
  constexpr int kMostBytes = 8;
  Loops2& slices = call->loops.slices;
  Loops1& positions = call->loops.positions;
  const auto addresses = reinterpret_cast<uintptr_t>(call->out) | reinterpret_cast<uintptr_t>(call->in);
  if (call->width >= kMostBytes || addresses % (2 * call->width) != 0 || slices.n == 0) return false;
  if (slices[0].stride[0] != 1 || slices[0].stride[1] != 1) return false;
  int64_t bits = slices[0].extent | step_bits >> call->shift;
  for (int i = 1; i < slices.n; ++i) bits |= slices[i].stride[0] | slices[i].stride[1];
  for (int i = 0; i < positions.n; ++i) bits |= positions[i].stride[0];
  if ((bits & 1) != 0) return false;
  slices[0].extent /= 2;
  for (int i = 1; i < slices.n; ++i) {
    slices[i].stride[0] /= 2;
    slices[i].stride[1] /= 2;
  }
  for (int i = 0; i < positions.n; ++i) positions[i].stride[0] /= 2;
  call->loops.slice /= 2;
  call->width *= 2;
  ++call->shift;
  return true;
}

}  // namespace

Status run_gather(diopiContextHandle_t ctx, const Places& places, const TensorView& out, const TensorView& in) {
  if (is_nothing(places)) return diopiSuccess;
  GatherCall call{};
  call.loops = places.loops;
  call.width = out.itemsize();
  call.out = out.data;
  call.in = in.data;
  call.places = places.places;
  call.none = places.none;
  while (widen(&call, places.step_bits)) {
  }
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(gather_places(stream, call), "reading through an index");
}

Status find_last(diopiContextHandle_t ctx, const Places& places, LastCall* last) {
  *last = LastCall{};
  last->count = places.loops.count;
  last->limit = places.limit;
  last->places = places.places;
  last->wide = last->count >= UINT32_MAX;
  const int64_t size = last->wide ? sizeof(uint64_t) : sizeof(uint32_t);
  DIOPI_TRY(diopi::Workspace(ctx).take_items(places.limit, size, &last->last));
  if (is_nothing(places)) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(checked(cudaMemsetAsync(last->last, 0, places.limit * size, stream), "setting memory"));
  return checked(find_last(stream, *last), "reading an index");
}

Status run_scatter(diopiContextHandle_t ctx, ScatterOp op, const Places& places, const TensorView& out,
                   const ScatterBase& base, const TensorView& src) {
  if (op == ScatterOp::kAdd) return run_combine(ctx, PlaceOp::kAdd, places, out, base, src);
  if (op == ScatterOp::kMultiply) return run_combine(ctx, PlaceOp::kMultiply, places, out, base, src);
  WriteCall call{};
  DIOPI_TRY(find_last(ctx, places, &call.last));
  DIOPI_TRY(write_base(ctx, out, base));
  if (is_nothing(places)) return diopiSuccess;
  call.loops = places.loops;
  call.targets = places.targets;
  call.width = out.itemsize();
  call.out = out.data;
  call.src = src.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(write_places(stream, call), "writing through an index");
}

Status run_combine(diopiContextHandle_t ctx, PlaceOp op, const Places& places, const TensorView& out,
                   const ScatterBase& base, const TensorView& src) {
  CombineCall call{};
  DIOPI_TRY(order_places(ctx, places, &call.order));
  DIOPI_TRY(write_base(ctx, out, base));
  if (is_nothing(places)) return diopiSuccess;
  call.loops = places.loops;
  call.targets = places.targets;
  call.op = op;
  call.limit = places.limit;
  call.out = out.data;
  call.src = src.data;
  call.places = places.places;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(combine_places(stream, out.dtype, call), "adding through an index");
}

Status order_places(diopiContextHandle_t ctx, const Places& places, const uint32_t** order) {
  KeyRows rows;
  rows.n = places.loops.count;
  // Places that are left out have the number `limit`.
  while (rows.bits < 64 && static_cast<uint64_t>(places.limit) >> rows.bits != 0) ++rows.bits;
  DIOPI_TRY(rows.reserve(ctx));
  if (!is_nothing(places)) {
    cudaStream_t stream = nullptr;
    DIOPI_TRY(stream_of(ctx, &stream));
    DIOPI_TRY(checked(keys_of_numbers(stream, places.places, rows.n, rows.wide(), rows.keys[0]), "making keys"));
    DIOPI_TRY(rows.sort(ctx));
  }
  *order = rows.order();
  return diopiSuccess;
}

}  // namespace impl::cuda
