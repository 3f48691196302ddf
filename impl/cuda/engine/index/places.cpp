// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/index/places.hpp"

#include "impl/common/rules/indices.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

namespace {

bool any(int) { return true; }

}  // namespace

Status Places::begin(diopiContextHandle_t ctx, PlaceKind kind, const TensorView& indexed, const bool* is_slice,
                     const Dims& packed_stride, const Dims& positions, const Dims& position_stride) {
  const auto in_slice = [is_slice](int d) { return is_slice[d]; };
  const auto in_targets = [is_slice](int d) { return !is_slice[d]; };
  loops.slices = loops_of(in_slice, indexed.shape, indexed.stride, packed_stride);
  loops.slice = loops.slices.numel();
  loops.positions = loops_of(any, positions, position_stride);
  loops.count = positions.product();
  step = indexed.stride;
  if (kind == PlaceKind::kNumbers) {
    for (int d = indexed.ndim() - 1; d >= 0; --d) {
      step[d] = limit;
      if (!is_slice[d]) limit *= indexed.shape[d];
    }
    targets = loops_of(in_targets, indexed.shape, indexed.stride);
  }
  for (int d = 0; d < indexed.ndim(); ++d) {
    if (!is_slice[d] && indexed.shape[d] > 1) step_bits |= step[d];
  }
  return diopi::Workspace(ctx).take(loops.count, &places);
}

namespace {

PlacesCall call_for(const Places& plan, const TensorView& indexed, const Dims& positions, const Dims& direct,
                    const IndexPart& part) {
  PlacesCall call{};
  call.count = plan.loops.count;
  call.positions = loops_of(any, positions, part.stride, direct);
  call.index = part.index->data;
  call.is_int64 = part.index->dtype == diopi_dtype_int64;
  call.wrap = part.wrap;
  call.size = 1;
  for (int d = part.dim + part.dims - 1; d >= part.dim; --d) {
    call.dims.push_back(indexed.shape[d], plan.step[d]);
    call.size *= indexed.shape[d];
  }
  call.dims.drop_ones();
  call.dims.merge();
  call.places = plan.places;
  return call;
}

// The error for the index at `position`, whose value is read.
Status refuse_position(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& positions,
                       const IndexPart& part, int64_t position) {
  int64_t offset = 0, rest = position;
  for (int d = positions.n - 1; d >= 0; --d) {
    offset += rest % positions[d] * part.stride[d];
    rest /= positions[d];
  }
  int64_t wide = 0;
  int32_t narrow = 0;
  const bool is_wide = part.index->dtype == diopi_dtype_int64;
  const int size = part.index->itemsize();
  DIOPI_TRY(read_back(ctx, is_wide ? static_cast<void*>(&wide) : &narrow, part.index->data + offset * size, size));
  return diopi::refuse_index(*part.index, is_wide ? wide : narrow, position, indexed, part.dim, part.wrap);
}

}  // namespace

Status Places::find(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& positions, const Dims& direct,
                    const IndexPart* parts, int count) {
  uint64_t* bad = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count, &bad));
  if (loops.count == 0 || diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  if (count == 0) return checked(cudaMemsetAsync(places, 0, loops.count * sizeof(*places), stream), "setting memory");
  DIOPI_TRY(checked(cudaMemsetAsync(bad, 0xFF, count * sizeof(*bad), stream), "setting memory"));
  for (int i = 0; i < count; ++i) {
    PlacesCall call = call_for(*this, indexed, positions, direct, parts[i]);
    call.first = i == 0;
    call.bad = bad + i;
    DIOPI_TRY(checked(find_places(stream, call), "reading an index"));
  }
  uint64_t position[diopi::kMaxDims];
  DIOPI_TRY(read_back(ctx, position, bad, static_cast<int64_t>(count * sizeof(*bad))));
  for (int i = 0; i < count; ++i) {
    if (position[i] == UINT64_MAX) continue;
    return refuse_position(ctx, indexed, positions, parts[i], static_cast<int64_t>(position[i]));
  }
  return diopiSuccess;
}

}  // namespace impl::cuda
