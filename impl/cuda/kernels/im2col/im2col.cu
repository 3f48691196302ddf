// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/im2col/im2col.hpp"

#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/index/sums.cuh"
#include "impl/cuda/kernels/pool/windows.cuh"

namespace impl::cuda {

namespace {

// How a kernel computes a call: with indices of 32 or 64 bits.
template <typename I>
struct BlocksNest {
  using Index = I;
  Index numel;
  Index image_stride[4], column_stride[3];
  Index elements;  // of a block, in all channels
  DividerOf<Index> channels, kernel_rows, kernel_columns;
  DividerOf<Index> row_groups;  // of adjacent blocks
  PoolWindow<Index> rows, columns;

  // A thread computes one of `count` items, or `group` adjacent blocks of a row.
  BlocksNest(const BlocksCall& call, int64_t count, int group = 1)
      : numel(static_cast<Index>(count / group)),
        elements(static_cast<Index>(call.channels * call.rows.kernel * call.columns.kernel)),
        channels(call.channels),
        kernel_rows(call.rows.kernel),
        kernel_columns(call.columns.kernel),
        row_groups(call.columns.out / group),
        rows(call.rows),
        columns(call.columns) {
    for (int i = 0; i < 4; ++i) image_stride[i] = static_cast<Index>(call.image_stride[i]);
    for (int i = 0; i < 3; ++i) column_stride[i] = static_cast<Index>(call.column_stride[i]);
  }
};

// A thread copies kItems adjacent blocks of a row.
template <typename T, int kItems, typename Index>
__global__ void __launch_bounds__(kBlock) copy_elements_of_blocks(BlocksNest<Index> p, T* out, const T* in) {
  for (int64_t i = thread_item(); i < p.numel; i += all_threads()) {
    auto rest = static_cast<Index>(i);
    const Index x_window = p.row_groups.split(&rest) * kItems, y_window = p.rows.out.split(&rest), before = rest;
    const Index x_in = p.kernel_columns.split(&rest), y_in = p.kernel_rows.split(&rest);
    const Index channel = p.channels.split(&rest), element = before - rest * p.elements;
    const Index block = y_window * p.columns.out.divisor() + x_window;
    const Index y = y_window * p.rows.stride - p.rows.padding + y_in * p.rows.dilation;
    const Index left = x_window * p.columns.stride - p.columns.padding + x_in * p.columns.dilation;
    const bool is_row = y >= 0 && y < p.rows.in.divisor();
    const T* const row = in + (rest * p.image_stride[0] + channel * p.image_stride[1] + y * p.image_stride[2]);
    Pack<T, kItems> word{};
    DIOPI_UNROLL
    for (int j = 0; j < kItems; ++j) {
      const Index x = left + j * p.columns.stride;
      if (is_row && x >= 0 && x < p.columns.in.divisor()) word.v[j] = row[x * p.image_stride[3]];
    }
    T* const to = out + (rest * p.column_stride[0] + element * p.column_stride[1] + block * p.column_stride[2]);
    *reinterpret_cast<Pack<T, kItems>*>(to) = word;
  }
}

// Calls f(window, element of the window) for the windows that hold a position, the last one first.
template <typename Index, class F>
__device__ void for_windows(const PoolWindow<Index>& windows, Index position, const F& f) {
  Index begin, end;
  windows.outputs(position, &begin, &end);
  for (Index w = end - 1; w >= begin; --w) {
    const Index distance = position + windows.padding - w * windows.stride;
    const Index element = windows.by_dilation.quotient(distance);
    if (element * windows.dilation == distance) f(w, element);
  }
}

template <typename Sum, class Memory, typename Index>
__global__ void __launch_bounds__(kBlock) add_elements_of_blocks(BlocksNest<Index> p, Memory out, Memory in) {
  using Number = typename Sum::Number;
  for (int64_t i = thread_item(); i < p.numel; i += all_threads()) {
    auto rest = static_cast<Index>(i);
    const Index x = p.columns.in.split(&rest), y = p.rows.in.split(&rest), channel = p.channels.split(&rest);
    const Index image = rest * p.column_stride[0];
    Sum sum(Number(0));
    for_windows(p.rows, y, [&](Index y_window, Index row) {
      const Index of_row = (channel * p.kernel_rows.divisor() + row) * p.kernel_columns.divisor();
      const Index block = y_window * p.columns.out.divisor();
      for_windows(p.columns, x, [&](Index x_window, Index column) {
        sum.add(in.template read<Number>(image + (of_row + column) * p.column_stride[1] +
                                         (block + x_window) * p.column_stride[2]));
      });
    });
    out.write(rest * p.image_stride[0] + channel * p.image_stride[1] + y * p.image_stride[2] + x * p.image_stride[3],
              sum.result());
  }
}

template <typename Sum>
__global__ void __launch_bounds__(kBlock) add_elements_of_windows(WindowsCall call) {
  using Number = typename Sum::Number;
  for (int64_t i = thread_item(); i < call.numel; i += all_threads()) {
    const int64_t other = i / call.extent, p = i - other * call.extent;
    int64_t offset[2] = {p * call.sums_stride, 0};
    add_offsets(call.others, other, offset);
    Sum sum(Number(0));
    const int64_t first = p < call.size ? 0 : (p - call.size) / call.step + 1;
    for (int64_t w = first; w < call.count && w * call.step <= p; ++w) {
      const int64_t at = offset[1] + w * call.window_stride + (p - w * call.step) * call.element_stride;
      sum.add(load_as<Number>(call.windows, at, call.dtype));
    }
    store_as(call.sums, offset[0], call.dtype, sum.result());
  }
}

// A call whose numbers and offsets fit 32 bits.
struct SmallWindows {
  Strided<2> others;  // strides in the sums and in the windows
  DividerOf<int32_t> inner, step;
  int32_t positions_inner;  // 1: adjacent threads lie along p, else along the other dimensions
  int32_t numel, count, size;
  int32_t sums_stride, window_stride, element_stride;
};

template <typename Sum, typename S>
__global__ void __launch_bounds__(kBlock) add_elements_of_small_windows(SmallWindows c, S* sums, const S* windows) {
  using Number = typename Sum::Number;
  const int64_t item = thread_item();
  if (item >= c.numel) return;
  auto rest = static_cast<int32_t>(item);
  const int32_t low = c.inner.split(&rest), p = c.positions_inner != 0 ? low : rest;
  int32_t offset[2];
  c.others.offsets(static_cast<uint32_t>(c.positions_inner != 0 ? rest : low), offset);
  Sum sum(Number(0));
  const int32_t step = c.step.divisor(), first = p < c.size ? 0 : c.step.quotient(p - c.size) + 1;
  const int32_t end = min(c.count, c.step.quotient(p) + 1);
  for (int32_t w = first; w < end; ++w) {
    sum.add(convert<Number>(windows[offset[1] + w * c.window_stride + (p - w * step) * c.element_stride]));
  }
  sums[offset[0] + p * c.sums_stride] = convert<S>(sum.result());
}

constexpr int64_t kMostSmall = INT32_MAX / 4;

// Adds the distance of the first and the last of `count` elements. Returns whether it is small.
bool add_span(int64_t count, int64_t stride, int64_t* span) {
  const int64_t step = stride < 0 ? -stride : stride;
  if (count > kMostSmall || (count > 1 && step > kMostSmall)) return false;
  if (count > 1) *span += (count - 1) * step;
  return *span <= kMostSmall;
}

bool is_small(const BlocksCall& call) {
  diopi::Windows windows;
  windows.dim[0] = call.rows, windows.dim[1] = call.columns;
  if (!fits_32_bits(windows, diopi::Averaging())) return false;
  int64_t image = 0, column = 0;
  const int64_t kernel = call.rows.kernel * call.columns.kernel, blocks = call.rows.out * call.columns.out;
  const int64_t extent[4] = {call.images, call.channels, call.rows.in, call.columns.in};
  for (int i = 0; i < 4; ++i) {
    if (!add_span(extent[i], call.image_stride[i], &image)) return false;
  }
  const int64_t extents[3] = {call.images, call.channels * kernel, blocks};
  int64_t numel = 1;
  for (int i = 0; i < 3; ++i) {
    if (!add_span(extents[i], call.column_stride[i], &column) || (numel *= extents[i]) > kMostSmall) return false;
  }
  return call.images * call.channels <= kMostSmall / (call.rows.in * call.columns.in);
}

// The adjacent blocks of a row, up to 4, whose elements one access can write.
int adjacent_blocks(const BlocksCall& call) {
  if (call.column_stride[2] != 1) return 1;
  const auto size = static_cast<int>(diopi::dtype_size(call.dtype));
  WordWidth width;
  width.divide(call.out);
  for (const int64_t count : {call.columns.out, call.column_stride[0], call.column_stride[1]})
    width.divide(count * size);
  return std::max(1, std::min(width.bytes() / size, 4));
}

bool make_small(const WindowsCall& call, SmallWindows* small) {
  int64_t sums = 0, windows = 0;
  bool fits = call.numel <= kMostSmall && call.step <= kMostSmall && call.size <= kMostSmall;
  fits = fits && add_span(call.extent, call.sums_stride, &sums);
  fits =
      fits && add_span(call.count, call.window_stride, &windows) && add_span(call.size, call.element_stride, &windows);
  for (int i = 0; i < call.others.n && fits; ++i) {
    const auto& loop = call.others.loop[i];
    fits = add_span(loop.extent, loop.stride[0], &sums) && add_span(loop.extent, loop.stride[1], &windows);
    small->others.extent[i] = Divider(static_cast<uint32_t>(loop.extent));
    for (int k = 0; k < 2; ++k) small->others.stride[i][k] = static_cast<int32_t>(loop.stride[k]);
  }
  if (!fits) return false;
  small->others.loops = call.others.n;
  const bool along = call.others.n == 0 || call.sums_stride == 1 || call.others.loop[0].stride[0] != 1;
  small->positions_inner = along ? 1 : 0;
  small->inner = DividerOf<int32_t>(along ? call.extent : call.numel / call.extent);
  small->step = DividerOf<int32_t>(call.step);
  small->numel = static_cast<int32_t>(call.numel);
  small->count = static_cast<int32_t>(call.count);
  small->size = static_cast<int32_t>(call.size);
  small->sums_stride = static_cast<int32_t>(call.sums_stride);
  small->window_stride = static_cast<int32_t>(call.window_stride);
  small->element_stride = static_cast<int32_t>(call.element_stride);
  return true;
}

// The sums of elements S of the dtypes that have kernels of their own.
template <typename S>
using SumOf = std::conditional_t<std::is_same_v<S, double>, LongReals, Reals>;

}  // namespace

cudaError_t copy_blocks(cudaStream_t stream, const BlocksCall& call) {
  const int64_t numel =
      call.images * call.channels * call.rows.kernel * call.columns.kernel * call.rows.out * call.columns.out;
  return diopi::for_itemsize(diopi::dtype_size(call.dtype), [&](auto tag) {
    using W = diopi::tagged<decltype(tag)>;
    const auto start = [&](auto kernel, const auto& nest) {
      return launch(kernel, grid_for(nest.numel), kBlock, 0, stream, nest, static_cast<W*>(call.out),
                    static_cast<const W*>(call.in));
    };
    if (!is_small(call)) return start(copy_elements_of_blocks<W, 1, int64_t>, BlocksNest<int64_t>(call, numel));
    constexpr int kPair = sizeof(W) <= 8 ? 2 : 1, kFour = sizeof(W) <= 4 ? 4 : 1;
    const int group = adjacent_blocks(call);
    const auto kernel = group == 4   ? copy_elements_of_blocks<W, kFour, int32_t>
                        : group == 2 ? copy_elements_of_blocks<W, kPair, int32_t>
                                     : copy_elements_of_blocks<W, 1, int32_t>;
    return start(kernel, BlocksNest<int32_t>(call, numel, group));
  });
}

cudaError_t add_blocks(cudaStream_t stream, const BlocksCall& call) {
  const int64_t numel = call.images * call.channels * call.rows.in * call.columns.in;
  const auto start = [&](auto kernel, const auto& nest, const auto& out, const auto& in) {
    return launch(kernel, grid_for(numel), kBlock, 0, stream, nest, out, in);
  };
  return with_typed(
      call.dtype, is_small(call),
      [&](auto tag) {
        using S = diopi::tagged<decltype(tag)>;
        using Memory = TypedElements<S>;
        return start(add_elements_of_blocks<SumOf<S>, Memory, int32_t>, BlocksNest<int32_t>(call, numel),
                     Memory(call.out, call.dtype), Memory(const_cast<void*>(call.in), call.dtype));
      },
      [&] {
        return with_sum(call.dtype, [&](auto sum) {
          return start(add_elements_of_blocks<diopi::tagged<decltype(sum)>, AnyElements, int64_t>,
                       BlocksNest<int64_t>(call, numel), AnyElements(call.out, call.dtype),
                       AnyElements(const_cast<void*>(call.in), call.dtype));
        });
      });
}

cudaError_t sum_windows(cudaStream_t stream, const WindowsCall& call) {
  SmallWindows small{};
  return with_typed(
      call.dtype, make_small(call, &small),
      [&](auto tag) {
        using S = diopi::tagged<decltype(tag)>;
        return launch(add_elements_of_small_windows<SumOf<S>, S>, blocks_for(call.numel), dim3(kBlock), 0, stream,
                      small, static_cast<S*>(call.sums), static_cast<const S*>(call.windows));
      },
      [&] {
        return with_sum(call.dtype, [&](auto tag) {
          return launch(add_elements_of_windows<diopi::tagged<decltype(tag)>>, grid_for(call.numel), kBlock, 0, stream,
                        call);
        });
      });
}

}  // namespace impl::cuda
