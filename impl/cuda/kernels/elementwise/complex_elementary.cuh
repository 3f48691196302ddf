// SPDX-License-Identifier: BSD-3-Clause
// Elementary functions of complex numbers in kernels. Infinities and NaN give what annex G of C99 says.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_COMPLEX_ELEMENTARY_CUH_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_COMPLEX_ELEMENTARY_CUH_

#include <cmath>
#include <limits>

#include "impl/cuda/kernels/elementwise/complex_functions.cuh"

namespace impl::cuda {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kHalfPi = 1.5707963267948966;
inline constexpr double kLn2 = 0.6931471805599453;

__device__ inline bool is_nan(double x) { return x != x; }
__device__ inline bool is_infinite(double x) { return std::fabs(x) == kInfinite; }
__device__ inline bool has_nan(Complex128 z) { return is_nan(z.re) || is_nan(z.im); }
__device__ inline bool has_infinity(Complex128 z) { return is_infinite(z.re) || is_infinite(z.im); }

// i z and -i z.
__device__ inline Complex128 turned(Complex128 z) { return Complex128(-z.im, z.re); }
__device__ inline Complex128 turned_back(Complex128 z) { return Complex128(z.im, -z.re); }

// f(|x|) e^|x| may overflow although its product with a sine or cosine does not: e^|x| = step * kFarExp^2.
struct Exponential {
  double step, factor;
  __device__ explicit Exponential(double x) {
    constexpr double kFar = 350, kFarExp = 1.0070908870280797e152;  // e^350
    const bool far = x > 700;
    step = std::exp(far ? x - 2 * kFar : x);
    factor = far ? kFarExp : 1;
  }
  __device__ double times(double a) const { return a * step * factor * factor; }
};

__device__ inline Complex128 complex_exp(Complex128 z) {
  if (z.im == 0) return Complex128(std::exp(z.re), z.im);
  if (z.re == -kInfinite && !(std::fabs(z.im) < kInfinite)) return Complex128(0);
  const Exponential e(z.re);
  return Complex128(e.times(std::cos(z.im)), e.times(std::sin(z.im)));
}

// e^x cos(y) - 1 is computed as (e^x - 1) cos(y) - 2 sin(y / 2)^2, which loses no digits near 0.
__device__ inline Complex128 complex_expm1(Complex128 z) {
  const double half_sine = std::sin(z.im / 2);
  return Complex128(std::expm1(z.re) * std::cos(z.im) - 2 * half_sine * half_sine, std::exp(z.re) * std::sin(z.im));
}

// Near |z| = 1 the logarithm of |z| is that of 1 + (a - 1)(a + 1) + b^2.
__device__ inline Complex128 complex_log(Complex128 z) {
  const double x = std::fabs(z.re), y = std::fabs(z.im), a = x < y ? y : x, b = x < y ? x : y;
  const double angle = std::atan2(z.im, z.re);
  if (a > 0.5 && a < 2 && b < 2) return Complex128(std::log1p((a - 1) * (a + 1) + b * b) / 2, angle);
  if (a > 0x1p1000) return Complex128(std::log(std::hypot(x / 2, y / 2)) + kLn2, angle);
  return Complex128(std::log(std::hypot(x, y)), angle);
}

// The same near z = 0: |1 + z|^2 is 1 + x (2 + x) + y^2. Near -1 the sum loses digits, but there 1 + x is exact.
__device__ inline Complex128 complex_log1p(Complex128 z) {
  const double x = z.re, y = z.im;
  if (x < -0.5 || x > 1 || std::fabs(y) > 1) return complex_log(Complex128(1 + x, y));
  return Complex128(std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x));
}

// The largest and the smallest numbers are scaled by powers of four first.
__device__ inline Complex128 complex_sqrt(Complex128 z) {
  if (is_infinite(z.im)) return Complex128(kInfinite, z.im);
  if (is_infinite(z.re) && z.re < 0) {
    return Complex128(is_nan(z.im) ? z.im : 0, is_nan(z.im) ? z.re : std::copysign(kInfinite, z.im));
  }
  if (is_infinite(z.re)) return Complex128(z.re, is_nan(z.im) ? z.im : std::copysign(0.0, z.im));
  double x = std::fabs(z.re), y = z.im, scale = 1;
  if (x == 0 && y == 0) return Complex128(0, y);
  const double largest = x < std::fabs(y) ? std::fabs(y) : x;
  if (largest > 0x1p1000) x *= 0x1p-4, y *= 0x1p-4, scale = 0x1p2;
  if (largest < 0x1p-900) x *= 0x1p108, y *= 0x1p108, scale = 0x1p-54;
  const double root = std::sqrt((x + std::hypot(x, y)) / 2), other = y / (2 * root);
  if (z.re < 0) return Complex128(std::fabs(other) * scale, std::copysign(root, y) * scale);
  return Complex128(root * scale, other * scale);
}

__device__ inline Complex128 complex_sinh(Complex128 z) {
  if (z.im == 0) return Complex128(std::sinh(z.re), z.im);
  const double sine = std::sin(z.im), cosine = std::cos(z.im), x = std::fabs(z.re);
  if (!(x > 700)) return Complex128(std::sinh(z.re) * cosine, std::cosh(z.re) * sine);
  const Exponential e(x);
  return Complex128(e.times(std::copysign(0.5, z.re) * cosine), e.times(0.5 * sine));
}

__device__ inline Complex128 complex_cosh(Complex128 z) {
  if (z.im == 0) return Complex128(std::cosh(z.re), 0);
  const double sine = std::sin(z.im), cosine = std::cos(z.im), x = std::fabs(z.re);
  if (!(x > 700)) return Complex128(std::cosh(z.re) * cosine, std::sinh(z.re) * sine);
  const Exponential e(x);
  return Complex128(e.times(0.5 * cosine), e.times(std::copysign(0.5, z.re) * sine));
}

// Kahan, Branch Cuts for Complex Elementary Functions (1987).
__device__ inline Complex128 complex_tanh(Complex128 z) {
  if (z.im == 0) return Complex128(std::tanh(z.re), z.im);
  const double x = std::fabs(z.re);
  if (x == kInfinite) return Complex128(std::copysign(1.0, z.re), 0);
  if (x > 22) return Complex128(std::copysign(1.0, z.re), 4 * std::sin(z.im) * std::cos(z.im) * std::exp(-2 * x));
  const double t = std::tan(z.im), beta = 1 + t * t, s = std::sinh(z.re), rho = std::sqrt(1 + s * s);
  const double divisor = 1 + beta * s * s;
  return Complex128(beta * rho * s / divisor, t / divisor);
}

// The inverse functions use square roots of 1 - z and 1 + z, whose products do not cancel (Kahan).
__device__ inline Complex128 complex_asin(Complex128 z) {
  if (has_nan(z)) return Complex128(kNotANumber, kNotANumber);
  if (has_infinity(z)) return Complex128(std::atan2(z.re, std::fabs(z.im)), std::copysign(kInfinite, z.im));
  const Complex128 a = complex_sqrt(Complex128(1 - z.re, -z.im)), b = complex_sqrt(Complex128(1 + z.re, z.im));
  return Complex128(std::atan2(z.re, a.re * b.re - a.im * b.im), std::asinh(a.re * b.im - a.im * b.re));
}

__device__ inline Complex128 complex_acos(Complex128 z) {
  if (has_nan(z)) return Complex128(kNotANumber, kNotANumber);
  if (has_infinity(z)) return Complex128(std::atan2(std::fabs(z.im), z.re), -std::copysign(kInfinite, z.im));
  const Complex128 a = complex_sqrt(Complex128(1 - z.re, -z.im)), b = complex_sqrt(Complex128(1 + z.re, z.im));
  return Complex128(2 * std::atan2(a.re, b.re), std::asinh(b.re * a.im - b.im * a.re));
}

__device__ inline Complex128 complex_acosh(Complex128 z) {
  const Complex128 w = complex_acos(z);
  return Complex128(std::fabs(w.im), std::copysign(w.re, z.im));
}

// For x >= 0: the real part is ln(1 + 4x / ((1 - x)^2 + y^2)) / 4.
__device__ inline Complex128 complex_atanh(Complex128 z) {
  constexpr double kLarge = 0x1p500;
  const double x = std::fabs(z.re), y = std::fabs(z.im), largest = x < y ? y : x;
  if (is_infinite(z.im) || (is_infinite(z.re) && !is_nan(z.im))) {
    return Complex128(0, std::copysign(kHalfPi, z.im));
  }
  if (has_nan(z)) return Complex128(kNotANumber, kNotANumber);
  if (largest > kLarge) return Complex128(((Complex128(1) / z).re), std::copysign(kHalfPi, z.im));
  const double re =
      x == 1 ? (std::log(4 + y * y) - 2 * std::log(y)) / 4 : std::log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
  const double im = std::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;
  return Complex128(std::copysign(re, z.re), std::copysign(im, z.im));
}

// 1 / (1 + e^-z), by an exponential function that does not overflow.
__device__ inline Complex128 complex_sigmoid(Complex128 z) {
  const Complex128 one(1), e = complex_exp(z.re < 0 ? z : -z);
  return (z.re < 0 ? e : one) / (one + e);
}

// z^0 and 1^z are 1, and z^1 is z, for every z. For other infinities and NaN, the logarithm gives NaN.
__device__ inline Complex128 complex_power(Complex128 base, Complex128 exponent) {
  const Complex128 one(1);
  if (exponent == Complex128(0) || base == one) return one;
  return exponent == one ? base : complex_exp(exponent * complex_log(base));
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_COMPLEX_ELEMENTARY_CUH_
