// SPDX-License-Identifier: BSD-3-Clause
// The operands of the row kernels: views that are broadcast to one shape, and numbers in their place.
#ifndef IMPL_CUDA_KERNELS_ROWS_OPERANDS_CUH_
#define IMPL_CUDA_KERNELS_ROWS_OPERANDS_CUH_

#include <algorithm>

#include "impl/common/plan/loop_nest.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

// Inputs as a kernel reads them. Without memory, all elements are `number`.
template <int kCount>
struct Sources {
  const char* data[kCount];
  diopiDtype_t dtype[kCount];
  double number[kCount];

  template <typename T>
  __device__ T read(int k, int64_t offset) const {
    return data[k] != nullptr ? load_as<T>(data[k], offset, dtype[k]) : static_cast<T>(number[k]);
  }
};

// Outputs as a kernel writes them. Those without memory are not wanted.
template <int kCount>
struct Targets {
  char* data[kCount];
  diopiDtype_t dtype[kCount];

  template <typename T>
  __device__ void write(int k, int64_t offset, const T& value) const {
    if (data[k] != nullptr) store_as(data[k], offset, dtype[k], value);
  }
};

// Divides `*rest` by `extent` and returns the remainder. Most numbers have 32 bits, whose division is faster.
__device__ inline int64_t split_index(int64_t* rest, int64_t extent) {
  int64_t at;
  if (((*rest | extent) >> 32) == 0) {
    const auto n = static_cast<uint32_t>(*rest), d = static_cast<uint32_t>(extent);
    const uint32_t quotient = n / d;
    at = n - quotient * d;
    *rest = quotient;
  } else {
    const int64_t quotient = *rest / extent;
    at = *rest - quotient * extent;
    *rest = quotient;
  }
  return at;
}

// The offsets of all operands at an element of a nest.
template <class Nest>
__device__ void offsets_at(const Nest& nest, int64_t index, int64_t* offsets) {
  for (int k = 0; k < Nest::kOperands; ++k) offsets[k] = 0;
  for (int i = 0; i < nest.n; ++i) {
    const int64_t at = i + 1 < nest.n ? split_index(&index, nest.loop[i].extent) : index;
    for (int k = 0; k < Nest::kOperands; ++k) offsets[k] += at * nest.loop[i].stride[k];
  }
}

// Launches a kernel whose blocks take the next items until there are none. Blocks have `shared` bytes of shared memory.
template <typename... P, typename... A>
Status launch_blocks_with(diopiContextHandle_t ctx, void (*kernel)(P...), int64_t blocks, int threads, size_t shared,
                          const A&... args) {
  constexpr int64_t kMostBlocks = int64_t{1} << 20;
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  const dim3 grid(static_cast<unsigned>(std::min(blocks, kMostBlocks)));
  return checked(launch(kernel, grid, dim3(static_cast<unsigned>(threads)), shared, stream, args...), "a launch");
}
template <typename... P, typename... A>
Status launch_blocks(diopiContextHandle_t ctx, void (*kernel)(P...), int64_t blocks, int threads, const A&... args) {
  return launch_blocks_with(ctx, kernel, blocks, threads, 0, args...);
}

// Launches a kernel with a thread for each of `items` items, which are at most 2^31.
template <typename... P, typename... A>
Status launch_items(diopiContextHandle_t ctx, void (*kernel)(P...), int64_t items, const A&... args) {
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(launch(kernel, blocks_for(items), dim3(kBlock), 0, stream, args...), "a launch");
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_OPERANDS_CUH_
