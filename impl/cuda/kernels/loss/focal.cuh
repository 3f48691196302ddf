// SPDX-License-Identifier: BSD-3-Clause
#ifndef IMPL_CUDA_KERNELS_LOSS_FOCAL_CUH_
#define IMPL_CUDA_KERNELS_LOSS_FOCAL_CUH_

#include <cmath>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

// The power of a probability in a focal loss. Most exponents are 2.
template <typename T>
__device__ T focal_power(T q, T exponent) {
  if (exponent == T(2)) return q * q;
  if (exponent == T(1)) return q;
  return exponent == T(0) ? T(1) : std::pow(q, exponent);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LOSS_FOCAL_CUH_
