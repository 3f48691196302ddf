// SPDX-License-Identifier: BSD-3-Clause
// Samples of images at coordinates. A thread computes all channels of a point.
#include "impl/cuda/kernels/planes.cuh"
#include "impl/cuda/kernels/resample/cubic.cuh"
#include "impl/cuda/kernels/resample/resample.hpp"

namespace impl::cuda {

namespace {

constexpr int kGridThreads = 128;

struct Samples {
  Planes in, grid, out;  // the dimensions of the grid are [N, D, H, W, coordinates]
  int64_t kind, spatial, channels, points;
  int64_t extent[3], out_extent[3];
};

// The taps of a coordinate along one dimension: `count` positions from `first` on.
template <typename T>
struct PointTaps {
  int64_t first = 0;
  int count = 0;
  T weight[kMostTaps];

  // A coordinate this far outside, or NaN, has no taps.
  __device__ void set(Interpolation kind, T coordinate, int64_t extent) {
    const T at = ((coordinate + T(1)) * static_cast<T>(extent) - T(1)) * T(0.5);
    if (!(at >= T(-4) && at <= static_cast<T>(extent) + T(4))) return;
    const T whole = kind == Interpolation::kNearest ? rint(at) : floor(at), part = at - whole;
    first = static_cast<int64_t>(whole) - (kind == Interpolation::kCubic ? 1 : 0);
    count = kind == Interpolation::kNearest ? 1 : kind == Interpolation::kLinear ? 2 : kMostTaps;
    if (kind == Interpolation::kCubic) {
      cubic_weights(part, weight);
    } else {
      weight[0] = kind == Interpolation::kNearest ? T(1) : T(1) - part;
      weight[1] = part;
    }
  }
};

// The sum over the taps inside the image.
template <typename T>
__device__ T sample(const Samples& p, const PointTaps<T>* taps, int64_t* from) {
  const auto inside = [&](int d, int k) {
    from[2 + d] = taps[d].first + k;
    return from[2 + d] >= 0 && from[2 + d] < p.extent[d];
  };
  T sum(0);
  for (int a = 0; a < taps[0].count; ++a) {
    if (!inside(0, a)) continue;
    for (int b = 0; b < taps[1].count; ++b) {
      if (!inside(1, b)) continue;
      for (int c = 0; c < taps[2].count; ++c) {
        if (inside(2, c)) sum += p.in.read<T>(from) * (taps[0].weight[a] * taps[1].weight[b] * taps[2].weight[c]);
      }
    }
  }
  return sum;
}

template <typename T>
__global__ void sample_points(Samples p) {
  for (int64_t i = thread_item(); i < p.points; i += static_cast<int64_t>(gridDim.x) * kGridThreads) {
    int64_t item = i, to[5], from[5], at[5];
    for (int d = 2; d >= 0; --d) at[1 + d] = to[2 + d] = split_index(&item, p.out_extent[d]);
    at[0] = to[0] = from[0] = item;
    PointTaps<T> taps[3];
    for (int d = 0; d < 3; ++d) {
      at[4] = 2 - d;  // x is the first coordinate
      const bool given = at[4] < p.spatial;
      taps[d].set(given ? static_cast<Interpolation>(p.kind) : Interpolation::kNearest,
                  given ? p.grid.read<T>(at) : T(0), p.extent[d]);
    }
    for (int64_t c = 0; c < p.channels; ++c) {
      to[1] = from[1] = c;
      p.out.write(to, sample(p, taps, from));
    }
  }
}

}  // namespace

Status sample_grid(diopiContextHandle_t ctx, const GridSampling& call) {
  Samples p{};
  p.in = Planes(call.in);
  p.grid = Planes(call.grid);
  p.out = Planes(call.out);
  p.kind = static_cast<int64_t>(call.kind);
  p.spatial = call.grid.shape[4];
  p.channels = call.out.shape[1];
  p.points = call.out.numel / p.channels;
  for (int d = 0; d < 3; ++d) {
    p.extent[d] = call.in.shape[2 + d];
    p.out_extent[d] = call.out.shape[2 + d];
  }
  const auto kernel = call.out.dtype == diopi_dtype_float64 ? sample_points<double> : sample_points<float>;
  return launch_blocks(ctx, kernel, (p.points + kGridThreads - 1) / kGridThreads, kGridThreads, p);
}

}  // namespace impl::cuda
