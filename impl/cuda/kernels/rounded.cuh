// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic whose every operation is rounded on its own, so that a formula has the same bits as on the CPU.
#ifndef IMPL_CUDA_KERNELS_ROUNDED_CUH_
#define IMPL_CUDA_KERNELS_ROUNDED_CUH_

#include <cmath>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

// A number whose operations the compiler does not fuse.
template <typename T>
struct Rounded {
  T v;
};

#ifdef __CUDA_ARCH__
#define IMPL_CUDA_ROUNDED(op, single, twofold)                                                                    \
  __device__ inline Rounded<float> operator op(Rounded<float> a, Rounded<float> b) { return {single(a.v, b.v)}; } \
  __device__ inline Rounded<double> operator op(Rounded<double> a, Rounded<double> b) { return {twofold(a.v, b.v)}; }
#else
#define IMPL_CUDA_ROUNDED(op, single, twofold)                                                              \
  __device__ inline Rounded<float> operator op(Rounded<float> a, Rounded<float> b) { return {a.v op b.v}; } \
  __device__ inline Rounded<double> operator op(Rounded<double> a, Rounded<double> b) { return {a.v op b.v}; }
#endif
IMPL_CUDA_ROUNDED(+, __fadd_rn, __dadd_rn)
IMPL_CUDA_ROUNDED(-, __fsub_rn, __dsub_rn)
IMPL_CUDA_ROUNDED(*, __fmul_rn, __dmul_rn)
IMPL_CUDA_ROUNDED(/, __fdiv_rn, __ddiv_rn)
#undef IMPL_CUDA_ROUNDED

template <typename T>
__device__ inline Rounded<T> square_root(Rounded<T> x) {
  return {std::sqrt(x.v)};
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROUNDED_CUH_
