/* SPDX-License-Identifier: BSD-3-Clause */
// Converts random words to random values. random.cpp includes this file once per target. It uses only additions,
// subtractions, multiplications, divisions and square roots, each rounded separately, so the values have the same bits
// on every target, with or without fused multiply-add.
#if defined(IMPL_CPU_RANDOM_RANDOM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_RANDOM_RANDOM_INL_H_
#undef IMPL_CPU_RANDOM_RANDOM_INL_H_
#else
#define IMPL_CPU_RANDOM_RANDOM_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "impl/cpu/random/random.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Converts integers of magnitude below 2^51 in 64-bit lanes to float64, by placing them in the mantissa of 1.5 * 2^52.
template <class D, class V>
HWY_INLINE hn::Vec<D> small_to_double(D d, V integer) {
  const hn::RebindToUnsigned<D> du;
  const auto biased = hn::Add(hn::BitCast(du, integer), hn::Set(du, 0x4338000000000000ull));
  return hn::Sub(hn::BitCast(d, biased), hn::Set(d, 6755399441055744.0));
}

// Returns c[0] + z * (c[1] + z * (...)).
template <class D, class V = hn::Vec<D>, typename T, size_t kTerms>
HWY_INLINE V polynomial(D d, V z, const T (&c)[kTerms]) {
  V sum = hn::Set(d, c[kTerms - 1]);
  for (size_t i = kTerms - 1; i-- > 0;) sum = hn::Add(hn::Mul(sum, z), hn::Set(d, c[i]));
  return sum;
}

// The constants of float32 and float64 for the functions below.
template <typename T>
struct Constants;

template <>
struct Constants<float> {
  using Bits = int32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kSqrtHalf = 0x3F3504F3;
  static constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;  // the high part has 10 bits
  // 2/3, 2/5, ...: the series of artanh. The first omitted term is below 1e-9.
  static constexpr float kLog[] = {2.f / 3, 2.f / 5, 2.f / 7, 2.f / 9};
  // Taylor's series up to pi / 4: sin(x) = x * p(x^2) and cos(x) = p(x^2).
  static constexpr float kSin[] = {1.f, -1.f / 6, 1.f / 120, -1.f / 5040, 1.f / 362880};
  static constexpr float kCos[] = {1.f, -1.f / 2, 1.f / 24, -1.f / 720, 1.f / 40320, -1.f / 3628800};
};

template <>
struct Constants<double> {
  using Bits = int64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kSqrtHalf = 0x3FE6A09E667F3BCDll;
  static constexpr double kLn2High = 0x1.62e42fefap-1, kLn2Low = 0x1.cf79abc9e3b3ap-40;  // the high part has 36 bits
  static constexpr double kLog[] = {2. / 3,  2. / 5,  2. / 7,  2. / 9,  2. / 11, 2. / 13,
                                    2. / 15, 2. / 17, 2. / 19, 2. / 21, 2. / 23};
  static constexpr double kSin[] = {1.,
                                    -1. / 6,
                                    1. / 120,
                                    -1. / 5040,
                                    1. / 362880,
                                    -1. / 39916800,
                                    1. / 6227020800.,
                                    -1. / 1307674368000.,
                                    1. / 355687428096000.};
  static constexpr double kCos[] = {1.,
                                    -1. / 2,
                                    1. / 24,
                                    -1. / 720,
                                    1. / 40320,
                                    -1. / 3628800,
                                    1. / 479001600.,
                                    -1. / 87178291200.,
                                    1. / 20922789888000.};
};

HWY_INLINE auto integer_to_float(hn::ScalableTag<float> d, hn::Vec<hn::ScalableTag<int32_t>> i) {
  return hn::ConvertTo(d, i);
}
HWY_INLINE auto integer_to_float(hn::ScalableTag<double> d, hn::Vec<hn::ScalableTag<int64_t>> i) {
  return small_to_double(d, i);
}

// Returns the natural logarithm of x in (0, 1]: exponent * ln 2 + log(1 + f), where 1 + f is in [sqrt(1/2), sqrt(2))
// and log(1 + f) = 2 artanh(f / (2 + f)). `complement` is 1 - x, which is more precise than x near x = 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V logarithm(D d, V x, V complement) {
  using C = Constants<hn::TFromD<D>>;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  // An arithmetic shift right, which some targets lack for 64-bit lanes: adding the bias makes the operand positive.
  constexpr int kBias = sizeof(hn::TFromD<D>) == 4 ? 64 : 1024;
  using Bits = typename C::Bits;
  const auto offset = hn::Set(di, static_cast<Bits>(static_cast<Bits>(kBias) << C::kMantissa));
  const auto shifted = hn::Add(hn::Sub(bits, hn::Set(di, C::kSqrtHalf)), offset);
  const auto exponent =
      hn::Sub(hn::BitCast(di, hn::ShiftRight<C::kMantissa>(hn::BitCast(hn::RebindToUnsigned<D>(), shifted))),
              hn::Set(di, static_cast<Bits>(kBias)));
  const V mantissa = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<C::kMantissa>(exponent)));
  const auto near_one = hn::RebindMask(d, hn::Eq(exponent, hn::Zero(di)));
  const V f = hn::IfThenElse(near_one, hn::Neg(complement), hn::Sub(mantissa, hn::Set(d, hn::TFromD<D>{1})));
  const V e = integer_to_float(d, exponent);
  const V half_square = hn::Mul(hn::Set(d, hn::TFromD<D>(0.5)), hn::Mul(f, f));
  const V s = hn::Div(f, hn::Add(hn::Set(d, hn::TFromD<D>{2}), f));
  const V z = hn::Mul(s, s);
  const V rest = hn::Mul(s, hn::Add(half_square, hn::Mul(z, polynomial(d, z, C::kLog))));
  const V low = hn::Add(rest, hn::Mul(e, hn::Set(d, C::kLn2Low)));
  return hn::Sub(hn::Mul(e, hn::Set(d, C::kLn2High)), hn::Sub(hn::Sub(half_square, low), f));
}

// Returns (word + kPlus) / 2^32, rounded once: both halves of the sum are exact.
template <int kPlus, class D, class VU, class V = hn::Vec<D>>
HWY_INLINE V word_to_unit(D d, VU word) {
  const hn::RebindToSigned<D> di;
  const hn::RebindToUnsigned<D> du;
  const V upper = hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<16>(word)));
  const auto lower = hn::Add(hn::BitCast(di, hn::And(word, hn::Set(du, 0xFFFFu))), hn::Set(di, kPlus));
  const V sum = hn::Add(hn::Mul(upper, hn::Set(d, 65536.f)), hn::ConvertTo(d, lower));
  return hn::Mul(sum, hn::Set(d, 0x1p-32f));
}

// Makes two normal numbers by the Box-Muller transform: radius sqrt(-2 ln u), angle (quadrant + t) quarter turns.
template <class D, class VI, class V = hn::Vec<D>>
HWY_INLINE void box_muller(D d, V u, V complement, VI quadrant, V t, V* z0, V* z1) {
  using T = hn::TFromD<D>;
  using C = Constants<T>;
  const hn::RebindToSigned<D> di;
  const auto one = hn::Set(di, 1), two = hn::Set(di, 2);
  const V radius = hn::Sqrt(hn::Mul(hn::Set(d, T{-2}), logarithm(d, u, complement)));
  const V x = hn::Mul(t, hn::Set(d, T(1.57079632679489661923)));
  const V square = hn::Mul(x, x);
  const V sine = hn::Mul(x, polynomial(d, square, C::kSin));
  const V cosine = polynomial(d, square, C::kCos);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quadrant, one), one));
  constexpr int kToSign = 8 * sizeof(T) - 2;  // from bit 1 to the sign bit
  const auto cos_sign = hn::ShiftLeft<kToSign>(hn::And(hn::Add(quadrant, one), two));
  const auto sin_sign = hn::ShiftLeft<kToSign>(hn::And(quadrant, two));
  const V cos_all = hn::Xor(hn::IfThenElse(odd, sine, cosine), hn::BitCast(d, cos_sign));
  const V sin_all = hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(d, sin_sign));
  *z0 = hn::Mul(radius, cos_all);
  *z1 = hn::Mul(radius, sin_all);
}

void NormalFloat(const uint32_t* words, int64_t n, const NormalParams& p, float* out) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<int32_t> di;
  const hn::ScalableTag<uint32_t> du;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto mean = hn::Set(d, static_cast<float>(p.mean)), std = hn::Set(d, static_cast<float>(p.std));
  for (int64_t i = 0; i < n; i += 2 * lanes) {
    hn::Vec<decltype(du)> a, b;
    hn::LoadInterleaved2(du, words + i, a, b);
    const auto u = word_to_unit<1>(d, a);
    const auto complement = word_to_unit<0>(d, hn::Xor(a, hn::Set(du, 0xFFFFFFFFu)));
    const auto quadrant = hn::ShiftRight<30>(hn::Add(b, hn::Set(du, 1u << 29)));
    const auto rest = hn::BitCast(di, hn::Sub(b, hn::ShiftLeft<30>(quadrant)));
    const auto t = hn::Mul(hn::ConvertTo(d, rest), hn::Set(d, 0x1p-30f));
    hn::Vec<decltype(d)> z0, z1;
    box_muller(d, u, complement, hn::BitCast(di, quadrant), t, &z0, &z1);
    hn::StoreInterleaved2(hn::Add(hn::Mul(z0, std), mean), hn::Add(hn::Mul(z1, std), mean), d, out + i);
  }
}

void NormalDouble(const uint32_t* words, int64_t n, const NormalParams& p, double* out) {
  const hn::ScalableTag<double> d;
  const hn::ScalableTag<int64_t> di;
  const hn::ScalableTag<uint64_t> du;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto mean = hn::Set(d, p.mean), std = hn::Set(d, p.std);
  for (int64_t i = 0; i < n; i += 2 * lanes) {
    hn::Vec<decltype(du)> a, b;
    hn::LoadInterleaved2(du, reinterpret_cast<const uint64_t*>(words + 2 * i), a, b);
    // The upper 52 bits plus one: 2^52 + k is the float64 with mantissa k.
    const auto biased = hn::BitCast(d, hn::Or(hn::ShiftRight<12>(a), hn::Set(du, 0x4330000000000000ull)));
    const auto u = hn::Mul(hn::Sub(biased, hn::Set(d, 0x1p52 - 1)), hn::Set(d, 0x1p-52));
    const auto angle = hn::ShiftRight<11>(b);
    const auto quadrant = hn::ShiftRight<51>(hn::Add(angle, hn::Set(du, 1ull << 50)));
    const auto rest = hn::Sub(angle, hn::ShiftLeft<51>(quadrant));
    const auto t = hn::Mul(small_to_double(d, rest), hn::Set(d, 0x1p-51));
    hn::Vec<decltype(d)> z0, z1;
    box_muller(d, u, hn::Sub(hn::Set(d, 1.0), u), hn::BitCast(di, quadrant), t, &z0, &z1);
    hn::StoreInterleaved2(hn::Add(hn::Mul(z0, std), mean), hn::Add(hn::Mul(z1, std), mean), d, out + i);
  }
}

void UniformFloat(const uint32_t* words, int64_t n, const UniformParams& p, float* out) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<int32_t> di;
  const hn::ScalableTag<uint32_t> du;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto from = hn::Set(d, static_cast<float>(p.from)), limit = hn::Set(d, static_cast<float>(p.limit));
  const auto range = hn::Set(d, static_cast<float>(p.to) - static_cast<float>(p.from));
  const auto unit = hn::Set(d, p.bits == 24 ? 0x1p-24f : p.bits == 11 ? 0x1p-11f : 0x1p-8f);
  for (int64_t i = 0; i < n; i += lanes) {
    const auto bits = hn::BitCast(di, hn::ShiftRightSame(hn::LoadU(du, words + i), 32 - p.bits));
    const auto v = hn::Add(hn::Mul(hn::Mul(hn::ConvertTo(d, bits), unit), range), from);
    hn::StoreU(hn::IfThenElse(hn::Ge(v, limit), from, v), d, out + i);
  }
}

void UniformDouble(const uint32_t* words, int64_t n, const UniformParams& p, double* out) {
  const hn::ScalableTag<double> d;
  const hn::ScalableTag<uint64_t> du;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto from = hn::Set(d, p.from), range = hn::Set(d, p.to - p.from), limit = hn::Set(d, p.limit);
  for (int64_t i = 0; i < n; i += lanes) {
    // The upper 53 bits are converted in two parts, of 27 and 26 bits.
    const auto word = hn::LoadU(du, reinterpret_cast<const uint64_t*>(words + 2 * i));
    const auto high = small_to_double(d, hn::ShiftRight<37>(word));
    const auto low = small_to_double(d, hn::And(hn::ShiftRight<11>(word), hn::Set(du, (1ull << 26) - 1)));
    const auto u = hn::Add(hn::Mul(high, hn::Set(d, 0x1p-27)), hn::Mul(low, hn::Set(d, 0x1p-53)));
    const auto v = hn::Add(hn::Mul(u, range), from);
    hn::StoreU(hn::IfThenElse(hn::Ge(v, limit), from, v), d, out + i);
  }
}

// The functions below are plain loops, which the compiler vectorises for each target.
void BernoulliBytes(const uint32_t* words, int64_t n, const BernoulliParams& p, uint8_t* out) {
  const uint32_t last = p.last;
  for (int64_t i = 0; i < n; ++i) out[i] = words[i] <= last;
  if (!p.any) {
    for (int64_t i = 0; i < n; ++i) out[i] = 0;
  }
}

void DropoutFloat(const uint8_t* mask, const float* x, int64_t n, float scale, float* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * (static_cast<float>(mask[i]) * scale);
}

void DropoutDouble(const uint8_t* mask, const double* x, int64_t n, double scale, double* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * (mask[i] * scale);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
