// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of complex numbers in kernels.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_COMPLEX_FUNCTIONS_CUH_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_COMPLEX_FUNCTIONS_CUH_

#include <cmath>

#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

template <typename R>
__device__ inline Complex<R> operator+(Complex<R> a, Complex<R> b) {
  return Complex<R>(a.re + b.re, a.im + b.im);
}
template <typename R>
__device__ inline Complex<R> operator-(Complex<R> a, Complex<R> b) {
  return Complex<R>(a.re - b.re, a.im - b.im);
}
template <typename R>
__device__ inline Complex<R> operator-(Complex<R> a) {
  return Complex<R>(-a.re, -a.im);
}
// The textbook formula; infinities are not recovered from NaN.
template <typename R>
__device__ inline Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return Complex<R>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
// Smith's method: the operands are scaled by the larger part of the divisor, to avoid overflow of intermediate results.
template <typename R>
__device__ inline Complex<R> operator/(Complex<R> a, Complex<R> b) {
  if (std::fabs(b.re) >= std::fabs(b.im)) {
    if (b.re == 0 && b.im == 0) return Complex<R>(a.re / std::fabs(b.re), a.im / std::fabs(b.im));
    const R ratio = b.im / b.re, scale = R(1) / (b.re + b.im * ratio);
    return Complex<R>((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
  }
  const R ratio = b.re / b.im, scale = R(1) / (b.re * ratio + b.im);
  return Complex<R>((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}
template <typename R>
__device__ inline bool operator==(Complex<R> a, Complex<R> b) {
  return a.re == b.re && a.im == b.im;
}
template <typename R>
__device__ inline bool operator!=(Complex<R> a, Complex<R> b) {
  return !(a == b);
}

template <typename R>
__device__ inline Complex<R> conj(Complex<R> z) {
  return Complex<R>(z.re, -z.im);
}
template <typename R>
__device__ inline Complex<R> scaled(Complex<R> z, R factor) {
  return Complex<R>(z.re * factor, z.im * factor);
}

// The absolute value of the largest numbers overflows, and that of subnormal numbers is imprecise, so these are scaled
// by powers of two first.
__device__ inline Complex128 complex_sign(Complex128 z) {
  const double a = std::fabs(z.re), b = std::fabs(z.im), largest = a < b ? b : a;
  if (largest > 0x1p1000) z = scaled(z, 0x1p-10);
  if (largest < 0x1p-960) z = scaled(z, 0x1p80);
  if (z == Complex128(0)) return Complex128(0);
  const double magnitude = std::hypot(z.re, z.im);
  return Complex128(z.re / magnitude, z.im / magnitude);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_COMPLEX_FUNCTIONS_CUH_
