// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/im2col/im2col.hpp"

#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/index/sums.cuh"

namespace impl::cuda {

namespace {

// Takes the last coordinate from a number in row-major order.
__device__ int64_t take(int64_t* number, int64_t extent) {
  const int64_t rest = *number / extent, at = *number - rest * extent;
  *number = rest;
  return at;
}

template <typename T>
__global__ void __launch_bounds__(kBlock) copy_elements_of_blocks(BlocksCall call) {
  const diopi::Window &rows = call.rows, &columns = call.columns;
  const int64_t blocks = rows.out * columns.out, elements = call.channels * rows.kernel * columns.kernel;
  for (int64_t i = thread_item(); i < call.images * elements * blocks; i += all_threads()) {
    int64_t rest = i;
    const int64_t block = take(&rest, blocks), element = take(&rest, elements), image = rest;
    int64_t place = block, part = element;
    const int64_t x_window = take(&place, columns.out), y_window = place;
    const int64_t x_in = take(&part, columns.kernel), y_in = take(&part, rows.kernel), channel = part;
    const int64_t y = y_window * rows.stride - rows.padding + y_in * rows.dilation;
    const int64_t x = x_window * columns.stride - columns.padding + x_in * columns.dilation;
    T value{};
    if (y >= 0 && y < rows.in && x >= 0 && x < columns.in) {
      value = static_cast<const T*>(call.in)[image * call.image_stride[0] + channel * call.image_stride[1] +
                                             y * call.image_stride[2] + x * call.image_stride[3]];
    }
    static_cast<T*>(
        call.out)[image * call.column_stride[0] + element * call.column_stride[1] + block * call.column_stride[2]] =
        value;
  }
}

// The number of the window that has position `at` as its element `element`; -1 if there is none.
__device__ int64_t window_at(const diopi::Window& windows, int64_t at, int64_t element) {
  const int64_t begin = at + windows.padding - element * windows.dilation, window = begin / windows.stride;
  return begin >= 0 && window * windows.stride == begin && window < windows.out ? window : -1;
}

template <typename Sum>
__global__ void __launch_bounds__(kBlock) add_elements_of_blocks(BlocksCall call) {
  using Number = typename Sum::Number;
  const diopi::Window &rows = call.rows, &columns = call.columns;
  for (int64_t i = thread_item(); i < call.images * call.channels * rows.in * columns.in; i += all_threads()) {
    int64_t rest = i;
    const int64_t x = take(&rest, columns.in), y = take(&rest, rows.in), channel = take(&rest, call.channels);
    Sum sum(Number(0));
    for (int64_t row = 0; row < rows.kernel; ++row) {
      const int64_t y_window = window_at(rows, y, row);
      for (int64_t column = 0; y_window >= 0 && column < columns.kernel; ++column) {
        const int64_t x_window = window_at(columns, x, column);
        if (x_window < 0) continue;
        const int64_t element = (channel * rows.kernel + row) * columns.kernel + column;
        const int64_t at = rest * call.column_stride[0] + element * call.column_stride[1] +
                           (y_window * columns.out + x_window) * call.column_stride[2];
        sum.add(load_as<Number>(call.in, at, call.dtype));
      }
    }
    const int64_t at = rest * call.image_stride[0] + channel * call.image_stride[1] + y * call.image_stride[2] +
                       x * call.image_stride[3];
    store_as(call.out, at, call.dtype, sum.result());
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

}  // namespace

cudaError_t copy_blocks(cudaStream_t stream, const BlocksCall& call) {
  const int64_t blocks = call.rows.out * call.columns.out * call.rows.kernel * call.columns.kernel;
  const dim3 grid = grid_for(call.images * call.channels * blocks);
  return diopi::for_itemsize(diopi::dtype_size(call.dtype), [&](auto tag) {
    return launch(copy_elements_of_blocks<diopi::tagged<decltype(tag)>>, grid, kBlock, 0, stream, call);
  });
}

cudaError_t add_blocks(cudaStream_t stream, const BlocksCall& call) {
  const dim3 grid = grid_for(call.images * call.channels * call.rows.in * call.columns.in);
  return with_sum(call.dtype, [&](auto tag) {
    return launch(add_elements_of_blocks<diopi::tagged<decltype(tag)>>, grid, kBlock, 0, stream, call);
  });
}

cudaError_t sum_windows(cudaStream_t stream, const WindowsCall& call) {
  return with_sum(call.dtype, [&](auto tag) {
    return launch(add_elements_of_windows<diopi::tagged<decltype(tag)>>, grid_for(call.numel), kBlock, 0, stream, call);
  });
}

}  // namespace impl::cuda
