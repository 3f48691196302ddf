// SPDX-License-Identifier: BSD-3-Clause
// Max pooling.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "impl/cuda/kernels/pool/pool.hpp"
#include "impl/cuda/kernels/pool/positions.cuh"
#include "impl/cuda/kernels/pool/windows.cuh"

namespace impl::cuda {

namespace {

constexpr diopi::Averaging kNoAverage;

// The smallest number of floating point.
template <typename T>
__device__ T least();
template <>
__device__ inline float least() {
  return -HUGE_VALF;
}
template <>
__device__ inline double least() {
  return -HUGE_VAL;
}

// The largest of some elements of a window: NaN is the largest. Of several equal elements it is the first one, and of
// several NaN the last one.
template <typename T, typename Index>
struct Largest {
  T value = least<T>();
  Index where = -1;

  // `position` is not before any that was seen.
  __device__ void see(T x, Index position) {
    const bool better = x > value || x != x;
    value = better ? x : value;
    where = better ? position : where;
  }
  __device__ void join(T x, Index position) {
    const bool nan = x != x, this_nan = value != value;
    bool better = nan ? !this_nan || position > where : !this_nan && (x > value || (x == value && position < where));
    better = position >= 0 && (where < 0 || better);
    value = better ? x : value;
    where = better ? position : where;
  }
};

// Where a window begins: outside of the input, if all of its elements are.
template <typename Index>
__device__ Index begin_of(const Pooling<Index>& p, const Span<Index>* span) {
  return (span[0].begin * p.dim[1].in.divisor() + span[1].begin) * p.dim[2].in.divisor() + span[2].begin;
}

// The largest element of a window that has some, beginning with a number that none is smaller than. kOrdered: elements
// are visited in row-major order.
template <int kRows, int kColumns, bool kOrdered, typename T, class View, typename Index = typename View::Index>
__device__ Largest<T, Index> largest_of(const Pooling<Index>& p, const View& in, const Index* at,
                                        const Span<Index>* span, T smallest) {
  Largest<T, Index> largest{smallest, begin_of(p, span)};
  const Index height = p.dim[1].in.divisor(), width = p.dim[2].in.divisor();
  const Index base = at[0] * in.stride[0] + at[1] * in.stride[1];
  for_patches<kRows, kColumns, T>(in, base, span, [&](Index z, const auto& patch, const T(&x)[kRows][kColumns]) {
    DIOPI_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const Index row = (z * height + patch.y[i]) * width;
      DIOPI_UNROLL
      for (int j = 0; j < kColumns; ++j) {
        if constexpr (kOrdered) {
          largest.see(x[i][j], row + patch.x[j]);
        } else {
          largest.join(x[i][j], row + patch.x[j]);
        }
      }
    }
  });
  return largest;
}

template <class View, typename T, int kRows, int kColumns, typename Index = typename View::Index>
__global__ void __launch_bounds__(kPoolThreads)
    maximum(Pooling<Index> p, View out, Positions<Index> indices, View in, int64_t numel, T smallest) {
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    Index at[5];
    Span<Index> span[3];
    p.locate(static_cast<Index>(i), true, at);
    const bool any = p.spans(at, span);
    Largest<T, Index> largest{smallest, begin_of(p, span)};
    if (any) largest = largest_of<kRows, kColumns, true, T>(p, in, at, span, smallest);
    out.write(offset_of(out, at), largest.value);
    if (indices.data != nullptr) indices.write(offset_of(indices, at), largest.where);
  }
}

template <class View, typename T, typename Index = typename View::Index>
__global__ void __launch_bounds__(kPoolThreads)
    maximum_of_lanes(Pooling<Index> p, View out, Positions<Index> indices, View in, int64_t numel, Sharing sharing) {
  for_shared_windows<Largest<T, Index>>(
      p, numel, sharing,
      [&](const Index* at, const Span<Index>* span) { return largest_of<2, 1, false, T>(p, in, at, span, least<T>()); },
      [](Largest<T, Index>* largest, int lanes) {
        const T x = __shfl_xor_sync(kAllLanes, largest->value, lanes);
        largest->join(x, __shfl_xor_sync(kAllLanes, largest->where, lanes));
      },
      [&](const Index* at, bool any, Index, const Largest<T, Index>& largest) {
        out.write(offset_of(out, at), largest.value);
        if (indices.data == nullptr) return;
        Span<Index> span[3];
        if (!any) p.spans(at, span);
        indices.write(offset_of(indices, at), any ? largest.where : begin_of(p, span));
      });
}

int64_t blocks_of(int64_t numel) { return (numel + kPoolThreads - 1) / kPoolThreads; }

template <class View, typename T>
Status run_typed(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& out,
                 const TensorView* indices, const TensorView& in) {
  using Index = typename View::Index;
  Pooling<Index> p(windows, in.shape[1], kNoAverage);
  p.channels_last = has_channels_last(in) ? 1 : 0;
  const Positions<Index> positions = indices != nullptr ? Positions<Index>(*indices) : Positions<Index>();
  const auto extent = [&](int i) { return windows.dim[i].kernel; };
  const auto most = std::max(extent(1), extent(2));
  const Sharing sharing = sharing_of(windows, out.numel);
  if (sharing.lanes > 0 && p.channels_last == 0) {
    return launch_blocks(ctx, maximum_of_lanes<View, T>, blocks_of(out.numel << sharing.lanes), kPoolThreads, p,
                         View(out), positions, View(in), out.numel, sharing);
  }
  const bool adaptive = extent(1) == 0 || extent(2) == 0;
  const auto kernel = adaptive || most > 3 ? maximum<View, T, 1, 4>
                      : most == 3          ? maximum<View, T, 3, 3>
                      : most == 2          ? maximum<View, T, 2, 2>
                                           : maximum<View, T, 1, 1>;
  return launch_blocks(ctx, kernel, blocks_of(out.numel), kPoolThreads, p, View(out), positions, View(in), out.numel,
                       -std::numeric_limits<T>::infinity());
}

// The smallest number of a dtype, which is computed in T.
template <typename T>
T smallest_of(diopiDtype_t dtype) {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  switch (dtype) {
    case diopi_dtype_int8:
      return static_cast<T>(INT8_MIN);
    case diopi_dtype_int16:
      return static_cast<T>(INT16_MIN);
    case diopi_dtype_int32:
      return static_cast<T>(INT32_MIN);
    case diopi_dtype_int64:
      return static_cast<T>(INT64_MIN);
    default:
      return 0;
  }
}

template <typename T>
Status run_any(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& out,
               const TensorView* indices, const TensorView& in) {
  const Pooling<int64_t> p(windows, in.shape[1], kNoAverage);
  const Positions<int64_t> positions = indices != nullptr ? Positions<int64_t>(*indices) : Positions<int64_t>();
  return launch_blocks(ctx, maximum<Planes, T, 1, 1>, blocks_of(out.numel), kPoolThreads, p, Planes(out), positions,
                       Planes(in), out.numel, smallest_of<T>(in.dtype));
}

}  // namespace

Status max_pool(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& out,
                const TensorView* indices, const TensorView& in) {
  const bool typed = fits_32_bits(windows, kNoAverage) && fits_32_bits(out) && fits_32_bits(in) &&
                     (indices == nullptr || fits_32_bits(*indices));
  return with_typed(
      in.dtype, typed,
      [&](auto tag) -> Status {
        using S = diopi::tagged<decltype(tag)>;
        using T = std::conditional_t<std::is_same_v<S, double>, double, float>;
        return run_typed<TypedPlanes<S>, T>(ctx, windows, out, indices, in);
      },
      [&] {
        const auto run = diopi::is_floating(in.dtype)     ? run_any<double>
                         : in.dtype == diopi_dtype_uint64 ? run_any<uint64_t>
                                                          : run_any<int64_t>;
        return run(ctx, windows, out, indices, in);
      });
}

}  // namespace impl::cuda
