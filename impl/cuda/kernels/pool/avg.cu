// SPDX-License-Identifier: BSD-3-Clause
// Average pooling. Floating point elements are added in float64, integers in int64.
#include "impl/common/engine/fill.hpp"
#include "impl/cuda/kernels/pool/plane_blocks.cuh"
#include "impl/cuda/kernels/pool/pool.hpp"
#include "impl/cuda/kernels/pool/windows.cuh"

namespace impl::cuda {

namespace {

__device__ inline double plus(double a, double b) { return a + b; }
__device__ inline int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// A call. `inverse` is that of the number by which all windows divide, or 0 if they differ.
template <typename Index>
struct Averages {
  Pooling<Index> windows;
  double inverse;
};

// The quotient of the smallest integer and -1 wraps around.
__device__ inline int64_t quotient(int64_t a, int64_t n) {
  return n == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / n;
}
__device__ inline double quotient(double a, int64_t n) { return a / static_cast<double>(n); }

// Divides a sum of a view. Results of at most 32 bits are multiplied by the inverse, which has 44 exact bits.
template <class View>
struct Mean {
  template <typename T>
  __device__ static T of(double /*inverse*/, T sum, int64_t n) {
    return quotient(sum, n);
  }
};
template <typename S>
struct Mean<TypedPlanes<S>> {
  __device__ static double of(double inverse, double sum, int32_t n) {
    if constexpr (std::is_same_v<S, double>) {
      return sum / n;
    } else {
      if (inverse != 0) return sum * inverse;
      const double first = 1.0F / static_cast<float>(n);
      return sum * (first * (2.0 - n * first));
    }
  }
};

template <int kRows, int kColumns, typename T, class View, typename Index = typename View::Index>
__device__ T sum_of(const View& in, const Index* at, const Span<Index>* span) {
  T sum(0);
  const Index base = at[0] * in.stride[0] + at[1] * in.stride[1];
  for_patches<kRows, kColumns, T>(in, base, span, [&](Index, const auto& patch, const T(&x)[kRows][kColumns]) {
    DIOPI_UNROLL
    for (int i = 0; i < kRows; ++i) {
      DIOPI_UNROLL
      for (int j = 0; j < kColumns; ++j) {
        if (patch.row[i] && patch.column[j]) sum = plus(sum, x[i][j]);
      }
    }
  });
  return sum;
}

template <class View, typename T, int kRows, int kColumns, typename Index = typename View::Index>
__global__ void __launch_bounds__(kPoolThreads) average(Averages<Index> call, View out, View in, int64_t numel) {
  const Pooling<Index>& p = call.windows;
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    Index at[5];
    Span<Index> span[3];
    p.locate(static_cast<Index>(i), true, at);
    T mean(0);
    if (p.spans(at, span)) {
      mean = Mean<View>::of(call.inverse, sum_of<kRows, kColumns, T>(in, at, span), p.divisor_of(span));
    }
    out.write(offset_of(out, at), mean);
  }
}

template <class View, typename Index = typename View::Index>
__global__ void __launch_bounds__(kPoolThreads)
    average_of_lanes(Averages<Index> call, View out, View in, int64_t numel, Sharing sharing) {
  for_shared_windows<double>(
      call.windows, numel, sharing,
      [&](const Index* at, const Span<Index>* span) { return sum_of<2, 1, double>(in, at, span); },
      [](double* sum, int lanes) { *sum += __shfl_xor_sync(kAllLanes, *sum, lanes); },
      [&](const Index* at, bool any, Index divisor, double sum) {
        out.write(offset_of(out, at), any ? Mean<View>::of(call.inverse, sum, divisor) : 0.0);
      });
}

// Without dilation, each output position between the first and the last one has a window that holds the element. If all
// windows divide by the same number, the sum is divided.
template <class View, typename T, bool kSameDivisor, typename Index = typename View::Index>
__global__ void __launch_bounds__(kPoolThreads)
    average_backward(Averages<Index> call, View grad_input, View grad_output, int64_t numel) {
  const Pooling<Index>& p = call.windows;
  for (int64_t i = thread_item(); i < numel; i += static_cast<int64_t>(gridDim.x) * kPoolThreads) {
    Index at[5], begin[3], end[3], from[5];
    p.locate(static_cast<Index>(i), false, at);
    for (int d = 0; d < 3; ++d) p.dim[d].outputs(at[2 + d], &begin[d], &end[d]);
    from[0] = at[0], from[1] = at[1];
    T sum(0);
    for (from[2] = begin[0]; from[2] < end[0]; ++from[2]) {
      for (from[3] = begin[1]; from[3] < end[1]; ++from[3]) {
        for (from[4] = begin[2]; from[4] < end[2]; ++from[4]) {
          const T gradient = grad_output.template read<T>(offset_of(grad_output, from));
          if constexpr (kSameDivisor) {
            sum = plus(sum, gradient);
          } else {
            Span<Index> span[3];
            p.spans(from, span);
            sum = plus(sum, Mean<View>::of(call.inverse, gradient, p.divisor_of(span)));
          }
        }
      }
    }
    if constexpr (kSameDivisor) sum = Mean<View>::of(call.inverse, sum, p.divisor);
    grad_input.write(offset_of(grad_input, at), sum);
  }
}

template <typename S>
struct AveragePlanes {
  PlaneBlocks blocks;
  TypedPlanes<S> grad_input, grad_output;
  double inverse;
  int64_t same;  // 1: all windows divide by pooling.divisor

  __device__ double quotient(double gradient, const int32_t* at) const {
    Span<int32_t> span[3];
    blocks.pooling.spans(at, span);
    return Mean<TypedPlanes<S>>::of(inverse, gradient, blocks.pooling.divisor_of(span));
  }
};

// Reads the windows of the block.
template <typename S>
__device__ void read_windows(const AveragePlanes<S>& p, double* quotient) {
  constexpr int kEach = 4;  // windows of a thread, whose loads do not wait for each other
  const int32_t count = p.blocks.planes_here() * p.blocks.outputs, step = static_cast<int32_t>(blockDim.x);
  for (auto first = static_cast<int32_t>(threadIdx.x); first < count; first += kEach * step) {
    int32_t at[kEach][5];
    double gradient[kEach];
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      if (first + j * step >= count) continue;
      p.blocks.pooling.locate(p.blocks.output_of(first + j * step), true, at[j]);
      gradient[j] = p.grad_output.template read<double>(offset_of(p.grad_output, at[j]));
    }
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      if (first + j * step >= count) continue;
      quotient[first + j * step] = p.same != 0 ? gradient[j] : p.quotient(gradient[j], at[j]);
    }
  }
}

// Adds the windows of some adjacent elements of a row.
template <int kItems>
__device__ void add_windows(const Pooling<int32_t>& p, const PlaneItems& items, const double* quotient,
                            double (&sum)[kItems]) {
  int32_t begin[3], end[3], first[kItems], last[kItems];
  windows_of(p.dim, items.at + 2, items.count, begin, end);
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) p.dim[2].outputs(items.at[4] + j, &first[j], &last[j]);
  for (int32_t a = begin[0]; a < end[0]; ++a) {
    for (int32_t b = begin[1]; b < end[1]; ++b) {
      const double* const row = quotient + items.outputs + (a * p.dim[1].out.divisor() + b) * p.dim[2].out.divisor();
      for (int32_t e = begin[2]; e < end[2]; ++e) {
        const double x = row[e];
        DIOPI_UNROLL
        for (int j = 0; j < kItems; ++j) {
          if (kItems == 1 || (e >= first[j] && e < last[j])) sum[j] += x;
        }
      }
    }
  }
}

// A block computes whole planes. A thread computes some adjacent input elements of a row at a time.
template <typename S, int kItems>
__global__ void __launch_bounds__(kMostPlaneThreads) average_backward_of_planes(AveragePlanes<S> p) {
  DIOPI_DYNAMIC_SHARED(double, quotient);
  read_windows(p, quotient);
  __syncthreads();
  const int32_t count = p.blocks.planes_here() * p.blocks.groups;
  for (auto i = static_cast<int32_t>(threadIdx.x); i < count; i += static_cast<int32_t>(blockDim.x)) {
    const PlaneItems items = p.blocks.template items_of<kItems>(i);
    double sum[kItems] = {};
    add_windows(p.blocks.pooling, items, quotient, sum);
    DIOPI_UNROLL
    for (int j = 0; j < kItems && p.same != 0; ++j) {
      sum[j] = Mean<TypedPlanes<S>>::of(p.inverse, sum[j], p.blocks.pooling.divisor);
    }
    p.grad_input.write_items(offset_of(p.grad_input, items.at), sum, items.count, kItems > 1);
  }
}

int64_t blocks_of(int64_t numel) { return (numel + kPoolThreads - 1) / kPoolThreads; }

// The number by which all windows divide; 0 if their sizes differ.
int64_t same_divisor(const diopi::Windows& windows, const diopi::Averaging& averaging) {
  if (averaging.divisor != 0) return averaging.divisor;
  int64_t size = 1;
  for (const diopi::Window& w : windows.dim) {
    if (w.kernel == 0) {
      if (w.in % w.out != 0) return 0;
      size *= w.in / w.out;
      continue;
    }
    const int64_t stop = (w.out - 1) * w.stride - w.padding + w.kernel;
    if (averaging.count_padding ? stop > w.in + w.padding : w.padding != 0 || stop > w.in) return 0;
    size *= w.kernel;
  }
  return size;
}

// Adjacent threads lie along the channels if those of `view` are adjacent.
template <typename Index>
Averages<Index> averages_of(const diopi::Windows& windows, const diopi::Averaging& averaging, const TensorView& view) {
  const int64_t divisor = same_divisor(windows, averaging);
  Averages<Index> result{Pooling<Index>(windows, view.shape[1], averaging), 0.0};
  if (divisor != 0) result.inverse = 1.0 / static_cast<double>(divisor);
  result.windows.channels_last = has_channels_last(view) ? 1 : 0;
  return result;
}

template <typename S>
Status run_typed(diopiContextHandle_t ctx, const diopi::Windows& windows, const diopi::Averaging& averaging,
                 const TensorView& out, const TensorView& in) {
  using View = TypedPlanes<S>;
  const auto p = averages_of<int32_t>(windows, averaging, in);
  const auto extent = [&](int i) { return windows.dim[i].kernel; };
  const int64_t most = std::max(extent(1), extent(2));
  const Sharing sharing = sharing_of(windows, out.numel);
  if (sharing.lanes > 0 && p.windows.channels_last == 0) {
    return launch_blocks(ctx, average_of_lanes<View>, blocks_of(out.numel << sharing.lanes), kPoolThreads, p, View(out),
                         View(in), out.numel, sharing);
  }
  const bool adaptive = extent(1) == 0 || extent(2) == 0;
  const auto kernel = adaptive || most > 3 ? average<View, double, 1, 4>
                      : most == 3          ? average<View, double, 3, 3>
                      : most == 2          ? average<View, double, 2, 2>
                                           : average<View, double, 1, 1>;
  return launch_blocks(ctx, kernel, blocks_of(out.numel), kPoolThreads, p, View(out), View(in), out.numel);
}

template <typename S>
Status run_typed_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const diopi::Averaging& averaging,
                          const TensorView& grad_input, const TensorView& grad_output) {
  using View = TypedPlanes<S>;
  diopi::Averaging same = averaging;
  same.divisor = same_divisor(windows, averaging);
  const int items = plane_items(grad_input);
  PlaneLaunch planes;
  if (find_plane_launch(windows, same, grad_input, sizeof(double), items, &planes)) {
    const double inverse = same.divisor != 0 ? 1.0 / static_cast<double>(same.divisor) : 0.0;
    const AveragePlanes<S> call{planes.blocks, View(grad_input), View(grad_output), inverse, same.divisor != 0 ? 1 : 0};
    const auto kernel = items == 4   ? average_backward_of_planes<S, 4>
                        : items == 2 ? average_backward_of_planes<S, 2>
                                     : average_backward_of_planes<S, 1>;
    return launch_planes(ctx, kernel, planes, sizeof(double), call);
  }
  const auto kernel = same.divisor != 0 ? average_backward<View, double, true> : average_backward<View, double, false>;
  return launch_blocks(ctx, kernel, blocks_of(grad_input.numel), kPoolThreads,
                       averages_of<int32_t>(windows, same, grad_input), View(grad_input), View(grad_output),
                       grad_input.numel);
}

}  // namespace

Status avg_pool(diopiContextHandle_t ctx, const diopi::Windows& windows, const diopi::Averaging& averaging,
                const TensorView& out, const TensorView& in) {
  const bool typed = fits_32_bits(windows, averaging) && fits_32_bits(out) && fits_32_bits(in);
  return with_typed(
      in.dtype, typed,
      [&](auto tag) -> Status { return run_typed<diopi::tagged<decltype(tag)>>(ctx, windows, averaging, out, in); },
      [&] {
        const auto p = averages_of<int64_t>(windows, averaging, in);
        const auto kernel =
            diopi::is_floating(in.dtype) ? average<Planes, double, 1, 1> : average<Planes, int64_t, 1, 1>;
        return launch_blocks(ctx, kernel, blocks_of(out.numel), kPoolThreads, p, Planes(out), Planes(in), out.numel);
      });
}

Status avg_pool_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const diopi::Averaging& averaging,
                         const TensorView& grad_input, const TensorView& grad_output) {
  if (grad_output.numel == 0) return fill(ctx, grad_input, diopiScalar_t{diopi_dtype_int64, {0}});
  const bool typed = fits_32_bits(windows, averaging) && fits_32_bits(grad_input) && fits_32_bits(grad_output);
  const int64_t numel = grad_input.numel;
  return with_typed(
      grad_input.dtype, typed,
      [&](auto tag) -> Status {
        return run_typed_backward<diopi::tagged<decltype(tag)>>(ctx, windows, averaging, grad_input, grad_output);
      },
      [&] {
        const auto kernel = diopi::is_floating(grad_input.dtype) ? average_backward<Planes, double, false>
                                                                 : average_backward<Planes, int64_t, false>;
        return launch_blocks(ctx, kernel, blocks_of(numel), kPoolThreads,
                             averages_of<int64_t>(windows, averaging, grad_input), Planes(grad_input),
                             Planes(grad_output), numel);
      });
}

}  // namespace impl::cuda
