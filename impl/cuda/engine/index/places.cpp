// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/index/places.hpp"

#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/index_refusal.hpp"

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
    none = limit;
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
  call.none = plan.none;
  return call;
}

}  // namespace

Status Places::find(diopiContextHandle_t ctx, const TensorView& indexed, const Dims& positions, const Dims& direct,
                    const IndexPart* parts, int count) {
  if (loops.count == 0 || diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  if (count == 0) return checked(cudaMemsetAsync(places, 0, loops.count * sizeof(*places), stream), "setting memory");
  DeferredCheck checks[diopi::kMaxDims];
  for (int i = 0; i < count; ++i) {
    const IndexRefusal refusal(*parts[i].index, indexed, parts[i].dim, parts[i].wrap);
    DIOPI_TRY(checks[i].begin(ctx, Refusal(refusal)));
  }
  for (int i = 0; i < count; ++i) {
    PlacesCall call = call_for(*this, indexed, positions, direct, parts[i]);
    call.first = i == 0;
    call.bad = checks[i].bad();
    DIOPI_TRY(checked(find_places(stream, call), "reading an index"));
  }
  for (int i = 0; i < count; ++i) DIOPI_TRY(checks[i].end());
  return diopiSuccess;
}

}  // namespace impl::cuda
