// SPDX-License-Identifier: BSD-3-Clause
// Interpolation without tables, for the usual dtypes and for numbers of 32 bits. A thread computes the taps of a
// position, and uses them for several channels.
#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/cuda/kernels/resample/axis.cuh"
#include "impl/cuda/kernels/resample/planes.hpp"

namespace impl::cuda {

namespace {

constexpr int kPlaneThreads = 128;
constexpr int64_t kMostRows = 65535;                // of a grid
constexpr int64_t kFewElements = int64_t{1} << 18;  // whose threads compute one channel each

// `in` is read, and `out` written: images of the output and of the input in the adjoint. blockIdx.z is the sample.
template <typename S, typename T, Interpolation kKind>
struct PlanesCall {
  using View = TypedPlanes<S>;
  Axis<T, kKind> axis[3];
  View in, out;
  DividerOf<int32_t> extent[3];     // of `out`
  DividerOf<int32_t> inner;         // channels of adjacent threads: 1 if threads lie along the positions
  int32_t channels, each, threads;  // a thread computes up to `each` channels
};

// What a thread computes: positions in `out`, and channels.
struct PlanesItem {
  int32_t at[3], first, end;

  template <class Call>
  __device__ bool set(const Call& p) {
    const int64_t item = thread_item();
    if (item >= p.threads) return false;
    auto rest = static_cast<int32_t>(item);
    const int32_t channel = p.inner.split(&rest);
    for (int d = 2; d > 0; --d) at[d] = p.extent[d].split(&rest);
    at[0] = rest;
    first = channel + static_cast<int32_t>(blockIdx.y) * p.each;
    end = p.channels - first < p.each ? p.channels : first + p.each;
    return true;
  }
  // The offset of channel 0.
  template <class View>
  __device__ int32_t offset(const View& view) const {
    int32_t result = static_cast<int32_t>(blockIdx.z) * view.stride[0];
    for (int d = 0; d < 3; ++d) result += at[d] * view.stride[2 + d];
    return result;
  }
};

// The taps of a position along one dimension, as offsets. Dimensions that stay as they are have one tap.
template <typename T, int kTaps>
struct Taps {
  int32_t offset[kTaps] = {};
  T weight[kTaps] = {};

  template <class A>
  __device__ void set(const A& axis, int32_t x, int32_t stride) {
    axis.taps(x, offset, weight);
    DIOPI_UNROLL
    for (int k = 0; k < kTaps; ++k) offset[k] *= stride;
  }
};

// Adds values, which are in a row if kTaps is 1.
template <typename T, int kTaps, class F>
__device__ T weighted(const Taps<T, kTaps>& taps, const F& value) {
  T sum(0);
  DIOPI_UNROLL
  for (int k = 0; k < kTaps; ++k) sum += taps.weight[k] * value(taps.offset[k]);
  return sum;
}
template <typename T, class F>
__device__ T weighted(const Taps<T, 1>& /*taps*/, const F& value) {
  return value(0);
}

// Calls f(the number of channels, the first channel) for the channels of a thread: for kEach together, the last ones
// one by one. f.operator() is a template of the number.
template <int kEach, class F>
__device__ void for_channels(const PlanesItem& item, const F& f) {
  int32_t c = item.first;
  for (; c + kEach <= item.end; c += kEach) f(std::integral_constant<int, kEach>{}, c);
  for (; c < item.end && kEach > 1; ++c) f(std::integral_constant<int, 1>{}, c);
}

// kSpatial: the dimensions, the last ones, that are interpolated. kEach channels are loaded before they are written.
template <typename S, typename T, Interpolation kKind, int kSpatial, int kEach>
__global__ void __launch_bounds__(kPlaneThreads) interpolate_planes(PlanesCall<S, T, kKind> p) {
  constexpr int kTaps = taps_of(kKind);
  PlanesItem item{};
  if (!item.set(p)) return;
  Taps<T, kSpatial >= 3 ? kTaps : 1> depth;
  Taps<T, kSpatial >= 2 ? kTaps : 1> row;
  Taps<T, kTaps> column;
  if constexpr (kSpatial >= 3) depth.set(p.axis[0], item.at[0], p.in.stride[2]);
  if constexpr (kSpatial >= 2) row.set(p.axis[1], item.at[1], p.in.stride[3]);
  column.set(p.axis[2], item.at[2], p.in.stride[4]);
  const int32_t from = static_cast<int32_t>(blockIdx.z) * p.in.stride[0], to = item.offset(p.out);
  for_channels<kEach>(item, [&](auto count, int32_t c) {
    constexpr int kCount = decltype(count)::value;
    T result[kCount];
    DIOPI_UNROLL
    for (int j = 0; j < kCount; ++j) {
      const int32_t base = from + (c + j) * p.in.stride[1];
      result[j] = weighted(depth, [&](int32_t z) {
        return weighted(row, [&](int32_t y) {
          return weighted(column, [&](int32_t x) { return p.in.template read<T>(base + z + y + x); });
        });
      });
    }
    DIOPI_UNROLL
    for (int j = 0; j < kCount; ++j) p.out.write(to + (c + j) * p.out.stride[1], result[j]);
  });
}

// Copies the nearest elements, whatever their dtype.
template <typename W, int kEach>
__global__ void __launch_bounds__(kPlaneThreads) copy_nearest(PlanesCall<W, float, Interpolation::kNearest> p) {
  PlanesItem item{};
  if (!item.set(p)) return;
  int32_t from = static_cast<int32_t>(blockIdx.z) * p.in.stride[0];
  for (int d = 0; d < 3; ++d) from += p.axis[d].nearest(item.at[d]) * p.in.stride[2 + d];
  const int32_t to = item.offset(p.out);
  for_channels<kEach>(item, [&](auto count, int32_t c) {
    constexpr int kCount = decltype(count)::value;
    W word[kCount];
    DIOPI_UNROLL
    for (int j = 0; j < kCount; ++j) word[j] = p.in.data[from + (c + j) * p.in.stride[1]];
    DIOPI_UNROLL
    for (int j = 0; j < kCount; ++j) p.out.data[to + (c + j) * p.out.stride[1]] = word[j];
  });
}

// The adjoint of the nearest elements: each output position that reads an input position is one of a block of them.
template <typename S, typename T, int kEach>
__global__ void __launch_bounds__(kPlaneThreads) add_nearest(PlanesCall<S, T, Interpolation::kNearest> p) {
  PlanesItem item{};
  if (!item.set(p)) return;
  int32_t begin[3], end[3];
  DIOPI_UNROLL
  for (int d = 0; d < 3; ++d) p.axis[d].outputs(item.at[d], &begin[d], &end[d]);
  const int32_t from = static_cast<int32_t>(blockIdx.z) * p.in.stride[0], to = item.offset(p.out);
  for_channels<kEach>(item, [&](auto count, int32_t c) {
    constexpr int kCount = decltype(count)::value;
    T sum[kCount] = {};
    for (int32_t z = begin[0]; z < end[0]; ++z) {
      for (int32_t y = begin[1]; y < end[1]; ++y) {
        const int32_t base = from + c * p.in.stride[1] + z * p.in.stride[2] + y * p.in.stride[3];
        T row[kCount] = {};
        for (int32_t x = begin[2]; x < end[2]; ++x) {
          DIOPI_UNROLL
          for (int j = 0; j < kCount; ++j) {
            row[j] += p.in.template read<T>(base + j * p.in.stride[1] + x * p.in.stride[4]);
          }
        }
        DIOPI_UNROLL
        for (int j = 0; j < kCount; ++j) sum[j] += row[j];
      }
    }
    DIOPI_UNROLL
    for (int j = 0; j < kCount; ++j) p.out.write(to + (c + j) * p.out.stride[1], sum[j]);
  });
}

// An input position of the adjoint, and the output positions that may read it, for each dimension.
struct Readers {
  int32_t at[3], begin[3], end[3];
};

// Calls f(output position, weights of its taps, which of these are at the input position) for the readers of a
// position.
template <typename T, int kDim, class Call, class F>
__device__ void for_readers(const Call& p, const Readers& readers, const F& f) {
  constexpr int kTaps = std::remove_reference_t<decltype(p.axis[kDim])>::kTaps;
  for (int32_t x = readers.begin[kDim]; x < readers.end[kDim]; ++x) {
    int32_t at[kTaps];
    T weight[kTaps];
    p.axis[kDim].taps(x, at, weight);
    bool is_read[kTaps];
    DIOPI_UNROLL
    for (int k = 0; k < kTaps; ++k) is_read[k] = at[k] == readers.at[kDim];
    f(x, weight, is_read);
  }
}

// Adds what a reader of an element contributes, for each of some channels.
template <typename T, int kTaps, int kCount>
__device__ void add_reader(const T (&weight)[kTaps], const bool (&is_read)[kTaps], const T (&x)[kCount],
                           T (&sum)[kCount]) {
  DIOPI_UNROLL
  for (int k = 0; k < kTaps; ++k) {
    DIOPI_UNROLL
    for (int j = 0; j < kCount; ++j) sum[j] = is_read[k] ? sum[j] + weight[k] * x[j] : sum[j];
  }
}

// Adds what the readers of a position along dimension kDim and the ones after it contribute. Dimensions before the last
// kSpatial ones have extent 1.
template <typename T, int kDim, class Call, int kCount>
__device__ void add_readers(const Call& p, const Readers& readers, int32_t base, T (&sum)[kCount]) {
  for_readers<T, kDim>(p, readers, [&](int32_t x, const auto& weight, const auto& is_read) {
    const int32_t from = base + x * p.in.stride[2 + kDim];
    T value[kCount] = {};
    if constexpr (kDim == 2) {
      DIOPI_UNROLL
      for (int j = 0; j < kCount; ++j) value[j] = p.in.template read<T>(from + j * p.in.stride[1]);
    } else {
      add_readers<T, kDim + 1>(p, readers, from, value);
    }
    add_reader(weight, is_read, value, sum);
  });
}

template <typename S, typename T, Interpolation kKind, int kSpatial, int kEach>
__global__ void __launch_bounds__(kPlaneThreads, sizeof(T) == 8 ? 4 : 8)
    interpolate_adjoint_planes(PlanesCall<S, T, kKind> p) {
  PlanesItem item{};
  if (!item.set(p)) return;
  Readers readers{};
  DIOPI_UNROLL
  for (int d = 3 - kSpatial; d < 3; ++d) {
    readers.at[d] = item.at[d];
    p.axis[d].outputs(item.at[d], &readers.begin[d], &readers.end[d]);
  }
  const int32_t from = static_cast<int32_t>(blockIdx.z) * p.in.stride[0], to = item.offset(p.out);
  for_channels<kEach>(item, [&](auto count, int32_t c) {
    constexpr int kCount = decltype(count)::value;
    T sum[kCount] = {};
    add_readers<T, 3 - kSpatial>(p, readers, from + c * p.in.stride[1], sum);
    DIOPI_UNROLL
    for (int j = 0; j < kCount; ++j) p.out.write(to + (c + j) * p.out.stride[1], sum[j]);
  });
}

// The shape of the launches of a call.
struct PlanesGrid {
  dim3 blocks;
  int64_t samples, channels, inner, each, threads;

  // `least`: the channels that a thread computes at once.
  PlanesGrid(const TensorView& in, const TensorView& out, int64_t least) {
    constexpr int64_t kWantedBlocks = 4096;
    samples = out.shape[0], channels = out.shape[1];
    if (in.stride[0] == channels * in.stride[1] && out.stride[0] == channels * out.stride[1]) {
      channels *= samples;
      samples = 1;
    }
    const bool adjacent = out.stride[1] == 1 && out.stride[4] != 1 && channels > 1;
    inner = adjacent ? channels : 1;
    threads = out.shape[2] * out.shape[3] * out.shape[4] * inner;
    const int64_t across = (threads + kPlaneThreads - 1) / kPlaneThreads;
    const int64_t wanted = std::max<int64_t>(1, kWantedBlocks / (across * samples));
    const int64_t groups = (channels + least - 1) / least;
    const int64_t rows = adjacent ? 1 : std::min({groups, wanted, kMostRows});
    each = adjacent ? 1 : (groups + rows - 1) / rows * least;
    blocks = dim3(static_cast<unsigned>(across), static_cast<unsigned>(adjacent ? 1 : (channels + each - 1) / each),
                  static_cast<unsigned>(samples));
  }
};

template <typename S, typename T, Interpolation kKind, class Kernel>
Status start(diopiContextHandle_t ctx, const Resampling& call, bool adjoint, int64_t least, const Kernel& kernel) {
  if (diopi::in_dry_run()) return diopiSuccess;
  const TensorView &in = adjoint ? call.to : call.from, &out = adjoint ? call.from : call.to;
  const PlanesGrid grid(in, out, least);
  PlanesCall<S, T, kKind> p;
  p.in = TypedPlanes<S>(in);
  p.out = TypedPlanes<S>(out);
  for (int d = 0; d < 3; ++d) {
    p.axis[d] = Axis<T, kKind>(call.from.shape[2 + d], call.to.shape[2 + d], call.align_corners);
    p.extent[d] = DividerOf<int32_t>(out.shape[2 + d]);
  }
  p.inner = DividerOf<int32_t>(grid.inner);
  p.channels = static_cast<int32_t>(grid.channels);
  p.each = static_cast<int32_t>(grid.each);
  p.threads = static_cast<int32_t>(grid.threads);
  // The samples are merged with the channels, whose stride must count if there is one channel.
  if (grid.samples == 1 && out.shape[1] == 1) p.in.stride[1] = p.in.stride[0], p.out.stride[1] = p.out.stride[0];
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(launch(kernel, grid.blocks, dim3(kPlaneThreads), 0, stream, p), "a launch");
}

template <typename S, Interpolation kKind, int kSpatial>
Status run(diopiContextHandle_t ctx, const Resampling& call, bool adjoint) {
  using T = std::conditional_t<std::is_same_v<S, double>, double, float>;
  constexpr int kForward = kKind == Interpolation::kLinear && kSpatial <= 2 ? 2 : 1;
  constexpr int kBackward = kSpatial <= 2 ? 4 : 2;
  if constexpr (kKind != Interpolation::kNearest) {
    if (!adjoint) {
      return start<S, T, kKind>(ctx, call, false, kForward, interpolate_planes<S, T, kKind, kSpatial, kForward>);
    }
  }
  const int64_t least = call.from.numel < kFewElements ? 1 : kBackward;
  if constexpr (kKind == Interpolation::kNearest) {
    return start<S, T, kKind>(ctx, call, true, least, add_nearest<S, T, kBackward>);
  } else {
    return start<S, T, kKind>(ctx, call, true, least, interpolate_adjoint_planes<S, T, kKind, kSpatial, kBackward>);
  }
}

template <typename S>
Status run_kind(diopiContextHandle_t ctx, const Resampling& call, bool adjoint) {
  if (call.kind == Interpolation::kNearest) return run<S, Interpolation::kNearest, 2>(ctx, call, true);
  if (call.kind == Interpolation::kCubic) return run<S, Interpolation::kCubic, 2>(ctx, call, adjoint);
  if (call.spatial == 1) return run<S, Interpolation::kLinear, 1>(ctx, call, adjoint);
  if (call.spatial == 2) return run<S, Interpolation::kLinear, 2>(ctx, call, adjoint);
  return run<S, Interpolation::kLinear, 3>(ctx, call, adjoint);
}

}  // namespace

bool fits_planes(const Resampling& call, bool adjoint) {
  bool fits = fits_32_bits(call.from) && fits_32_bits(call.to) && call.to.shape[0] <= kMostRows;
  for (int d = 0; d < 3; ++d) {
    fits = fits && Axis<float, Interpolation::kLinear>::fits(call.from.shape[2 + d], call.to.shape[2 + d]);
  }
  const diopiDtype_t dtype = call.from.dtype;
  return fits && (dtype == diopi_dtype_float32 || dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16 ||
                  dtype == diopi_dtype_float64 || (call.kind == Interpolation::kNearest && !adjoint));
}

Status resample_planes(diopiContextHandle_t ctx, const Resampling& call, bool adjoint) {
  if (call.kind == Interpolation::kNearest && !adjoint) {
    constexpr int kEach = 4;
    return diopi::for_itemsize(call.to.itemsize(), [&](auto tag) -> Status {
      using W = diopi::tagged<decltype(tag)>;
      return start<W, float, Interpolation::kNearest>(ctx, call, false, kEach, copy_nearest<W, kEach>);
    });
  }
  return with_typed(
      call.from.dtype, true,
      [&](auto tag) -> Status { return run_kind<diopi::tagged<decltype(tag)>>(ctx, call, adjoint); },
      [] { return Status(diopiErrorOccurred); });
}

}  // namespace impl::cuda
