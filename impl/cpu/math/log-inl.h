/* SPDX-License-Identifier: BSD-3-Clause */
// Log, Log2, Log10, Log1p. scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_LOG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_LOG_INL_H_
#undef IMPL_CPU_MATH_LOG_INL_H_
#else
#define IMPL_CPU_MATH_LOG_INL_H_
#endif

#include "impl/cpu/math/common-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr int32_t kSqrtHalfBits = 0x3F3504F3;
  static constexpr float kDenormalScale = 0x1p24f, kDenormalExponent = -24.0f;
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cf79abcap-20f;
  static constexpr float kLog2EHigh = 0x1.715476p+0f, kLog2ELow = 0x1.4ae0cp-26f;
  static constexpr float kLog10EHigh = 0x1.bcb7b2p-2f, kLog10ELow = -0x1.5b235ep-27f;
  static constexpr float kLog10Of2High = 0x1.344p-2f, kLog10Of2Low = 0x1.3509f79fef312p-18f;
  // Minimax polynomial of (log(1 + f) - f) / f^2 on [sqrt(1/2) - 1, sqrt(2) - 1], with error
  // 2^-27.5 relative to log(1 + f).
  static constexpr float kPoly[] = {-0.499999881f, 0.333333254f,  -0.250015825f, 0.200019747f,  -0.166090876f,
                                    0.141818225f,  -0.132429481f, 0.129044235f,  -0.0762185082f};
};
template <>
struct LogConstants<double> {
  static constexpr int64_t kSqrtHalfBits = 0x3FE6A09E667F3BCD;
  static constexpr double kDenormalScale = 0x1p54, kDenormalExponent = -54.0;
  static constexpr double kLn2High = 0x1.62e42fefa3p-1, kLn2Low = 0x1.3de6af278ece6p-42;
  static constexpr double kLog2EHigh = 0x1.71547652b82fep+0, kLog2ELow = 0x1.777d0ffda0d24p-56;
  static constexpr double kLog10EHigh = 0x1.bcb7b1526e50ep-2, kLog10ELow = 0x1.95355baaafad3p-57;
  static constexpr double kLog10Of2High = 0x1.34413509f7p-2, kLog10Of2Low = 0x1.3fde623e2566bp-43;
  // Minimax polynomial in s^2 of (log((1 + s) / (1 - s)) - 2 s) / s^3 with s = f / (2 + f); error 2^-58.8.
  static constexpr double kPoly[] = {0.6666666666666734, 0.39999999999413866, 0.2857142874258519, 0.22222198551361438,
                                     0.1818356553431777, 0.15314017877527614, 0.14796293264617544};
};

// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive normal x.
template <class D, class V>
struct ReducedLog {
  V k;
  V f;
  hn::Vec<hn::RebindToSigned<D>> exponent;  // k as an integer
};
template <class D, class V>
HWY_INLINE ReducedLog<D, V> ReduceLog(D d, V x) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto k = hn::ShiftRight<kMantissaBits<T>>(hn::Sub(bits, hn::Set(di, LogConstants<T>::kSqrtHalfBits)));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<kMantissaBits<T>>(k)));
  V number;
  if constexpr (kIsFloat32<T>) {
    number = hn::ConvertTo(d, k);
  } else {  // few targets can convert 64-bit integers
    const V magic = hn::Set(d, kRoundingMagic<T>);
    number = hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(di, magic), k)), magic);
  }
  return {number, hn::Sub(m, hn::Set(d, T(1))), k};
}

// Returns log(1 + f) + k ln(2) for the k and f of ReduceLog.
template <class D, class V>
HWY_INLINE V LogOfReduced(D d, V k, V f) {
  using T = hn::TFromD<D>;
  using C = LogConstants<T>;
  if constexpr (kIsFloat32<T>) {
    const V y = hn::MulAdd(hn::Mul(f, f), Horner(d, f, C::kPoly), f);
    return hn::MulAdd(k, hn::Set(d, C::kLn2High), hn::MulAdd(k, hn::Set(d, C::kLn2Low), y));
  } else {
    const V half_square = hn::Mul(hn::Mul(f, f), hn::Set(d, T(0.5)));
    const V s = hn::Div(f, hn::Add(f, hn::Set(d, T(2))));
    const V z = hn::Mul(s, s);
    const V rest = hn::Mul(z, Horner(d, z, C::kPoly));
    const V low = hn::Mul(k, hn::Set(d, C::kLn2Low));
    const V tail = hn::Sub(half_square, hn::MulAdd(s, hn::Add(half_square, rest), low));
    return hn::MulAdd(k, hn::Set(d, C::kLn2High), hn::Sub(f, tail));
  }
}

struct LogBaseE {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V k, V f) const {
    return LogOfReduced(d, k, f);
  }
};
struct LogBase2 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V k, V f) const {
    using C = LogConstants<hn::TFromD<D>>;
    const V y = LogOfReduced(d, hn::Zero(d), f);
    return hn::Add(hn::MulAdd(y, hn::Set(d, C::kLog2EHigh), hn::Mul(y, hn::Set(d, C::kLog2ELow))), k);
  }
};
struct LogBase10 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V k, V f) const {
    using C = LogConstants<hn::TFromD<D>>;
    const V y = LogOfReduced(d, hn::Zero(d), f);
    const V low = hn::MulAdd(y, hn::Set(d, C::kLog10ELow), hn::Mul(k, hn::Set(d, C::kLog10Of2Low)));
    return hn::MulAdd(k, hn::Set(d, C::kLog10Of2High), hn::MulAdd(y, hn::Set(d, C::kLog10EHigh), low));
  }
};

// Logarithm of vectors with subnormal numbers, zeros, negative numbers, infinity or NaN.
template <class D, class V, class Base>
HWY_NOINLINE V LogWithSpecials(D d, V x, Base base) {
  using T = hn::TFromD<D>;
  using C = LogConstants<T>;
  const auto denormal = hn::Lt(x, hn::Set(d, std::numeric_limits<T>::min()));
  const V scaled = hn::IfThenElse(denormal, hn::Mul(x, hn::Set(d, C::kDenormalScale)), x);
  const auto r = ReduceLog(d, scaled);
  const V k = hn::Add(r.k, hn::IfThenElseZero(denormal, hn::Set(d, C::kDenormalExponent)));
  V y = base(d, k, r.f);
  y = hn::IfThenElse(hn::Eq(x, hn::Set(d, kInfinity<T>)), x, y);
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, -kInfinity<T>), y);
  return hn::IfThenElse(hn::Ge(x, hn::Zero(d)), y, hn::Set(d, kNaN<T>));
}

template <class D, class V, class Base>
HWY_INLINE V LogInBase(D d, V x, Base base) {
  using T = hn::TFromD<D>;
  // One unsigned comparison of the bits distinguishes positive normal numbers from all others.
  const hn::RebindToUnsigned<D> du;
  const auto lowest = hn::BitCast(du, hn::Set(d, std::numeric_limits<T>::min()));
  const auto count = hn::Sub(hn::BitCast(du, hn::Set(d, kInfinity<T>)), lowest);
  const auto ordinary = hn::Lt(hn::Sub(hn::BitCast(du, x), lowest), count);
  if (HWY_UNLIKELY(!hn::AllTrue(du, ordinary))) return LogWithSpecials(d, x, base);
  const auto r = ReduceLog(d, x);
  return base(d, r.k, r.f);
}

// Log: at most 0.92 ULP in float, 0.80 in double.
template <class D, class V>
HWY_INLINE V Log(D d, V x) {
  return LogInBase(d, x, LogBaseE{});
}
// Log2: at most 1.75 ULP in float, 1.53 in double.
template <class D, class V>
HWY_INLINE V Log2(D d, V x) {
  return LogInBase(d, x, LogBase2{});
}
// Log10: at most 1.96 ULP in float, 1.71 in double.
template <class D, class V>
HWY_INLINE V Log10(D d, V x) {
  return LogInBase(d, x, LogBase10{});
}

// Log1p: at most 1.48 ULP in float, 1.39 in double.
// 1 + x is split exactly into u + c. c is added to the fraction of u before the polynomial.
template <class D, class V>
HWY_INLINE V Log1p(D d, V x) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  const V one = hn::Set(d, T(1));
  const V u = hn::Add(one, x);
  const V b = hn::Sub(u, one);
  const V c = hn::Add(hn::Sub(one, hn::Sub(u, b)), hn::Sub(x, b));
  const auto r = ReduceLog(d, u);
  const V inverse = hn::BitCast(d, hn::Sub(hn::BitCast(di, one), hn::ShiftLeft<kMantissaBits<T>>(r.exponent)));
  const auto correctable = hn::Lt(u, hn::Set(d, T(kIsFloat32<T> ? 0x1p60 : 0x1p500)));  // for larger u, c has no effect
  const V f = hn::Add(r.f, hn::IfThenElseZero(correctable, hn::Mul(c, inverse)));
  V y = LogBaseE{}(d, r.k, f);
  y = hn::IfThenElse(hn::Lt(x, hn::Set(d, kInfinity<T>)), y, x);  // infinity and NaN
  y = hn::IfThenElse(hn::Eq(u, hn::Zero(d)), hn::Set(d, kInfinity<T>), y);
  y = hn::IfThenElse(hn::Lt(x, hn::Set(d, T(-1))), hn::Set(d, kNaN<T>), y);
  return hn::CopySign(y, x);
}

// Returns log2(x) for positive normal doubles x with error 2^-45.0, which is enough for results in float.
template <class D, class V>
HWY_INLINE V Log2ForFloat(D d, V x) {
  static constexpr double kPoly[] = {2.88539008177785,   0.9617966941134828,  0.5770779423172406,
                                     0.4122092577193314, 0.31990545985717006, 0.2829037696801085};
  const auto r = ReduceLog(d, x);
  const V s = hn::Div(r.f, hn::Add(r.f, hn::Set(d, 2.0)));
  return hn::MulAdd(s, Horner(d, hn::Mul(s, s), kPoly), r.k);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_LOG_INL_H_
