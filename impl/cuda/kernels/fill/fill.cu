// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/fill/fill.hpp"

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/items.cuh"

namespace impl::cuda {

using diopi::TensorView;

namespace {

template <typename T>
struct Range {
  T start, step;
  __device__ T operator()(int64_t i) const {
    if constexpr (std::is_integral_v<T>) {
      const auto distance = static_cast<uint64_t>(i) * static_cast<uint64_t>(step);
      return static_cast<T>(static_cast<uint64_t>(start) + distance);
    } else {
      return start + static_cast<T>(i) * step;
    }
  }
};

struct Between {
  double start, end, step;
  int64_t count, half;
  __device__ double operator()(int64_t i) const {
    return i < half ? start + step * static_cast<double>(i) : end - step * static_cast<double>(count - 1 - i);
  }
};

constexpr int kItems = 4;  // adjacent elements of a thread of fill_packed_numbers

template <class F>
__global__ void fill_packed_numbers(int64_t numel, int64_t first, char* out, diopiDtype_t dtype, F value) {
  const int64_t begin = thread_item() * kItems;
  if (begin + kItems <= numel) {
    decltype(value(0)) x[kItems];
    DIOPI_UNROLL
    for (int j = 0; j < kItems; ++j) x[j] = value(first + begin + j);
    store_items(out, begin, dtype, x);
    return;
  }
  for (int64_t i = begin; i < numel; ++i) store_as(out, i, dtype, value(first + i));
}

template <class F>
__global__ void fill_numbered(Strided<1> nest, int64_t first, char* out, diopiDtype_t dtype, F value) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[1];
  nest.offsets(static_cast<uint32_t>(item), offset);
  store_as(out, offset[0], dtype, value(first + item));
}

template <class F>
Status launch_numbered(cudaStream_t stream, const TensorView& out, const F& value) {
  if (out.numel == 0) return diopiSuccess;
  diopi::LoopNest<1> nest = diopi::row_major_nest(out.shape, out.stride);
  nest.drop_ones();
  nest.merge();
  return for_each_piece(nest, [&](const Piece<1>& piece) -> Status {
    char* const to = out.data + piece.base[0] * out.itemsize();
    if (piece.nest.loops == 1 && piece.nest.stride[0][0] == 1 && are_items_aligned(to, out.itemsize(), kItems)) {
      const dim3 packed = blocks_for((int64_t{piece.nest.numel} + kItems - 1) / kItems);
      return checked(launch(fill_packed_numbers<F>, packed, dim3(kBlock), 0, stream, int64_t{piece.nest.numel},
                            piece.first, to, out.dtype, value),
                     "a fill");
    }
    const dim3 grid = blocks_for(piece.nest.numel);
    return checked(
        launch(fill_numbered<F>, grid, dim3(kBlock), 0, stream, piece.nest, piece.first, to, out.dtype, value),
        "a fill");
  });
}

__global__ void write_class(Strided<2> nest, char* out, diopiDtype_t out_dtype, int64_t stride, int64_t classes,
                            const char* in, diopiDtype_t in_dtype) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[2];
  nest.offsets(static_cast<uint32_t>(item), offset);
  const auto number = load_as<int64_t>(in, offset[1], in_dtype);
  if (number >= 0 && number < classes) store_as<int64_t>(out, offset[0] + number * stride, out_dtype, 1);
}

}  // namespace

Status fill_range(cudaStream_t stream, const TensorView& out, double start, double step) {
  return launch_numbered(stream, out, Range<double>{start, step});
}

Status fill_range(cudaStream_t stream, const TensorView& out, int64_t start, int64_t step) {
  return launch_numbered(stream, out, Range<int64_t>{start, step});
}

Status fill_between(cudaStream_t stream, const TensorView& out, double start, double end) {
  const int64_t count = out.numel;
  const double step = count > 1 ? (end - start) / static_cast<double>(count - 1) : 0;
  return launch_numbered(stream, out, Between{start, end, step, count, count == 1 ? 1 : count / 2});
}

Status write_ones(cudaStream_t stream, const TensorView& out, const TensorView& in) {
  if (in.numel == 0) return diopiSuccess;
  diopi::LoopNest<2> nest = diopi::row_major_nest(in.shape, out.stride, in.stride);
  nest.drop_ones();
  nest.merge();
  const int last = out.ndim() - 1;
  return for_each_piece(nest, [&](const Piece<2>& piece) -> Status {
    char* const to = out.data + piece.base[0] * out.itemsize();
    const char* const from = in.data + piece.base[1] * in.itemsize();
    const dim3 grid = blocks_for(piece.nest.numel);
    return checked(launch(write_class, grid, dim3(kBlock), 0, stream, piece.nest, to, out.dtype, out.stride[last],
                          out.shape[last], from, in.dtype),
                   "a kernel");
  });
}

}  // namespace impl::cuda
