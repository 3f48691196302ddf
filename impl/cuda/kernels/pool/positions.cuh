// SPDX-License-Identifier: BSD-3-Clause
// The indices of max pooling in kernels: the position in its plane of the element that a window chose.
#ifndef IMPL_CUDA_KERNELS_POOL_POSITIONS_CUH_
#define IMPL_CUDA_KERNELS_POOL_POSITIONS_CUH_

#include "impl/common/tensor_view.hpp"
#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

// They are int32 or int64.
template <typename I>
struct Positions {
  using Index = I;
  void* data;
  int64_t wide;
  Index stride[5];

  Positions() = default;
  explicit Positions(const diopi::TensorView& view) : data(view.data), wide(view.dtype == diopi_dtype_int64 ? 1 : 0) {
    for (int i = 0; i < 5; ++i) stride[i] = view.shape[i] > 1 ? static_cast<Index>(view.stride[i]) : 0;
  }
  __device__ int64_t read(Index offset) const {
    return wide != 0 ? static_cast<const int64_t*>(data)[offset] : static_cast<const int32_t*>(data)[offset];
  }
  __device__ void write(Index offset, Index position) const {
    if (wide != 0) {
      static_cast<int64_t*>(data)[offset] = position;
    } else {
      static_cast<int32_t*>(data)[offset] = static_cast<int32_t>(position);
    }
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_POOL_POSITIONS_CUH_
