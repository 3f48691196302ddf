// SPDX-License-Identifier: BSD-3-Clause
// Images and volumes in kernels.
#ifndef IMPL_CUDA_KERNELS_PLANES_CUH_
#define IMPL_CUDA_KERNELS_PLANES_CUH_

#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

// A tensor [N, C, D, H, W].
struct Planes {
  char* data;
  diopiDtype_t dtype;
  int64_t stride[5];

  explicit Planes(const diopi::TensorView& view) : data(view.data), dtype(view.dtype) {
    for (int i = 0; i < 5; ++i) stride[i] = view.stride[i];
  }
  Planes() : data(nullptr), dtype(diopi_dtype_unsupported), stride{} {}
  __device__ int64_t offset(const int64_t* at) const {
    int64_t result = 0;
    for (int i = 0; i < 5; ++i) result += at[i] * stride[i];
    return result;
  }
  template <typename T>
  __device__ T read(const int64_t* at) const {
    return load_as<T>(data, offset(at), dtype);
  }
  template <typename T>
  __device__ void write(const int64_t* at, T value) const {
    store_as(data, offset(at), dtype, value);
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_PLANES_CUH_
