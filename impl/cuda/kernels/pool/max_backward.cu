// SPDX-License-Identifier: BSD-3-Clause
// The gradient of max pooling adds up, for each input element, the gradients of the windows that chose it.
#include "impl/common/engine/fill.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/pool/plane_blocks.cuh"
#include "impl/cuda/kernels/pool/pool.hpp"
#include "impl/cuda/kernels/pool/positions.cuh"

namespace impl::cuda {

namespace {

constexpr diopi::Averaging kNoAverage;
constexpr int kGradients = 4, kMostGradients = 8;       // adjacent input elements of a thread
constexpr int kLeastChunk = 8;                          // 2^8 indices share a flag at least
constexpr int64_t kMostChunks = 4096, kMostFlags = 16;  // of all planes, of a plane
constexpr uint16_t kNoneChosen = UINT16_MAX;            // more than any position of a plane of a block

// Whether the window of an output holds a position of the plane.
template <typename Index>
__device__ bool holds(const Pooling<Index>& p, const Index* at, Index position) {
  Span<Index> span[3];
  bool inside = true;
  for (int d = 2; d >= 0; --d) {
    span[d] = p.dim[d].inputs(at[2 + d], false);
    inside = inside && p.dim[d].holds(span[d], p.dim[d].in.split(&position));
  }
  return inside;
}

// Adds, for `count` adjacent input elements, the gradients of the windows begin <= o < end that chose them.
// chosen(o) is the position that a window chose, less that of the first element.
template <int kItems, typename Index, class Chosen, class Gradient>
__device__ void add_chosen(const Index* begin, const Index* end, int count, const Chosen& chosen,
                           const Gradient& gradient, double (&sum)[kItems]) {
  for (Index a = begin[0]; a < end[0]; ++a) {
    for (Index b = begin[1]; b < end[1]; ++b) {
      for (Index e = begin[2]; e < end[2]; ++e) {
        const auto item = chosen(a, b, e);
        if (item < 0 || item >= count) continue;
        const double g = gradient(a, b, e);
        DIOPI_UNROLL
        for (int j = 0; j < kItems; ++j) {
          if (item == j) sum[j] += g;
        }
      }
    }
  }
}

template <typename S>
struct MaximumPlanes {
  PlaneBlocks blocks;
  TypedPlanes<S> grad_input, grad_output;
  Positions<int32_t> indices;
  FirstBad bad;
};

// Reads the windows of the block. Returns whether an index of the thread is not in the window of its output.
template <typename S>
__device__ bool read_windows(const MaximumPlanes<S>& p, S* gradient, uint16_t* chosen) {
  constexpr int kEach = 4;  // windows of a thread, whose loads do not wait for each other
  const auto& dim = p.blocks.pooling.dim;
  const int32_t count = p.blocks.planes_here() * p.blocks.outputs, step = static_cast<int32_t>(blockDim.x);
  const int32_t plane = dim[0].in.divisor() * dim[1].in.divisor() * dim[2].in.divisor();
  bool astray = false;
  for (auto first = static_cast<int32_t>(threadIdx.x); first < count; first += kEach * step) {
    int32_t at[kEach][5];
    int64_t position[kEach];
    S g[kEach];
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      if (first + j * step >= count) continue;
      p.blocks.pooling.locate(p.blocks.output_of(first + j * step), true, at[j]);
      position[j] = p.indices.read(offset_of(p.indices, at[j]));
      g[j] = p.grad_output.data[offset_of(p.grad_output, at[j])];
    }
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      const int32_t slot = first + j * step;
      if (slot >= count) continue;
      const bool exists = position[j] >= 0 && position[j] < plane;
      if (!exists) report(p.bad, p.blocks.output_of(slot), position[j]);
      astray = astray || !exists || !holds(p.blocks.pooling, at[j], static_cast<int32_t>(position[j]));
      chosen[slot] = exists ? static_cast<uint16_t>(position[j]) : kNoneChosen;
      gradient[slot] = g[j];
    }
  }
  return astray;
}

// A block computes whole planes. A thread computes some adjacent input elements of a row at a time.
template <typename S, int kItems>
__global__ void __launch_bounds__(kMostPlaneThreads) maximum_backward_of_planes(MaximumPlanes<S> p) {
  DIOPI_DYNAMIC_SHARED(unsigned char, memory);
  S* const gradient = reinterpret_cast<S*>(memory);
  auto* const chosen = reinterpret_cast<uint16_t*>(gradient + p.blocks.of_block * p.blocks.outputs);
  const bool astray = __syncthreads_or(read_windows(p, gradient, chosen) ? 1 : 0) != 0;
  const auto& dim = p.blocks.pooling.dim;
  const int32_t count = p.blocks.planes_here() * p.blocks.groups;
  for (auto i = static_cast<int32_t>(threadIdx.x); i < count; i += static_cast<int32_t>(blockDim.x)) {
    const PlaneItems items = p.blocks.template items_of<kItems>(i);
    int32_t begin[3] = {}, end[3] = {dim[0].out.divisor(), dim[1].out.divisor(), dim[2].out.divisor()};
    if (!astray) windows_of(dim, items.at + 2, items.count, begin, end);  // else the indices are the caller's own
    const int32_t position = (items.at[2] * dim[1].in.divisor() + items.at[3]) * dim[2].in.divisor() + items.at[4];
    const auto slot = [&](int32_t a, int32_t b, int32_t e) {
      return items.outputs + (a * dim[1].out.divisor() + b) * dim[2].out.divisor() + e;
    };
    double sum[kItems] = {};
    add_chosen(
        begin, end, items.count,
        [&](int32_t a, int32_t b, int32_t e) { return static_cast<int32_t>(chosen[slot(a, b, e)]) - position; },
        [&](int32_t a, int32_t b, int32_t e) { return convert<double>(gradient[slot(a, b, e)]); }, sum);
    p.grad_input.write_items(offset_of(p.grad_input, items.at), sum, items.count, kItems > 1);
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
    p.locate(static_cast<Index>(i), true, at);
    const int64_t position = indices.read(offset_of(indices, at));
    const bool exists = position >= 0 && position < plane;
    if (!exists) report(bad, i, position);
    found = found || !exists || !holds(p, at, static_cast<Index>(position));
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
    const Index to[5] = {rest, c, z, y, x};
    Index begin[3] = {}, end[3] = {dim[0].out.divisor(), dim[1].out.divisor(), dim[2].out.divisor()};
    // If an index is astray, these are the caller's own indices: look at all of the plane.
    if (!p.is_astray(plane)) windows_of(dim, to + 2, count, begin, end);
    const int64_t position = (int64_t{z} * dim[1].in.divisor() + y) * width + x;
    double sum[kItems] = {};
    const Index from = rest * p.indices.stride[0] + c * p.indices.stride[1];
    const Index grad = rest * p.grad_output.stride[0] + c * p.grad_output.stride[1];
    const auto offset = [](Index base, const Index* stride, Index a, Index b, Index e) {
      return base + a * stride[2] + b * stride[3] + e * stride[4];
    };
    add_chosen(
        begin, end, count,
        [&](Index a, Index b, Index e) { return p.indices.read(offset(from, p.indices.stride, a, b, e)) - position; },
        [&](Index a, Index b, Index e) {
          return p.grad_output.template read<double>(offset(grad, p.grad_output.stride, a, b, e));
        },
        sum);
    p.grad_input.write_items(offset_of(p.grad_input, to), sum, count, p.aligned != 0);
  }
}

int64_t blocks_of(int64_t numel) { return (numel + kPoolThreads - 1) / kPoolThreads; }

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

// Whether blocks can compute whole planes; then makes the call.
template <typename S>
bool find_planes(const diopi::Windows& windows, const TensorView& grad_input, const TensorView& grad_output,
                 const TensorView& indices, const FirstBad& bad, PlaneLaunch* launch, MaximumPlanes<S>* planes) {
  constexpr int kBytes = sizeof(S) + sizeof(uint16_t);
  const int items = plane_items(grad_input);
  if (windows.dim[0].in * windows.dim[1].in * windows.dim[2].in > kNoneChosen) return false;
  if (!find_plane_launch(windows, kNoAverage, grad_input, kBytes, items, launch)) return false;
  *planes = {launch->blocks, TypedPlanes<S>(grad_input), TypedPlanes<S>(grad_output), Positions<int32_t>(indices), bad};
  return true;
}

}  // namespace

Status max_pool_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& grad_input,
                         const TensorView& grad_output, const TensorView& indices, const FirstBad& bad) {
  if (grad_output.numel == 0) return fill(ctx, grad_input, diopiScalar_t{diopi_dtype_int64, {0}});
  const bool typed = fits_32_bits(windows, kNoAverage) && fits_32_bits(grad_input) && fits_32_bits(grad_output) &&
                     fits_32_bits(indices);
  return with_typed(
      grad_input.dtype, typed,
      [&](auto tag) -> Status {
        using S = diopi::tagged<decltype(tag)>;
        PlaneLaunch planes;
        MaximumPlanes<S> call;
        if (find_planes(windows, grad_input, grad_output, indices, bad, &planes, &call)) {
          const int items = plane_items(grad_input);
          const auto kernel = items == 4   ? maximum_backward_of_planes<S, 4>
                              : items == 2 ? maximum_backward_of_planes<S, 2>
                                           : maximum_backward_of_planes<S, 1>;
          return launch_planes(ctx, kernel, planes, sizeof(S) + sizeof(uint16_t), call);
        }
        return run_backward<TypedPlanes<S>>(ctx, windows, grad_input, grad_output, indices, bad);
      },
      [&] { return run_backward<Planes>(ctx, windows, grad_input, grad_output, indices, bad); });
}

}  // namespace impl::cuda
