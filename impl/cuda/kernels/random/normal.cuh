// SPDX-License-Identifier: BSD-3-Clause
// Normal numbers from random words, with the same bits as on the CPU (impl/cpu/random/random-inl.h): every operation is
// rounded on its own, and none is fused with another.
#ifndef IMPL_CUDA_KERNELS_RANDOM_NORMAL_CUH_
#define IMPL_CUDA_KERNELS_RANDOM_NORMAL_CUH_

#include <cmath>
#include <cstring>

#include "impl/cuda/kernels/random/philox.cuh"
#include "impl/cuda/kernels/rounded.cuh"

namespace impl::cuda {

template <typename To, typename From>
__device__ inline To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  To result;
  memcpy(&result, &value, sizeof(To));
  return result;
}

// The constants of float and double.
template <typename T>
struct NormalConstants;

template <>
struct NormalConstants<float> {
  using Bits = int32_t;
  using Unsigned = uint32_t;
  static constexpr int kMantissa = 23, kBias = 64;
  static constexpr Bits kSqrtHalf = 0x3F3504F3;
  static constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  static constexpr int kLogTerms = 4, kSinTerms = 5, kCosTerms = 6;
};

template <>
struct NormalConstants<double> {
  using Bits = int64_t;
  using Unsigned = uint64_t;
  static constexpr int kMantissa = 52, kBias = 1024;
  static constexpr Bits kSqrtHalf = 0x3FE6A09E667F3BCDll;
  static constexpr double kLn2High = 0x1.62e42fefap-1, kLn2Low = 0x1.cf79abc9e3b3ap-40;
  static constexpr int kLogTerms = 11, kSinTerms = 9, kCosTerms = 9;
};

// a / b for |a| in {0} or [2^-40, 1] and b in [1, 4], with the bits of a division, whose code has a branch for numbers
// that are larger or smaller.
template <typename T>
__device__ inline Rounded<T> plain_quotient(Rounded<T> a, Rounded<T> b) {
  return a / b;
}
#ifdef __CUDA_ARCH__
template <>
__device__ inline Rounded<float> plain_quotient(Rounded<float> a, Rounded<float> b) {
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b.v));
  inverse = std::fma(std::fma(-b.v, inverse, 1.f), inverse, inverse);
  const float quotient = __fmul_rn(a.v, inverse);
  return {std::fma(inverse, std::fma(-b.v, quotient, a.v), quotient)};
}
#endif

// c[0] + z * (c[1] + z * (...)), where c[i] is coefficient(i).
template <typename T, class F>
__device__ inline Rounded<T> series(Rounded<T> z, int terms, F coefficient) {
  Rounded<T> sum{coefficient(terms - 1)};
  for (int i = terms - 2; i >= 0; --i) sum = sum * z + Rounded<T>{coefficient(i)};
  return sum;
}

// 1 / n!, with the sign of the Taylor series of sine and cosine.
template <typename T>
__device__ inline T taylor(int n) {
  constexpr double kFactorials[] = {1.,
                                    1.,
                                    2.,
                                    6.,
                                    24.,
                                    120.,
                                    720.,
                                    5040.,
                                    40320.,
                                    362880.,
                                    3628800.,
                                    39916800.,
                                    479001600.,
                                    6227020800.,
                                    87178291200.,
                                    1307674368000.,
                                    20922789888000.,
                                    355687428096000.};
  const T one = n / 2 % 2 == 0 ? T(1) : T(-1);
  return one / static_cast<T>(kFactorials[n]);
}

// The natural logarithm of x in (0, 1]. `complement` is 1 - x, which is more precise than x near x = 1.
template <typename T>
__device__ inline Rounded<T> logarithm(Rounded<T> x, Rounded<T> complement) {
  using C = NormalConstants<T>;
  using Bits = typename C::Bits;
  using Unsigned = typename C::Unsigned;
  const Bits bits = bits_as<Bits>(x.v);
  const Unsigned shifted =
      static_cast<Unsigned>(bits - C::kSqrtHalf) + (static_cast<Unsigned>(C::kBias) << C::kMantissa);
  const Bits exponent = static_cast<Bits>(shifted >> C::kMantissa) - C::kBias;
  const auto raised = static_cast<Unsigned>(exponent) << C::kMantissa;
  const Rounded<T> mantissa{bits_as<T>(static_cast<Bits>(static_cast<Unsigned>(bits) - raised))};
  const Rounded<T> f = exponent == 0 ? Rounded<T>{-complement.v} : mantissa - Rounded<T>{T(1)};
  const Rounded<T> e{static_cast<T>(exponent)};
  const Rounded<T> half_square = Rounded<T>{T(0.5)} * (f * f);
  const Rounded<T> s = plain_quotient(f, Rounded<T>{T(2)} + f), z = s * s;
  const auto odd = [](int i) { return T(2) / static_cast<T>(2 * i + 3); };
  const Rounded<T> rest = s * (half_square + z * series(z, C::kLogTerms, odd));
  const Rounded<T> low = rest + e * Rounded<T>{C::kLn2Low};
  return e * Rounded<T>{C::kLn2High} - ((half_square - low) - f);
}

// Two normal numbers by the Box-Muller transform: radius sqrt(-2 ln u), angle (quadrant + t) quarter turns.
template <typename T>
__device__ inline void box_muller(Rounded<T> u, Rounded<T> complement, int quadrant, Rounded<T> t, T (&z)[2]) {
  using C = NormalConstants<T>;
  const Rounded<T> radius = square_root(Rounded<T>{T(-2)} * logarithm(u, complement));
  const Rounded<T> x = t * Rounded<T>{T(1.57079632679489661923)}, square = x * x;
  const Rounded<T> sine = x * series(square, C::kSinTerms, [](int i) { return taylor<T>(2 * i + 1); });
  const Rounded<T> cosine = series(square, C::kCosTerms, [](int i) { return taylor<T>(2 * i); });
  const bool odd = (quadrant & 1) != 0;
  Rounded<T> cos_all = odd ? sine : cosine, sin_all = odd ? cosine : sine;
  if (((quadrant + 1) & 2) != 0) cos_all.v = -cos_all.v;
  if ((quadrant & 2) != 0) sin_all.v = -sin_all.v;
  z[0] = (radius * cos_all).v;
  z[1] = (radius * sin_all).v;
}

// word / 2^32, rounded once.
__device__ inline Rounded<float> word_to_unit(uint32_t word) {
  return Rounded<float>{static_cast<float>(word)} * Rounded<float>{0x1p-32f};
}

// Two standard normal numbers from two words.
__device__ inline void normal_pair(uint32_t a, uint32_t b, float (&z)[2]) {
  // The largest words are rounded to 2^32, so their sums with 1 need no more bits.
  const Rounded<float> u = word_to_unit(min(a, UINT32_MAX - 1) + 1), complement = word_to_unit(~a);
  const uint32_t quadrant = (b + (1u << 29)) >> 30;
  const auto rest = static_cast<int32_t>(b - (quadrant << 30));
  const Rounded<float> t = Rounded<float>{static_cast<float>(rest)} * Rounded<float>{0x1p-30f};
  box_muller(u, complement, static_cast<int>(quadrant), t, z);
}

// Two standard normal numbers from two pairs of words.
__device__ inline void normal_pair(uint64_t a, uint64_t b, double (&z)[2]) {
  const Rounded<double> biased{bits_as<double>((a >> 12) | 0x4330000000000000ull)};
  const Rounded<double> u = (biased - Rounded<double>{0x1p52 - 1}) * Rounded<double>{0x1p-52};
  const uint64_t angle = b >> 11, quadrant = (angle + (1ull << 50)) >> 51;
  const auto rest = static_cast<int64_t>(angle - (quadrant << 51));
  const Rounded<double> t = Rounded<double>{static_cast<double>(rest)} * Rounded<double>{0x1p-51};
  box_muller(u, Rounded<double>{1.0} - u, static_cast<int>(quadrant), t, z);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RANDOM_NORMAL_CUH_
