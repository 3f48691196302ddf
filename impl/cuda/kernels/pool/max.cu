// SPDX-License-Identifier: BSD-3-Clause
// Max pooling. Its gradient adds up, for each input element, the gradients of the windows that chose it.
#include "impl/common/engine/fill.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/pool/pool.hpp"
#include "impl/cuda/kernels/pool/windows.cuh"

namespace impl::cuda {

namespace {

constexpr diopi::Averaging kNoAverage;
constexpr int kGradients = 4, kMostGradients = 8;       // adjacent input elements of a thread
constexpr int kLeastChunk = 8;                          // 2^8 indices share a flag at least
constexpr int64_t kMostChunks = 4096, kMostFlags = 16;  // of all planes, of a plane

// The smallest number.
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
template <>
__device__ inline int64_t least() {
  return INT64_MIN;
}
template <>
__device__ inline uint64_t least() {
  return 0;
}

// The indices, which are int32 or int64.
template <typename I>
struct Positions {
  using Index = I;
  void* data;
  int64_t wide;
  Index stride[5];

  Positions() = default;
  explicit Positions(const TensorView& view) : data(view.data), wide(view.dtype == diopi_dtype_int64 ? 1 : 0) {
    for (int i = 0; i < 5; ++i) stride[i] = view.shape[i] > 1 ? static_cast<Index>(view.stride[i]) : 0;
  }
  __device__ int64_t read(Index offset) const {
    return wide != 0 ? static_cast<const int64_t*>(data)[offset] : static_cast<const int32_t*>(data)[offset];
  }
  __device__ void write(Index offset, Index position) const {
    if (wide != 0) {
      static_cast<int64_t*>(data)[offset] = position;
    } else {
      static_cast<int32_t*>(data)[offset] = static_cast<int32_t>(position);
    }
  }
};

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

// kOrdered: elements are visited in row-major order.
template <int kRows, int kColumns, bool kOrdered, typename T, class View, typename Index = typename View::Index>
__device__ Largest<T, Index> largest_of(const Pooling<Index>& p, const View& in, const Index* at,
                                        const Span<Index>* span) {
  Largest<T, Index> largest;
  const Index height = p.dim[1].in.divisor(), width = p.dim[2].in.divisor();
  largest.where = (span[0].begin * height + span[1].begin) * width + span[2].begin;
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
    maximum(Pooling<Index> p, View out, Positions<Index> indices, View in, int64_t numel) {
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    Index at[5];
    Span<Index> span[3];
    Largest<T, Index> largest;
    p.locate(static_cast<Index>(i), true, at);
    if (p.spans(at, span)) largest = largest_of<kRows, kColumns, true, T>(p, in, at, span);
    out.write(offset_of(out, at), largest.value);
    if (indices.data != nullptr) indices.write(offset_of(indices, at), largest.where < 0 ? 0 : largest.where);
  }
}

// Some lanes of a warp compute an output element.
template <class View, typename T, typename Index = typename View::Index>
__global__ void __launch_bounds__(kPoolThreads)
    maximum_of_lanes(Pooling<Index> p, View out, Positions<Index> indices, View in, int64_t numel, Sharing sharing) {
  constexpr unsigned kAll = 0xFFFFFFFF;
  const int64_t step = static_cast<int64_t>(gridDim.x) * sharing.of_block();
  for (int64_t first = sharing.first_of_warp(); first < numel; first += step) {
    const int64_t i = first + sharing.in_warp();
    Index at[5];
    Span<Index> span[3];
    Largest<T, Index> largest;
    p.locate(static_cast<Index>(i < numel ? i : first), true, at);
    const bool any = p.spans(at, span);
    if (sharing.take_part(span) && any) largest = largest_of<2, 1, false, T>(p, in, at, span);
    for (int bits = (1 << sharing.lanes) / 2; bits > 0; bits /= 2) {
      const T x = __shfl_xor_sync(kAll, largest.value, bits);
      largest.join(x, __shfl_xor_sync(kAll, largest.where, bits));
    }
    if (i >= numel || !sharing.is_first()) continue;
    out.write(offset_of(out, at), largest.value);
    if (indices.data != nullptr) indices.write(offset_of(indices, at), largest.where < 0 ? 0 : largest.where);
  }
}

// A block sets the flag of 2^shift indices: whether one of them is not in the window of its output element.
template <typename Index>
__global__ void __launch_bounds__(kPoolThreads)
    find_astray(Pooling<Index> p, Positions<Index> indices, int64_t numel, int shift, int* astray, FirstBad bad) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) << shift, end = min(numel, first + (int64_t{1} << shift));
  const int64_t plane = int64_t{p.dim[0].in.divisor()} * p.dim[1].in.divisor() * p.dim[2].in.divisor();
  bool found = false;
  for (int64_t i = first + threadIdx.x; i < end; i += kPoolThreads) {
    Index at[5];
    Span<Index> span[3];
    p.locate(static_cast<Index>(i), true, at);
    const int64_t position = indices.read(offset_of(indices, at));
    p.spans(at, span);
    auto rest = static_cast<Index>(position);
    bool inside = position >= 0 && position < plane;
    if (!inside) report(bad, i, position);
    for (int d = 2; d >= 0 && inside; --d) inside = p.dim[d].holds(span[d], p.dim[d].in.split(&rest));
    found = found || !inside;
  }
  const int any = __syncthreads_or(found ? 1 : 0);
  if (threadIdx.x == 0) astray[blockIdx.x] = any;
}

template <typename View>
struct MaximumGradient {
  using Index = typename View::Index;
  Pooling<Index> pooling;
  View grad_input, grad_output;
  Positions<Index> indices;
  DividerOf<Index> groups;  // of a row of the input
  int64_t count;            // of all groups
  Index outputs;            // of a plane
  int aligned, shift;       // see write_items() and find_astray()
  const int* astray;

  // Whether an index of the plane may be outside of its window.
  __device__ bool is_astray(Index plane) const {
    const Index first = plane * outputs >> shift, last = (plane * outputs + outputs - 1) >> shift;
    int found = 0;
    for (Index i = first; i <= last; ++i) found |= astray[i];
    return found != 0;
  }
};

// A thread computes some adjacent input elements of a row. Which of them a window chose, only its index says.
template <class View, int kItems, typename Index = typename View::Index>
__global__ void __launch_bounds__(kPoolThreads, 8) maximum_backward(MaximumGradient<View> p) {
  const auto& dim = p.pooling.dim;
  for (int64_t i = thread_item(); i < p.count; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    auto rest = static_cast<Index>(i);
    const bool channels_last = p.pooling.channels_last != 0;
    Index c = channels_last ? p.pooling.channels.split(&rest) : 0;
    const Index x = p.groups.split(&rest) * kItems, y = dim[1].in.split(&rest), z = dim[0].in.split(&rest);
    if (!channels_last) c = p.pooling.channels.split(&rest);
    const Index plane = rest * p.pooling.channels.divisor() + c, width = dim[2].in.divisor();
    const int count = static_cast<int>(width - x < kItems ? width - x : kItems);
    Index begin[3] = {}, end[3] = {dim[0].out.divisor(), dim[1].out.divisor(), dim[2].out.divisor()}, unused;
    if (!p.is_astray(plane)) {  // else these are the caller's own indices: look at all of the plane
      dim[0].outputs(z, &begin[0], &end[0]);
      dim[1].outputs(y, &begin[1], &end[1]);
      dim[2].outputs(x, &begin[2], &end[2]);
      if (count > 1) dim[2].outputs(x + count - 1, &unused, &end[2]);
    }
    const int64_t position = (int64_t{z} * dim[1].in.divisor() + y) * width + x;
    double sum[kItems] = {};
    const Index from = rest * p.indices.stride[0] + c * p.indices.stride[1];
    const Index grad = rest * p.grad_output.stride[0] + c * p.grad_output.stride[1];
    for (Index a = begin[0]; a < end[0]; ++a) {
      for (Index b = begin[1]; b < end[1]; ++b) {
        for (Index e = begin[2]; e < end[2]; ++e) {
          const Index at = from + a * p.indices.stride[2] + b * p.indices.stride[3] + e * p.indices.stride[4];
          const int64_t chosen = p.indices.read(at) - position;
          if (chosen < 0 || chosen >= count) continue;
          const Index of_output =
              grad + a * p.grad_output.stride[2] + b * p.grad_output.stride[3] + e * p.grad_output.stride[4];
          const double g = p.grad_output.template read<double>(of_output);
          DIOPI_UNROLL
          for (int j = 0; j < kItems; ++j) {
            if (chosen == j) sum[j] += g;
          }
        }
      }
    }
    const Index to[5] = {rest, c, z, y, x};
    p.grad_input.write_items(offset_of(p.grad_input, to), sum, count, p.aligned != 0);
  }
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
  return launch_blocks(ctx, kernel, blocks_of(out.numel), kPoolThreads, p, View(out), positions, View(in), out.numel);
}

Status run_any(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& out,
               const TensorView* indices, const TensorView& in) {
  const Pooling<int64_t> p(windows, in.shape[1], kNoAverage);
  const Positions<int64_t> positions = indices != nullptr ? Positions<int64_t>(*indices) : Positions<int64_t>();
  const auto kernel = diopi::is_floating(in.dtype)     ? maximum<Planes, double, 1, 1>
                      : in.dtype == diopi_dtype_uint64 ? maximum<Planes, uint64_t, 1, 1>
                                                       : maximum<Planes, int64_t, 1, 1>;
  return launch_blocks(ctx, kernel, blocks_of(out.numel), kPoolThreads, p, Planes(out), positions, Planes(in),
                       out.numel);
}

template <class View>
Status run_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& grad_input,
                    const TensorView& grad_output, const TensorView& indices, const FirstBad& bad) {
  using Index = typename View::Index;
  Pooling<Index> pooling(windows, grad_input.shape[1], kNoAverage);
  const int64_t outputs = indices.numel / (indices.shape[0] * indices.shape[1]);
  int shift = kLeastChunk;
  while ((outputs >> shift) > kMostFlags || (indices.numel >> shift) > kMostChunks) ++shift;
  const int64_t chunks = ((indices.numel - 1) >> shift) + 1;
  int* astray = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(chunks, &astray));
  DIOPI_TRY(launch_blocks(ctx, find_astray<Index>, chunks, kPoolThreads, pooling, Positions<Index>(indices),
                          indices.numel, shift, astray, bad));
  const int64_t width = grad_input.shape[4];
  const bool many = width % kMostGradients == 0;
  const int items = many ? kMostGradients : kGradients;
  const int64_t groups = (width + items - 1) / items;
  const int64_t count = grad_input.numel / width * groups;
  pooling.channels_last = has_channels_last(grad_input) ? 1 : 0;  // find_astray() counts in row-major order
  const MaximumGradient<View> p{pooling,
                                View(grad_input),
                                View(grad_output),
                                Positions<Index>(indices),
                                DividerOf<Index>(groups),
                                count,
                                static_cast<Index>(outputs),
                                has_aligned_rows(grad_input, items) ? 1 : 0,
                                shift,
                                astray};
  const auto kernel = many ? maximum_backward<View, kMostGradients> : maximum_backward<View, kGradients>;
  return launch_blocks(ctx, kernel, blocks_of(count), kPoolThreads, p);
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
      [&] { return run_any(ctx, windows, out, indices, in); });
}

Status max_pool_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& grad_input,
                         const TensorView& grad_output, const TensorView& indices, const FirstBad& bad) {
  if (grad_output.numel == 0) return fill(ctx, grad_input, diopiScalar_t{diopi_dtype_int64, {0}});
  const bool typed = fits_32_bits(windows, kNoAverage) && fits_32_bits(grad_input) && fits_32_bits(grad_output) &&
                     fits_32_bits(indices);
  return with_typed(
      grad_input.dtype, typed,
      [&](auto tag) -> Status {
        return run_backward<TypedPlanes<diopi::tagged<decltype(tag)>>>(ctx, windows, grad_input, grad_output, indices,
                                                                       bad);
      },
      [&] { return run_backward<Planes>(ctx, windows, grad_input, grad_output, indices, bad); });
}

}  // namespace impl::cuda
