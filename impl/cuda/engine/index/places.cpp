// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/index/places.hpp"

#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/index_refusal.hpp"

namespace impl::cuda {

namespace {

bool any(int) { return true; }

}  // namespace

void Places::begin(PlaceKind place_kind, const TensorView& tensor, const bool* slices, const Dims& slice_stride,
                   const Dims& shape, const Dims& stride) {
  kind = place_kind;
  indexed = tensor;
  std::copy_n(slices, indexed.ndim(), is_slice);
  packed_stride = slice_stride;
  positions = shape;
  position_stride = stride;
  const auto in_slice = [slices](int d) { return slices[d]; };
  const auto in_targets = [slices](int d) { return !slices[d]; };
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
}

namespace {

PlacesCall call_for(const Places& plan, const Dims& direct, const IndexPart& part) {
  PlacesCall call{};
  call.count = plan.loops.count;
  call.positions = loops_of(any, plan.positions, part.stride, direct);
  call.index = part.index->data;
  call.is_int64 = part.index->dtype == diopi_dtype_int64;
  call.wrap = part.wrap;
  call.size = 1;
  for (int d = part.dim + part.dims - 1; d >= part.dim; --d) {
    call.dims.push_back(plan.indexed.shape[d], plan.step[d]);
    call.size *= plan.indexed.shape[d];
  }
  call.dims.drop_ones();
  call.dims.merge();
  call.none = plan.none;
  return call;
}

IndexRefusal refusal_of(const Places& plan, const IndexPart& part) {
  return IndexRefusal(*part.index, plan.named != nullptr ? *plan.named : plan.indexed, part.dim, part.wrap);
}

// Whether the elements of an index are steps of one length, in the indexed tensor and in the places.
bool find_steps(Places* plan, const IndexPart& part) {
  Loops2 dims{};
  for (int d = part.dim + part.dims - 1; d >= part.dim; --d) {
    dims.push_back(plan->indexed.shape[d], plan->indexed.stride[d], plan->step[d]);
  }
  dims.drop_ones();
  dims.merge();
  if (dims.n > 1) return false;
  plan->index_offset = dims.inner_stride(0);
  plan->index_place = dims.inner_stride(1);
  return true;
}

}  // namespace

int64_t Places::offset_step() const {
  if (!is_listed) return index_offset;
  return kind == PlaceKind::kOffsets ? 1 : targets.inner_stride();
}

Status Places::take_list(diopiContextHandle_t ctx) {
  is_listed = true;
  return diopi::Workspace(ctx).take(loops.count, &places);
}

Status Places::list(diopiContextHandle_t ctx) {
  if (is_listed) return diopiSuccess;
  DIOPI_TRY(take_list(ctx));
  if (loops.count == 0 || diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DeferredCheck check;
  DIOPI_TRY(check.begin(ctx, *refusal));
  PlacesCall call = one;
  call.first = true;
  call.places = places;
  call.bad = check.bad();
  DIOPI_TRY(checked(find_places(stream, call), "reading an index"));
  return check.end();
}

Status Places::find(diopiContextHandle_t ctx, const Dims& direct_steps, const IndexPart* parts, int count) {
  direct = direct_steps;
  if (count == 1 && find_steps(this, parts[0])) {
    one = call_for(*this, direct, parts[0]);
    refusal.emplace(refusal_of(*this, parts[0]));
    index_stride = parts[0].stride;
    // Only a list is checked before the first write. The others are checked by the kernels that read or write at the
    // places, which do not run if there are no elements.
    const bool is_read = one.size > 0 && loops.slice > 0;
    return checks_wait() || !is_read ? list(ctx) : Status(diopiSuccess);
  }
  DIOPI_TRY(take_list(ctx));
  if (loops.count == 0 || diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  if (count == 0) return checked(cudaMemsetAsync(places, 0, loops.count * sizeof(*places), stream), "setting memory");
  DeferredCheck checks[diopi::kMaxDims];
  for (int i = 0; i < count; ++i) DIOPI_TRY(checks[i].begin(ctx, Refusal(refusal_of(*this, parts[i]))));
  for (int i = 0; i < count; ++i) {
    PlacesCall call = call_for(*this, direct, parts[i]);
    call.first = i == 0;
    call.places = places;
    call.bad = checks[i].bad();
    DIOPI_TRY(checked(find_places(stream, call), "reading an index"));
  }
  for (int i = 0; i < count; ++i) DIOPI_TRY(checks[i].end());
  return diopiSuccess;
}

Status Places::source(diopiContextHandle_t ctx, DeferredCheck* check, IndexSource* source) const {
  *source = IndexSource{};
  if (is_listed) {  // places that are none are out of range
    source->index = places;
    source->is_int64 = 1;
    source->least = kind == PlaceKind::kNumbers ? 0 : none + 1;
    source->size = kind == PlaceKind::kNumbers ? limit : INT64_MAX;
    return diopiSuccess;
  }
  source->least = 0;
  source->index = one.index;
  source->is_int64 = one.is_int64 ? 1 : 0;
  source->wrap = one.wrap ? 1 : 0;
  source->size = one.size;
  if (check == nullptr) return diopiSuccess;
  DIOPI_TRY(check->begin(ctx, *refusal));
  source->bad = check->bad();
  return diopiSuccess;
}

}  // namespace impl::cuda
