// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/index/mask.hpp"

#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/scan/scan.cuh"

namespace impl::cuda {

namespace {

constexpr int kEach = kMaskPart / kBlock;  // elements of a thread, which follow each other

template <bool kLists>
__global__ void __launch_bounds__(kBlock) walk_mask(MaskCall call) {
  const int64_t begin = blockIdx.x * kMaskPart + static_cast<int64_t>(threadIdx.x) * kEach;
  unsigned bits = 0;
  for (int k = 0; k < kEach; ++k) {
    if (begin + k < call.n && call.mask[begin + k] != 0) bits |= 1u << k;
  }
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
