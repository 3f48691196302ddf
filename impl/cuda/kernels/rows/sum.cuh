// SPDX-License-Identifier: BSD-3-Clause
// Sums in kernels whose error does not grow with their length: pairs of the rounded sum, and of what the roundings lost
// (Knuth's two-sum). So the mean of equal numbers is exact, and sums of float32 need no float64, of which most GPUs
// compute few numbers at a time.
#ifndef IMPL_CUDA_KERNELS_ROWS_SUM_CUH_
#define IMPL_CUDA_KERNELS_ROWS_SUM_CUH_

#include <cmath>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

// Sums that the compiler does not fuse with a product.
#ifdef __CUDA_ARCH__
__device__ inline float rounded_sum(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double rounded_sum(double a, double b) { return __dadd_rn(a, b); }
#else
__device__ inline float rounded_sum(float a, float b) { return a + b; }
__device__ inline double rounded_sum(double a, double b) { return a + b; }
#endif

template <typename T>
struct Sum {
  T high, low;

  __device__ void add(T x) {
    const T sum = rounded_sum(high, x), part = rounded_sum(sum, -high);
    low += rounded_sum(rounded_sum(high, -rounded_sum(sum, -part)), rounded_sum(x, -part));
    high = sum;
  }
  __device__ void add(const Sum& other) {
    add(other.high);
    low += other.low;
  }
  // An infinite sum has lost NaN.
  __device__ T value() const { return low - low == T(0) ? high + low : high; }
  // The sum divided by n, as the sum of a number and a small one; 0 if there is nothing to divide.
  __device__ void divide(int64_t n, T* quotient, T* rest) const {
    *quotient = *rest = 0;
    if (n == 0) return;
    const T divisor = static_cast<T>(n);
    const T off = static_cast<T>(n - static_cast<int64_t>(divisor));  // 0 for all numbers that T can represent
    *quotient = high / divisor;
    *rest = (std::fma(-*quotient, divisor, high) - *quotient * off + low) / divisor;
    if (*rest - *rest != T(0)) *rest = 0;
  }
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_SUM_CUH_
