// SPDX-License-Identifier: BSD-3-Clause
// The weights of cubic convolution with the parameter -0.75.
#ifndef IMPL_CUDA_KERNELS_RESAMPLE_CUBIC_CUH_
#define IMPL_CUDA_KERNELS_RESAMPLE_CUBIC_CUH_

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

inline constexpr int kMostTaps = 4;

// At a distance `t` behind the second of four positions.
template <typename T>
__device__ inline void cubic_weights(T t, T* weight) {
  constexpr T kA = T(-0.75);
  const auto near = [](T d) { return ((kA + T(2)) * d - (kA + T(3))) * d * d + T(1); };
  const auto far = [](T d) { return ((kA * d - T(5) * kA) * d + T(8) * kA) * d - T(4) * kA; };
  weight[0] = far(t + T(1));
  weight[1] = near(t);
  weight[2] = near(T(1) - t);
  weight[3] = far(T(2) - t);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RESAMPLE_CUBIC_CUH_
