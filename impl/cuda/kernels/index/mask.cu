// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/index/mask.hpp"

#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/scan/scan.cuh"

namespace impl::cuda {

namespace {

constexpr int kEach = kMaskPart / kBlock;  // elements of a thread, which follow each other

// A bit for each of the elements of a thread that is true.
__device__ inline unsigned true_bits(const MaskCall& call, int64_t begin) {
  static_assert(kEach == sizeof(uint64_t), "one access reads the elements of a thread");
  const uint8_t* const mask = call.mask + begin;
  unsigned bits = 0;
  if (begin + kEach <= call.n && reinterpret_cast<uintptr_t>(mask) % sizeof(uint64_t) == 0) {
    const uint64_t word = *reinterpret_cast<const uint64_t*>(mask);
    DIOPI_UNROLL
    for (int k = 0; k < kEach; ++k) bits |= (word >> 8 * k & 0xFF) != 0 ? 1u << k : 0;
    return bits;
  }
  for (int k = 0; k < kEach; ++k) {
    if (begin + k < call.n && mask[k] != 0) bits |= 1u << k;
  }
  return bits;
}

template <bool kLists>
__global__ void __launch_bounds__(kBlock) walk_mask(MaskCall call) {
  const int64_t begin = blockIdx.x * kMaskPart + static_cast<int64_t>(threadIdx.x) * kEach;
  const unsigned bits = true_bits(call, begin);
  int total = 0;
  const int before = scan_block(__popc(bits), &total);
  if constexpr (!kLists) {
    if (threadIdx.x == 0) call.counts[blockIdx.x] = total;
  } else {
    int64_t at = call.counts[blockIdx.x] + before;
    for (int k = 0; k < kEach; ++k) {
      if ((bits >> k & 1) != 0) call.positions[at++] = begin + k;
    }
  }
}

__global__ void __launch_bounds__(kBlock) coordinates(CoordinatesCall call) {
  for (int64_t k = thread_item(); k < call.count; k += all_threads()) {
    int64_t rest = call.positions[k];
    for (int i = 0; i < call.loops.n; ++i) {
      const int64_t extent = call.loops.loop[i].extent, number = rest / extent;
      call.out[k * call.out_stride + call.loops.loop[i].stride[0]] = rest - number * extent;
      rest = number;
    }
  }
}

}  // namespace

cudaError_t count_mask(cudaStream_t stream, const MaskCall& call) {
  const dim3 grid(static_cast<unsigned>(mask_parts(call.n)));
  return launch(walk_mask<false>, grid, kBlock, 0, stream, call);
}

cudaError_t list_mask(cudaStream_t stream, const MaskCall& call) {
  const dim3 grid(static_cast<unsigned>(mask_parts(call.n)));
  return launch(walk_mask<true>, grid, kBlock, 0, stream, call);
}

cudaError_t write_coordinates(cudaStream_t stream, const CoordinatesCall& call) {
  return launch(coordinates, grid_for(call.count), kBlock, 0, stream, call);
}

}  // namespace impl::cuda
