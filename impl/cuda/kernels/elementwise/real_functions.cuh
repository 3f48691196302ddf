// SPDX-License-Identifier: BSD-3-Clause
// Functions of one real number in kernels. Gelu, Silu and the inverse of the error function of float are computed in
// double, unless results have 16 bits: their terms cancel, or their errors grow, where the result is small. tan, sinh
// and atanh of float are, too, because CUDA's own functions of float err by up to 4 units in the last place.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_REAL_FUNCTIONS_CUH_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_REAL_FUNCTIONS_CUH_

#include <cmath>
#include <limits>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

inline constexpr double kTwoOverRootPi = 1.1283791670955126;     // 2 / sqrt(pi)
inline constexpr double kNormalDensity = 0.39894228040143268;    // 1 / sqrt(2 pi)
inline constexpr double kRootHalf = 0.70710678118654757;         // sqrt(1 / 2)
inline constexpr double kRootHalfLow = -4.8336466567264567e-17;  // its rounding error

// 1 / (1 + e^-x). e^x is at most 1, so it does not overflow. A step of Newton takes the errors of the sum and of the
// quotient away, so that the error is that of the exponential function.
template <typename T>
__device__ inline T sigmoid(T x) {
  const T e = std::exp(x < T(0) ? x : -x), above = x < T(0) ? e : T(1);
  const T below = T(1) + e, lost = e - (below - T(1)), inverse = T(1) / below;
  const T quotient = above * inverse;
  const T rest = std::fma(-quotient, below, above) - quotient * lost;
  return std::fma(rest, inverse, quotient);
}

// Below, e^x may be subnormal although x e^x is a normal number.
template <typename T>
inline constexpr T kFarBelow = sizeof(T) == sizeof(double) ? T(-700) : T(-80);

template <typename T>
__device__ inline T silu(T x) {
  if (x > 0) return x / (1 + std::exp(-x));
  if (x < kFarBelow<T>) return x * std::exp(x / 2) * std::exp(x / 2);
  const T e = std::exp(x);
  return x * e / (1 + e);
}

// The normal distribution function: erfc(-x / sqrt(2)) / 2. The rounding error of the argument is taken into account,
// because the slope of erfc magnifies it.
template <typename T>
__device__ inline T normal_below(T x) {
  constexpr T kRoot = static_cast<T>(kRootHalf), kRootLow = static_cast<T>(kRootHalf - kRoot + kRootHalfLow);
  const T t = -x * kRoot;
  const T lost = std::fma(-x, kRoot, -t) - x * kRootLow;
  const T value = std::erfc(t);
  const T change = static_cast<T>(kTwoOverRootPi) * std::exp(-t * t) * lost;
  return T(0.5) * (change == change ? value - change : value);
}

template <typename T>
__device__ inline T gelu(T x) {
  return x * normal_below(x);
}

// Gelu by tanh: x sigmoid(2u) with 2u = 2 sqrt(2 / pi) (x + kCubic x^3).
inline constexpr double kGeluTwiceRoot = 1.5957691216057308;
inline constexpr double kGeluCubic = 0.044715;

template <typename T>
__device__ inline T gelu_tanh(T x) {
  const T z = static_cast<T>(kGeluTwiceRoot) * x * (1 + static_cast<T>(kGeluCubic) * x * x);
  if (z >= kFarBelow<T>) return x * sigmoid(z);
  return x * std::exp(z / 2) * std::exp(z / 2);
}

// The polynomials of Giles (2012), whose error is below 1e-6 for float but larger beside 1 in double, and steps of
// Halley.
__device__ inline double erfinv(double x) {
  const double a = std::fabs(x);
  if (!(a < 1)) return a == 1 ? x * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  constexpr double kCentral[] = {1.50140941,      0.246640727,    -0.00417768164, -0.00125372503, 0.00021858087,
                                 -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08};
  constexpr double kTail[] = {2.83297682,     1.00167406,    0.00943887047,  -0.0076224613,  0.00573950773,
                              -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257};
  double w = -std::log((1 - a) * (1 + a));
  const bool central = w < 5;
  w = central ? w - 2.5 : std::sqrt(w) - 3;
  double y = central ? kCentral[8] : kTail[8];
  for (int i = 7; i >= 0; --i) y = y * w + (central ? kCentral[i] : kTail[i]);
  y *= a;
  for (int step = 0; step < 5; ++step) {
    const double error = a < 0.5 ? std::erf(y) - a : (1 - a) - std::erfc(y);
    const double u = error / (kTwoOverRootPi * std::exp(-y * y));
    y -= u / (1 + y * u);
  }
  return std::copysign(y, x);
}

template <typename T>
__device__ inline T hardswish(T x) {
  const T shifted = x + T(3);
  const T gate = shifted < T(0) ? T(0) : shifted > T(6) ? T(6) : shifted;
  return x * (gate * T(1.0 / 6));  // in this order a large x does not overflow
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_REAL_FUNCTIONS_CUH_
