// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/any.hpp"

#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/elementwise/complex_functions.cuh"

namespace impl::cuda {

using diopi::TensorView;

namespace {

struct Source {
  const char* data;
  diopiDtype_t dtype;
};

template <typename T>
__global__ void set_if_different(Strided<2> nest, Source a, Source b, int* found) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[2];
  nest.offsets(static_cast<uint32_t>(item), offset);
  if (load_as<T>(a.data, offset[0], a.dtype) != load_as<T>(b.data, offset[1], b.dtype)) atomicExch(found, 1);
}

// Loops over two views of one shape.
diopi::LoopNest<2> nest_of(const TensorView& a, const TensorView& b) {
  diopi::LoopNest<2> nest = diopi::row_major_nest(a.shape, a.stride, b.stride);
  nest.drop_ones();
  nest.merge();
  return nest;
}

template <typename T>
Status find_difference_in(diopiContextHandle_t ctx, const TensorView& a, const TensorView& b, bool* found) {
  *found = false;
  if (a.numel == 0) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  int* flag = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(1, &flag));
  DIOPI_TRY(checked(cudaMemsetAsync(flag, 0, sizeof(int), stream), "cudaMemsetAsync"));
  DIOPI_TRY(for_each_piece(nest_of(a, b), [&](const Piece<2>& piece) -> Status {
    const Source first{a.data + piece.base[0] * a.itemsize(), a.dtype};
    const Source second{b.data + piece.base[1] * b.itemsize(), b.dtype};
    const dim3 grid = blocks_for(piece.nest.numel);
    return checked(launch(set_if_different<T>, grid, dim3(kBlock), 0, stream, piece.nest, first, second, flag),
                   "a kernel");
  }));
  int value = 0;
  DIOPI_TRY(read_back(ctx, &value, flag, sizeof(value)));
  *found = value != 0;
  return diopiSuccess;
}

constexpr uint64_t kSignBit = uint64_t{1} << 63;

// Keeps the smallest and the largest integer of a grid of threads; the sign bit is changed, so that the order is that
// of unsigned numbers.
__global__ void extend_range(Strided<1> nest, Source in, unsigned long long* range) {
  uint64_t least = UINT64_MAX, most = 0;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t item = thread_item(); item < nest.numel; item += step) {
    int32_t offset[1];
    nest.offsets(static_cast<uint32_t>(item), offset);
    const uint64_t key = static_cast<uint64_t>(load_as<int64_t>(in.data, offset[0], in.dtype)) ^ kSignBit;
    least = key < least ? key : least;
    most = key > most ? key : most;
  }
  atomicMin(&range[0], static_cast<unsigned long long>(least));
  atomicMax(&range[1], static_cast<unsigned long long>(most));
}

}  // namespace

Status find_difference(diopiContextHandle_t ctx, const TensorView& a, const TensorView& b, diopiDtype_t dtype,
                       bool* found) {
  return diopi::visit_dtype<AllNumbers>(
      dtype, [&](auto tag) -> Status { return find_difference_in<diopi::tagged<decltype(tag)>>(ctx, a, b, found); });
}

Status find_range(diopiContextHandle_t ctx, const TensorView& view, int64_t* least, int64_t* most) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  const TensorView once = diopi::without_repeats(view);
  diopi::LoopNest<1> nest = diopi::row_major_nest(once.shape, once.stride);
  nest.drop_ones();
  nest.merge();
  unsigned long long* range = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(2, &range));
  DIOPI_TRY(checked(cudaMemsetAsync(range, 0xFF, sizeof(*range), stream), "cudaMemsetAsync"));
  DIOPI_TRY(checked(cudaMemsetAsync(range + 1, 0, sizeof(*range), stream), "cudaMemsetAsync"));
  DIOPI_TRY(for_each_piece(nest, [&](const Piece<1>& piece) -> Status {
    constexpr int64_t kMostBlocks = 1024;
    dim3 grid = blocks_for(piece.nest.numel);
    if (grid.x > kMostBlocks) grid.x = kMostBlocks;
    const Source in{once.data + piece.base[0] * once.itemsize(), once.dtype};
    return checked(launch(extend_range, grid, dim3(kBlock), 0, stream, piece.nest, in, range), "a kernel");
  }));
  uint64_t keys[2] = {};
  DIOPI_TRY(read_back(ctx, keys, range, sizeof(keys)));
  *least = static_cast<int64_t>(keys[0] ^ kSignBit);
  *most = static_cast<int64_t>(keys[1] ^ kSignBit);
  return diopiSuccess;
}

}  // namespace impl::cuda
