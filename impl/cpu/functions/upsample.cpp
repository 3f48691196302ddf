// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/upsample.hpp"

#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/temporary.hpp"
#include "impl/cpu/sampling/grid_sample.hpp"
#include "impl/cpu/sampling/resample.hpp"

namespace impl::cpu {

namespace {

// Views images as [N, C, D, H, W].
TensorView as_volumes(TensorView view) {
  while (view.ndim() < 5) view = view.unsqueeze(2);
  return view;
}

Status require_narrow(const TensorView& volumes) {
  for (int dim = 2; dim < 5; ++dim) {
    DIOPI_REQUIRE(volumes.shape[dim] <= kLargestGridExtent, diopiErrorOccurred,
                  "%s has an extent of %lld, expected at most 2^30", volumes.name,
                  static_cast<long long>(volumes.shape[dim]));
  }
  return diopiSuccess;
}

Axis axis_of(const Resampling& call, const TensorView& from, const TensorView& to, int dim) {
  Axis axis;
  axis.in = from.shape[2 + dim];
  axis.out = to.shape[2 + dim];
  axis.kind = call.kind;
  axis.align_corners = call.align_corners;
  axis.apply = dim >= 3 - call.spatial;
  return axis;
}

// The tables of all dimensions.
template <typename T>
struct Tables {
  Taps<T> taps[3];
};

template <typename T>
Status make_taps(diopiContextHandle_t ctx, const Axis& axis, Taps<T>* taps) {
  const int64_t count = tap_count(axis);
  int32_t* index = nullptr;
  T* weight = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count * axis.out, &index));
  DIOPI_TRY(diopi::Workspace(ctx).take(count * axis.out, &weight));
  fill_taps(axis, index, weight);
  *taps = {axis.in, axis.out, count, false, index, weight};
  return diopiSuccess;
}

template <typename T>
Status make_adjoint_taps(diopiContextHandle_t ctx, const Axis& axis, Taps<T>* taps) {
  int64_t* used = nullptr;
  int32_t* index = nullptr;
  T* weight = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(axis.in, &used));
  const int64_t count = count_adjoint_taps(axis, used);
  const bool has_gaps = *std::min_element(used, used + axis.in) < count;
  DIOPI_TRY(diopi::Workspace(ctx).take(count * axis.in, &index));
  DIOPI_TRY(diopi::Workspace(ctx).take(count * axis.in, &weight));
  fill_adjoint_taps(axis, count, used, index, weight);
  *taps = {axis.out, axis.in, count, has_gaps, index, weight};
  return diopiSuccess;
}

template <typename T>
Status make_tables(diopiContextHandle_t ctx, const Resampling& call, bool adjoint, Tables<T>* tables) {
  const TensorView from = as_volumes(call.from), to = as_volumes(call.to);
  for (int dim = 0; dim < 3; ++dim) {
    const Axis axis = axis_of(call, from, to, dim);
    DIOPI_TRY(adjoint ? make_adjoint_taps(ctx, axis, &tables->taps[dim]) : make_taps(ctx, axis, &tables->taps[dim]));
  }
  return diopiSuccess;
}

// Divides the rows into parts, each with its own memory. The parts do not depend on the number of threads.
Status run_parts(diopiContextHandle_t ctx, const ResampleArgs& args, const ResampleWork& work, ResampleFn run) {
  constexpr int64_t kMostParts = 64, kMemory = 1 << 24, kLeastWork = 2'000'000;  // bytes, picoseconds
  const int64_t worth = work.rows * work.picoseconds / kLeastWork + 1;
  const int64_t parts =
      std::max<int64_t>(1, std::min({kMostParts, work.rows, worth, kMemory / std::max<int64_t>(work.scratch, 1)}));
  char* memory = nullptr;
  const int64_t bytes = (work.scratch + 63) / 64 * 64;
  DIOPI_TRY(diopi::Workspace(ctx).take(parts * bytes, &memory));
  diopi::parallel_for(parts, diopi::Picoseconds{work.rows / parts * work.picoseconds}, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      run(args, work.rows * part / parts, work.rows * (part + 1) / parts, memory + part * bytes);
    }
  });
  return diopiSuccess;
}

template <typename T>
Status resample(diopiContextHandle_t ctx, const Resampling& call, bool adjoint) {
  Tables<T> tables;
  DIOPI_TRY(make_tables(ctx, call, adjoint, &tables));
  const TensorView in = as_volumes(adjoint ? call.to : call.from), out = as_volumes(adjoint ? call.from : call.to);
  ResampleArgs args;
  args.in = in.data;
  args.out = out.data;
  args.images = out.shape[0];
  args.channels = out.shape[1];
  std::copy_n(in.stride.v, 5, args.in_stride);
  std::copy_n(out.stride.v, 5, args.out_stride);
  for (int dim = 0; dim < 3; ++dim) args.taps[dim] = &tables.taps[dim];
  constexpr int64_t kFewChannels = 8;
  const bool adjacent = in.stride[1] == 1 && out.stride[1] == 1 && out.shape[1] >= kFewChannels;
  if (adjacent) return run_parts(ctx, args, plan_resample_channels(in.dtype, args), resample_channels(in.dtype));
  if (has_small_planes(in.dtype, args)) {
    return run_parts(ctx, args, plan_resample_small_planes(in.dtype, args), resample_small_planes(in.dtype));
  }
  return run_parts(ctx, args, plan_resample_planes(in.dtype, args), resample_planes(in.dtype));
}

Status resample(diopiContextHandle_t ctx, const Resampling& call, bool adjoint) {
  DIOPI_TRY(require_narrow(as_volumes(call.from)));
  DIOPI_TRY(require_narrow(as_volumes(call.to)));
  DIOPI_REQUIRE(diopi::is_floating(call.from.dtype), diopiDtypeNotSupported, "%s has dtype %s", call.from.name,
                diopi::dtype_name(call.from.dtype));
  return call.from.dtype == diopi_dtype_float64 ? resample<double>(ctx, call, adjoint)
                                                : resample<float>(ctx, call, adjoint);
}

Status run_nearest(diopiContextHandle_t ctx, const Resampling& call) {
  const TensorView in = as_volumes(call.from), out = as_volumes(call.to);
  DIOPI_TRY(require_narrow(in));
  DIOPI_TRY(require_narrow(out));
  NearestArgs args;
  args.in = in.data;
  args.out = out.data;
  args.itemsize = out.itemsize();
  args.images = out.shape[0];
  args.channels = out.shape[1];
  std::copy_n(in.stride.v, 5, args.in_stride);
  std::copy_n(out.stride.v, 5, args.out_stride);
  for (int dim = 0; dim < 3; ++dim) {
    int32_t* index = nullptr;
    const int64_t extent = args.extent[dim] = out.shape[2 + dim], from = args.from[dim] = in.shape[2 + dim];
    DIOPI_TRY(diopi::Workspace(ctx).take(extent, &index));
    for (int64_t x = 0; x < extent; ++x) index[x] = static_cast<int32_t>(nearest_position(x, from, extent));
    args.index[dim] = index;
  }
  copy_nearest(args);
  return diopiSuccess;
}

// A view in float32 instead of float16 or bfloat16.
Status widened(diopiContextHandle_t ctx, const TensorView& view, bool fill, TensorView* result) {
  *result = view;
  if (!diopi::is_reduced_float(view.dtype)) return diopiSuccess;
  DIOPI_TRY(make_temporary_like(ctx, view, diopi_dtype_float32, result));
  if (fill) copy_view(*result, view);
  return diopiSuccess;
}

// Makes a temporary of float32 or float64 whose channels are adjacent, with the shape of `images`.
Status make_channels_last(diopiContextHandle_t ctx, const TensorView& images, TensorView* result) {
  diopi::Dims shape = images.shape;
  const int last = shape.n - 1;
  std::rotate(shape.v + 1, shape.v + 2, shape.v + shape.n);
  const bool is_double = images.dtype == diopi_dtype_float64;
  DIOPI_TRY(make_temporary(ctx, shape, is_double ? diopi_dtype_float64 : diopi_dtype_float32, result));
  result->name = images.name;
  for (int dim = last; dim > 1; --dim) *result = result->transposed(dim, dim - 1);
  return diopiSuccess;
}

// Whether to sample in a copy whose channels are adjacent: a point then reads vectors of channels in place of gathering
// the elements of each channel. The copy must not have more elements than are read.
bool pays_channels_last(const GridSampling& call) {
  constexpr int64_t kFewChannels = 8;
  const int64_t channels = call.in.shape[1];
  if (channels < kFewChannels || (call.in.stride[1] == 1 && call.out.stride[1] == 1)) return false;
  const int64_t taps = call.kind == Interpolation::kNearest ? 1 : call.kind == Interpolation::kLinear ? 4 : 16;
  return call.in.numel <= call.out.numel * taps;
}

// Merges dimensions [first, first + count) into one. Returns false if their elements are not evenly spaced.
bool merge(const TensorView& view, int first, int count, int64_t* stride) {
  int64_t next = 0;
  *stride = 0;
  for (int dim = first + count - 1; dim >= first; --dim) {
    if (view.shape[dim] == 1) continue;
    if (next == 0) {
      next = *stride = view.stride[dim];
    } else if (view.stride[dim] != next) {
      return false;
    }
    next *= view.shape[dim];
  }
  return true;
}

// The distance of the first and the last element of a channel.
int64_t span_of(const TensorView& volumes) {
  int64_t span = 0;
  for (int dim = 2; dim < 5; ++dim) span += (volumes.shape[dim] - 1) * volumes.stride[dim];
  return span;
}

}  // namespace

Status run_resample(diopiContextHandle_t ctx, const Resampling& call) {
  return call.kind == Interpolation::kNearest ? run_nearest(ctx, call) : resample(ctx, call, false);
}

Status run_resample_backward(diopiContextHandle_t ctx, const Resampling& call) { return resample(ctx, call, true); }

Status run_grid_sample(diopiContextHandle_t ctx, const GridSampling& call) {
  TensorView in, grid, out;
  DIOPI_TRY(widened(ctx, call.in, true, &in));
  DIOPI_TRY(widened(ctx, call.grid, true, &grid));
  DIOPI_TRY(widened(ctx, call.out, false, &out));
  if (pays_channels_last(call)) {
    const TensorView given = in;
    DIOPI_TRY(make_channels_last(ctx, given, &in));
    copy_view(in, given);
    DIOPI_TRY(make_channels_last(ctx, call.out, &out));
  }
  const int spatial = in.ndim() - 2;
  GridArgs args;
  if (!merge(out, 2, spatial, &args.out_stride[2])) {
    DIOPI_TRY(make_temporary(ctx, out.shape, out.dtype, &out));
    args.out_stride[2] = 1;
  }
  if (!merge(grid, 1, spatial, &args.grid_stride[1])) {
    const TensorView given = grid;
    DIOPI_TRY(packed_copy(ctx, given, &grid));
    args.grid_stride[1] = spatial;
  }
  TensorView volumes = as_volumes(in);
  DIOPI_TRY(require_narrow(volumes));
  if (span_of(volumes) > kLargestGridSpan) {
    DIOPI_TRY(packed_copy(ctx, in, &volumes));
    volumes = as_volumes(volumes);
    DIOPI_REQUIRE(span_of(volumes) <= kLargestGridSpan, diopiErrorOccurred,
                  "input has shape %s, expected less than 2^31 elements of a channel", diopi::Text(in.shape).c_str());
  }
  args.in = volumes.data;
  args.grid = grid.data;
  args.out = out.data;
  args.kind = call.kind;
  args.spatial = spatial;
  args.images = out.shape[0];
  args.channels = out.shape[1];
  args.points = out.numel / (out.shape[0] * out.shape[1]);
  std::copy_n(volumes.shape.v + 2, 3, args.extent);
  std::copy_n(volumes.stride.v, 5, args.in_stride);
  for (int dim = 2; dim < 5; ++dim) {
    if (volumes.shape[dim] == 1) args.in_stride[dim] = 0;  // a stride that is never used may be large
  }
  args.grid_stride[0] = grid.stride[0];
  args.grid_stride[2] = grid.stride[grid.ndim() - 1];
  args.out_stride[0] = out.stride[0];
  args.out_stride[1] = out.stride[1];
  DIOPI_REQUIRE(grid_sample(out.dtype, args), diopiDtypeNotSupported, "out has dtype %s",
                diopi::dtype_name(call.out.dtype));
  if (out.data != call.out.data) copy_view(call.out, out);
  return diopiSuccess;
}

}  // namespace impl::cpu
