// SPDX-License-Identifier: BSD-3-Clause
// Samples of images at coordinates. A thread computes some channels of a point.
#include "impl/cuda/kernels/planes.cuh"
#include "impl/cuda/kernels/resample/cubic.cuh"
#include "impl/cuda/kernels/resample/resample.hpp"
#include "impl/cuda/kernels/rounded.cuh"

namespace impl::cuda {

namespace {

constexpr int kGridThreads = 128;
constexpr int kTogether = 3;  // channels of a point that are computed together, as images of colours have

template <class View>
struct Samples {
  using Index = typename View::Index;
  View in, grid, out;            // the dimensions of the grid are [N, D, H, W, coordinates]
  Index points, channels, each;  // a thread computes up to `each` channels
  Index extent[3];
  DividerOf<Index> out_extent[3];
};

// The position in the image. The formula loses digits where the position is near 0. A fused multiply-add would lose
// other digits than the CPU, and move the point by more than the weights are rounded.
template <typename T>
__device__ T pixel(T coordinate, T extent) {
  using Number = Rounded<T>;
  return (((Number{coordinate} + Number{T(1)}) * Number{extent} - Number{T(1)}) * Number{T(0.5)}).v;
}

constexpr int taps_of(Interpolation kind) {
  return kind == Interpolation::kNearest ? 1 : kind == Interpolation::kLinear ? 2 : kMostTaps;
}

// The taps of a coordinate along one dimension: their offsets, and which of them are inside the image.
template <typename T, typename Index, Interpolation kKind>
struct PointTaps {
  static constexpr int kTaps = taps_of(kKind);
  Index offset[kTaps];
  T weight[kTaps];
  bool inside[kTaps];

  // A coordinate this far outside, or NaN, has no taps inside.
  __device__ void set(T coordinate, Index extent, Index stride) {
    T at = pixel(coordinate, static_cast<T>(extent));
    if (!(at >= T(-4) && at <= static_cast<T>(extent) + T(4))) at = T(-4);
    const T whole = kKind == Interpolation::kNearest ? rint(at) : floor(at), part = at - whole;
    const Index first = static_cast<Index>(whole) - (kKind == Interpolation::kCubic ? 1 : 0);
    DIOPI_UNROLL
    for (int k = 0; k < kTaps; ++k) {
      offset[k] = (first + k) * stride;
      inside[k] = first + k >= 0 && first + k < extent;
    }
    if constexpr (kKind == Interpolation::kNearest) weight[0] = T(1);
    if constexpr (kKind == Interpolation::kLinear) weight[0] = T(1) - part, weight[1] = part;
    if constexpr (kKind == Interpolation::kCubic) cubic_weights(part, weight);
  }
};

// The sums over the taps inside the image, for some channels whose loads do not wait for each other. A tap outside adds
// 0. Without a depth, the first dimension has the single position 0.
template <int kCount, typename T, class View, class Depth, class Taps, typename Index = typename View::Index>
__device__ void sample(const View& in, Index base, const Depth& z, const Taps& y, const Taps& x, T (&sum)[kCount]) {
  DIOPI_UNROLL
  for (int a = 0; a < Depth::kTaps; ++a) {
    DIOPI_UNROLL
    for (int b = 0; b < Taps::kTaps; ++b) {
      T value[Taps::kTaps][kCount];
      DIOPI_UNROLL
      for (int c = 0; c < Taps::kTaps; ++c) {
        const bool inside = z.inside[a] && y.inside[b] && x.inside[c];
        const Index at = base + z.offset[a] + y.offset[b] + x.offset[c];
        DIOPI_UNROLL
        for (int j = 0; j < kCount; ++j) value[c][j] = inside ? in.template read<T>(at + j * in.stride[1]) : T(0);
      }
      DIOPI_UNROLL
      for (int c = 0; c < Taps::kTaps; ++c) {
        const T weight = z.weight[a] * y.weight[b] * x.weight[c];
        DIOPI_UNROLL
        for (int j = 0; j < kCount; ++j) sum[j] += value[c][j] * weight;
      }
    }
  }
}

template <class View, typename T, Interpolation kKind, bool kVolume>
__global__ void __launch_bounds__(kGridThreads) sample_points(Samples<View> p) {
  using Index = typename View::Index;
  const int64_t item = thread_item();
  if (item >= p.points) return;
  Index rest = static_cast<Index>(item);
  const Index x = p.out_extent[2].split(&rest), y = p.out_extent[1].split(&rest), z = p.out_extent[0].split(&rest);
  const Index at = rest * p.grid.stride[0] + z * p.grid.stride[1] + y * p.grid.stride[2] + x * p.grid.stride[3];
  const auto coordinate = [&](int k) { return p.grid.template read<T>(at + k * p.grid.stride[4]); };
  PointTaps<T, Index, kKind> column, row;
  PointTaps<T, Index, kVolume ? kKind : Interpolation::kNearest> depth;
  column.set(coordinate(0), p.extent[2], p.in.stride[4]);
  row.set(coordinate(1), p.extent[1], p.in.stride[3]);
  depth.set(kVolume ? coordinate(2) : T(0), p.extent[0], p.in.stride[2]);
  const Index first = static_cast<Index>(blockIdx.y) * p.each;
  const Index end = p.channels - first < p.each ? p.channels : first + p.each;
  Index from = rest * p.in.stride[0] + first * p.in.stride[1];
  Index to = rest * p.out.stride[0] + first * p.out.stride[1] + z * p.out.stride[2] + y * p.out.stride[3] +
             x * p.out.stride[4];
  const auto write = [&](auto count) {
    T sum[decltype(count)::value] = {};
    sample(p.in, from, depth, row, column, sum);
    DIOPI_UNROLL
    for (int j = 0; j < decltype(count)::value; ++j) p.out.write(to + j * p.out.stride[1], sum[j]);
    from += decltype(count)::value * p.in.stride[1];
    to += decltype(count)::value * p.out.stride[1];
  };
  Index c = first;
  for (; c + kTogether <= end; c += kTogether) write(std::integral_constant<int, kTogether>{});
  for (; c < end; ++c) write(std::integral_constant<int, 1>{});
}

template <class View, typename T>
auto kernel_for(Interpolation kind, bool volume) {
  if (kind == Interpolation::kCubic) return sample_points<View, T, Interpolation::kCubic, false>;
  if (kind == Interpolation::kNearest) {
    return volume ? sample_points<View, T, Interpolation::kNearest, true>
                  : sample_points<View, T, Interpolation::kNearest, false>;
  }
  return volume ? sample_points<View, T, Interpolation::kLinear, true>
                : sample_points<View, T, Interpolation::kLinear, false>;
}

template <class View, typename T>
Status run(diopiContextHandle_t ctx, const GridSampling& call) {
  constexpr int64_t kWantedBlocks = 2048, kMostRows = 65535;
  using Index = typename View::Index;
  if (diopi::in_dry_run()) return diopiSuccess;
  Samples<View> p{};
  p.in = View(call.in);
  p.grid = View(call.grid);
  p.out = View(call.out);
  const int64_t channels = call.out.shape[1], points = call.out.numel / channels;
  const int64_t blocks = (points + kGridThreads - 1) / kGridThreads;
  const int64_t rows = std::min({channels, kMostRows, std::max<int64_t>(1, kWantedBlocks / blocks)});
  p.points = static_cast<Index>(points);
  p.channels = static_cast<Index>(channels);
  p.each = static_cast<Index>((channels + rows - 1) / rows);
  for (int d = 0; d < 3; ++d) {
    p.extent[d] = static_cast<Index>(call.in.shape[2 + d]);
    p.out_extent[d] = DividerOf<Index>(call.out.shape[2 + d]);
  }
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>((channels + p.each - 1) / p.each));
  const auto kernel = kernel_for<View, T>(call.kind, call.grid.shape[4] == 3);
  return checked(launch(kernel, grid, dim3(kGridThreads), 0, stream, p), "a launch");
}

}  // namespace

Status sample_grid(diopiContextHandle_t ctx, const GridSampling& call) {
  const bool typed = fits_32_bits(call.in) && fits_32_bits(call.grid) && fits_32_bits(call.out);
  return with_typed(
      call.out.dtype, typed,
      [&](auto tag) -> Status {
        using S = diopi::tagged<decltype(tag)>;
        return run<TypedPlanes<S>, std::conditional_t<std::is_same_v<S, double>, double, float>>(ctx, call);
      },
      [&] {
        return call.out.dtype == diopi_dtype_float64 ? run<Planes, double>(ctx, call) : run<Planes, float>(ctx, call);
      });
}

}  // namespace impl::cuda
