// SPDX-License-Identifier: BSD-3-Clause
// The windows of pooling in kernels.
#ifndef IMPL_CUDA_KERNELS_POOL_WINDOWS_CUH_
#define IMPL_CUDA_KERNELS_POOL_WINDOWS_CUH_

#include "impl/common/engine/pool.hpp"
#include "impl/cuda/kernels/planes.cuh"

namespace impl::cuda {

constexpr int kPoolThreads = 128;
constexpr unsigned kAllLanes = 0xFFFFFFFF;

// Positions begin, begin + step, ... below end; `size` counts those of a window, with padding if that counts.
template <typename Index>
struct Span {
  Index begin, end, step, size;
};

// One dimension of the windows.
template <typename Index>
struct PoolWindow {
  Index kernel, stride, padding, dilation;
  Index single;  // 1: one window of one element, as in dimensions that are not pooled
  DividerOf<Index> in, out, by_stride, by_dilation;

  PoolWindow() = default;
  explicit PoolWindow(const diopi::Window& w)
      : kernel(static_cast<Index>(w.kernel)),
        stride(static_cast<Index>(w.stride)),
        padding(static_cast<Index>(w.padding)),
        dilation(static_cast<Index>(w.dilation)),
        single(w.in == 1 && w.out == 1 && w.kernel <= 1 && w.padding == 0 ? 1 : 0),
        in(w.in),
        out(std::max<int64_t>(w.out, 1)),
        by_stride(w.stride),
        by_dilation(w.dilation) {}

  // The input positions of an output position.
  __device__ Span<Index> inputs(Index o, bool count_padding) const {
    const Index extent = in.divisor();
    if (single != 0) return {0, 1, 1, 1};
    if (kernel == 0) {
      const Index begin = out.quotient(o * extent), end = out.quotient((o + 1) * extent + out.divisor() - 1);
      return {begin, end, 1, end - begin};
    }
    const Index first = o * stride - padding, stop = first + dilation * (kernel - 1) + 1;
    const Index begin = first < 0 ? first + by_dilation.quotient(-first + dilation - 1) * dilation : first;
    const Index end = stop < extent ? stop : extent;
    const Index padded = stop < extent + padding ? stop : extent + padding;
    return {begin, end, dilation, count_padding ? padded - first : end - begin};
  }
  // Whether `i` is one of the input positions of an output position.
  __device__ bool holds(const Span<Index>& span, Index i) const {
    if (i < span.begin || i >= span.end) return false;
    return dilation == 1 || by_dilation.quotient(i - span.begin) * dilation == i - span.begin;
  }
  // The first output position whose window may hold an input position, and the one behind the last. Without dilation
  // all windows between them do.
  __device__ void outputs(Index i, Index* begin, Index* end) const {
    const Index count = out.divisor();
    if (single != 0) {
      *begin = 0;
      *end = 1;
    } else if (kernel == 0) {
      *begin = in.quotient(i * count);
      *end = in.quotient((i + 1) * count + in.divisor() - 1);
    } else {
      const Index last = i + padding, first = last - dilation * (kernel - 1), behind = by_stride.quotient(last) + 1;
      *begin = first <= 0 ? 0 : by_stride.quotient(first + stride - 1);
      *end = behind < count ? behind : count;
    }
  }
};

template <typename Index>
struct Pooling {
  PoolWindow<Index> dim[diopi::kMaxSpatial];
  DividerOf<Index> channels;
  Index divisor;        // 0: the size of the window
  Index count_padding;  // 0 or 1
  Index channels_last;  // 1: adjacent threads lie along the channels

  Pooling() = default;
  Pooling(const diopi::Windows& windows, int64_t channel_count, const diopi::Averaging& averaging)
      : channels(channel_count),
        divisor(static_cast<Index>(averaging.divisor)),
        count_padding(averaging.count_padding ? 1 : 0),
        channels_last(0) {
    for (int i = 0; i < diopi::kMaxSpatial; ++i) dim[i] = PoolWindow<Index>(windows.dim[i]);
  }
  // The coordinates of an item of a thread: an element of the input or of the output.
  __device__ void locate(Index item, bool of_output, Index* at) const {
    if (channels_last != 0) at[1] = channels.split(&item);
    for (int i = 2; i >= 0; --i) at[2 + i] = (of_output ? dim[i].out : dim[i].in).split(&item);
    if (channels_last == 0) at[1] = channels.split(&item);
    at[0] = item;
  }
  // The windows of an output element; returns whether they have input positions.
  __device__ bool spans(const Index* at, Span<Index>* span) const {
    bool any = true;
    for (int i = 0; i < 3; ++i) {
      span[i] = dim[i].inputs(at[2 + i], count_padding != 0);
      any = any && span[i].begin < span[i].end;
    }
    return any;
  }
  // The divisor of the sum of a window that is not empty.
  __device__ Index divisor_of(const Span<Index>* span) const {
    return divisor != 0 ? divisor : span[0].size * span[1].size * span[2].size;
  }
};

// Whether kernels can compute the numbers of windows with 32 bits.
inline bool fits_32_bits(const diopi::Windows& windows, const diopi::Averaging& averaging) {
  constexpr int64_t kMost = INT32_MAX / 8;
  int64_t size = 1;
  for (const diopi::Window& w : windows.dim) {
    for (const int64_t value : {w.in, w.out, w.kernel, w.stride, w.padding, w.dilation}) {
      if (value > kMost) return false;
    }
    if (w.dilation * w.kernel > kMost || w.out * w.stride > kMost) return false;
    if (w.kernel == 0 && (w.out + 1) * w.in + w.out > kMost) return false;
    const int64_t most = w.kernel == 0 ? w.in : w.kernel;
    if (most > kMost || (size *= most) > kMost) return false;
  }
  return averaging.divisor >= -kMost && averaging.divisor <= kMost;
}

// Whether the channels of a tensor are adjacent, and its columns are not.
inline bool has_channels_last(const diopi::TensorView& view) {
  return view.stride[1] == 1 && view.stride[4] != 1 && view.shape[1] > 1 && view.shape[4] > 1;
}

// The mean number of elements of a window.
inline int64_t window_size(const diopi::Windows& windows) {
  int64_t size = 1;
  for (const diopi::Window& w : windows.dim) {
    size *= std::max<int64_t>(1, w.kernel != 0 ? w.kernel : w.in / std::max<int64_t>(1, w.out));
  }
  return size;
}

// Up to kRows x kColumns adjacent positions of a window. Behind its border, the last row and column are repeated.
template <typename Index, int kRows, int kColumns>
struct Patch {
  Index y[kRows], x[kColumns];
  bool row[kRows], column[kColumns];  // whether they are no repetition

  __device__ void set(const Span<Index>* span, Index first_y, Index first_x) {
    y[0] = first_y, x[0] = first_x;
    row[0] = column[0] = true;
    DIOPI_UNROLL
    for (int i = 1; i < kRows; ++i) {
      const Index next = first_y + i * span[1].step;
      row[i] = next < span[1].end;
      y[i] = row[i] ? next : y[i - 1];
    }
    DIOPI_UNROLL
    for (int i = 1; i < kColumns; ++i) {
      const Index next = first_x + i * span[2].step;
      column[i] = next < span[2].end;
      x[i] = column[i] ? next : x[i - 1];
    }
  }
};

// Calls f(z, patch, value[kRows][kColumns]) for patches that cover a window which is not empty. The elements are in
// row-major order if a patch has one row or the window is not wider than a patch. All elements of a patch are loaded
// before the call.
template <int kRows, int kColumns, typename T, class View, class F, typename Index = typename View::Index>
__device__ void for_patches(const View& in, Index base, const Span<Index>* span, const F& f) {
  for (Index z = span[0].begin; z < span[0].end; z += span[0].step) {
    for (Index y = span[1].begin; y < span[1].end; y += kRows * span[1].step) {
      for (Index x = span[2].begin; x < span[2].end; x += kColumns * span[2].step) {
        Patch<Index, kRows, kColumns> patch;
        patch.set(span, y, x);
        T value[kRows][kColumns];
        DIOPI_UNROLL
        for (int i = 0; i < kRows; ++i) {
          const Index row = base + z * in.stride[2] + patch.y[i] * in.stride[3];
          DIOPI_UNROLL
          for (int j = 0; j < kColumns; ++j) value[i][j] = in.template read<T>(row + patch.x[j] * in.stride[4]);
        }
        f(z, patch, value);
      }
    }
  }
}

// How threads share windows: 2^lanes of them compute an output element, of which 2^columns lie along a row.
struct Sharing {
  int lanes, columns;

  // The part of a window that the calling thread visits. Returns whether it has positions.
  template <typename Index>
  __device__ bool take_part(Span<Index>* span) const {
    const int lane = static_cast<int>(threadIdx.x) & ((1 << lanes) - 1);
    span[1].begin += (lane >> columns) * span[1].step;
    span[2].begin += (lane & ((1 << columns) - 1)) * span[2].step;
    span[1].step <<= lanes - columns;
    span[2].step <<= columns;
    return span[1].begin < span[1].end && span[2].begin < span[2].end;
  }
  // The first output element of a warp, the elements of a block, and the number of an element in its warp.
  __device__ int64_t first_of_warp() const { return (thread_item() & ~int64_t{31}) >> lanes; }
  __device__ int of_block() const { return kPoolThreads >> lanes; }
  __device__ int in_warp() const { return (static_cast<int>(threadIdx.x) & 31) >> lanes; }
  __device__ bool is_first() const { return (threadIdx.x & ((1U << lanes) - 1)) == 0; }
};

// Some lanes of a warp visit each of `numel` windows: visit(at, span) visits the part of a lane, unless it is empty,
// join(&value, step) joins the values of lanes that are `step` apart, and write(at, any, divisor, value) writes a
// result. `any`: the window has input positions.
template <class Value, typename Index, class Visit, class Join, class Write>
__device__ void for_shared_windows(const Pooling<Index>& p, int64_t numel, const Sharing& sharing, const Visit& visit,
                                   const Join& join, const Write& write) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * sharing.of_block();
  for (int64_t first = sharing.first_of_warp(); first < numel; first += step) {
    const int64_t i = first + sharing.in_warp();
    Index at[5];
    Span<Index> span[3];
    p.locate(static_cast<Index>(i < numel ? i : first), true, at);
    const bool any = p.spans(at, span);
    const Index divisor = p.divisor_of(span);
    Value value{};
    if (sharing.take_part(span) && any) value = visit(at, span);
    for (int lanes = (1 << sharing.lanes) / 2; lanes > 0; lanes /= 2) join(&value, lanes);
    if (i < numel && sharing.is_first()) write(at, any, divisor, value);
  }
}

// More threads share a window if there are few windows, and if each of them has several elements to visit.
inline Sharing sharing_of(const diopi::Windows& windows, int64_t outputs) {
  constexpr int64_t kWantedThreads = 1 << 18, kLeastVisits = 16;
  const auto extent = [](const diopi::Window& w) {
    return w.kernel != 0 ? w.kernel : (w.in + w.out - 1) / std::max<int64_t>(1, w.out);
  };
  const int64_t height = extent(windows.dim[1]), width = extent(windows.dim[2]);
  Sharing result{0, 0};
  while (result.lanes < 5 && outputs << result.lanes < kWantedThreads &&
         window_size(windows) >> result.lanes >= kLeastVisits) {
    ++result.lanes;
  }
  const auto visits = [&](int columns) {
    const int64_t across = int64_t{1} << columns, rows = int64_t{1} << (result.lanes - columns);
    return ((height + rows - 1) / rows) * ((width + across - 1) / across);
  };
  result.columns = result.lanes;
  for (int i = result.lanes - 1; i >= 0; --i) result.columns = visits(i) < visits(result.columns) ? i : result.columns;
  return result;
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_POOL_WINDOWS_CUH_
