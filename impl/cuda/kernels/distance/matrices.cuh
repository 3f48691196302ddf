// SPDX-License-Identifier: BSD-3-Clause
// Batches of matrices in kernels.
#ifndef IMPL_CUDA_KERNELS_DISTANCE_MATRICES_CUH_
#define IMPL_CUDA_KERNELS_DISTANCE_MATRICES_CUH_

#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

// The matrices of kCount tensors that have the same batch dimensions.
template <int kCount>
struct Matrices {
  diopi::LoopNest<kCount> batch;
  char* data[kCount];
  int64_t row[kCount], column[kCount];  // strides
  int64_t count;

  static Matrices of(const diopi::TensorView* const (&views)[kCount]) {
    Matrices result{};
    const diopi::TensorView& first = *views[0];
    for (int d = first.ndim() - 3; d >= 0; --d) {
      diopi::Loop<kCount>& loop = result.batch.loop[result.batch.n++];
      loop.extent = first.shape[d];
      for (int k = 0; k < kCount; ++k) loop.stride[k] = views[k]->stride[d];
    }
    result.batch.drop_ones();
    result.batch.merge();
    result.count = result.batch.numel();
    for (int k = 0; k < kCount; ++k) {
      result.data[k] = views[k]->data;
      result.row[k] = views[k]->stride[first.ndim() - 2];
      result.column[k] = views[k]->stride[first.ndim() - 1];
    }
    return result;
  }

  // The element (i, j) of the matrix that begins at `offset`.
  template <typename T>
  __device__ T& at(int k, int64_t offset, int64_t i, int64_t j) const {
    return reinterpret_cast<T*>(data[k])[offset + i * row[k] + j * column[k]];
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_DISTANCE_MATRICES_CUH_
