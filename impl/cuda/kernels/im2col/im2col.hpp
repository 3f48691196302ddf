// SPDX-License-Identifier: BSD-3-Clause
// Kernels for blocks of images and for windows along one dimension. Strides count elements.
#ifndef IMPL_CUDA_KERNELS_IM2COL_IM2COL_HPP_
#define IMPL_CUDA_KERNELS_IM2COL_IM2COL_HPP_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"
#include "impl/common/plan/windows.hpp"

namespace impl::cuda {

// Images [N, C, H, W] and columns [N, C * elements of a block, blocks].
struct BlocksCall {
  int64_t images, channels;
  int64_t image_stride[4], column_stride[3];
  diopi::Window rows, columns;
  diopiDtype_t dtype;
  void* out;
  const void* in;
};
// Writes the elements of blocks; those outside the image are 0.
cudaError_t copy_blocks(cudaStream_t stream, const BlocksCall& call);
// Writes the sums of the elements of blocks at each position of the image.
cudaError_t add_blocks(cudaStream_t stream, const BlocksCall& call);

// sums[.., p, ..] = the sum of windows[.., w, .., j] over w * step + j = p.
struct WindowsCall {
  diopi::LoopNest<2> others;  // the dimensions besides p; strides in the sums and in the windows
  int64_t numel, extent;      // of the sums, and of p
  int64_t count, size, step;  // of the windows
  int64_t sums_stride, window_stride, element_stride;
  diopiDtype_t dtype;
  void* sums;
  const void* windows;
};
cudaError_t sum_windows(cudaStream_t stream, const WindowsCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_IM2COL_IM2COL_HPP_
