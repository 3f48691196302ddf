/* SPDX-License-Identifier: BSD-3-Clause */
// Exp, Expm1, Sigmoid, Tanh, Sinh, Cosh. scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_EXP_INL_H_
#undef IMPL_CPU_MATH_EXP_INL_H_
#else
#define IMPL_CPU_MATH_EXP_INL_H_
#endif

#include "impl/cpu/math/common-inl.h"
#include "impl/cpu/math/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float kLog2E = 0x1.715476p+0f;
  static constexpr float kLn2High = 0x1.62e4p-1f;  // 15 bits: its product with any exponent is exact
  static constexpr float kLn2Low = 0x1.7f7d1cf79abcap-20f;
  // Minimax polynomial of (e^r - 1 - r) / r^2 on |r| <= ln(2)/2, after the exact first terms 1 and r of e^r. It has
  // error 2^-25.7 relative to e^r - 1.
  static constexpr float kPoly[] = {1.0f,          1.0f,           0.49999997f,   0.166665435f,
                                    0.0416672006f, 0.00836654752f, 0.00138825225f};
  static constexpr float kNormal = 87.0f;               // e^x is a normal number for |x| <= kNormal
  static constexpr float kMin = -104.0f, kMax = 89.0f;  // e^x rounds to 0 below kMin, to infinity above kMax
};
template <>
struct ExpConstants<double> {
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fefa3p-1;  // 41 bits
  static constexpr double kLn2Low = 0x1.3de6af278ece6p-42;
  // The polynomial of ExpConstants<float>::kPoly, with error 2^-54.7.
  static constexpr double kPoly[] = {
      1.0,
      1.0,
      0.5000000000000006,
      0.16666666666666588,
      0.041666666666576466,
      0.008333333333389687,
      0.001388888893166779,
      0.00019841269718823986,
      2.480150514194552e-05,
      2.7557407578660116e-06,
      2.7626093113055155e-07,
      2.5053811040112737e-08,
  };
  static constexpr double kNormal = 708.0;
  static constexpr double kMin = -746.0, kMax = 710.0;
};

// x = k ln(2) + r with |r| <= ln(2)/2. The range of x must be so small that k is an exponent.
template <class V>
struct ReducedExp {
  V k;  // magic + k
  V r;
};
template <class D, class V>
HWY_INLINE ReducedExp<V> ReduceExp(D d, V x) {
  using C = ExpConstants<hn::TFromD<D>>;
  const Rounded<V> k = RoundScaled(d, x, hn::Set(d, C::kLog2E));
  const V r = hn::NegMulAdd(k.number, hn::Set(d, C::kLn2High), x);
  return {k.magic, hn::NegMulAdd(k.number, hn::Set(d, C::kLn2Low), r)};
}
// ReduceExp() for a sum of two numbers, the second of which is small. r_low is the rounding error of r; e^(r_low) is
// approximated by 1 + r_low.
template <class V>
struct PreciselyReducedExp {
  V k;
  V r, r_low;
};
template <class D, class V>
HWY_INLINE PreciselyReducedExp<V> ReduceExp(D d, const TwoNumbers<V>& x) {
  using C = ExpConstants<hn::TFromD<D>>;
  const V low_part = hn::Set(d, C::kLn2Low);
  const Rounded<V> k = RoundScaled(d, x.high, hn::Set(d, C::kLog2E));
  const V first = hn::NegMulAdd(k.number, hn::Set(d, C::kLn2High), x.high);
  const V r = hn::NegMulAdd(k.number, low_part, first);
  return {k.magic, r, hn::Add(hn::NegMulAdd(k.number, low_part, hn::Sub(first, r)), x.low)};
}
// Return e^r and e^r - 1 for a reduced r.
template <class D, class V>
HWY_INLINE V ExpOfReduced(D d, V r) {
  return Horner(d, r, ExpConstants<hn::TFromD<D>>::kPoly);
}
template <class D, class V>
HWY_INLINE V Expm1OfReduced(D d, V r) {
  return hn::MulAdd(hn::Mul(r, r), HornerFrom<2>(d, r, ExpConstants<hn::TFromD<D>>::kPoly), r);
}

// Returns e^r - 1 and its rounding error.
template <class D, class V>
HWY_INLINE TwoNumbers<V> PreciseExpm1OfReduced(D d, V r) {
  const V square = hn::Mul(r, r), p = HornerFrom<2>(d, r, ExpConstants<hn::TFromD<D>>::kPoly);
  const V q = hn::MulAdd(square, p, r);
  return {q, hn::MulAdd(square, p, hn::Sub(r, q))};
}

// Returns e^x for |x| <= ExpConstants::kNormal, where e^x is a normal number.
template <class D, class V>
HWY_INLINE V ExpNormal(D d, V x) {
  const ReducedExp<V> e = ReduceExp(d, x);
  return ScaleNormal(d, ExpOfReduced(d, e.r), e.k);
}

// Where e^x rounds to 0, nothing subnormal is computed: Intel processors take 80 ns for each vector that holds such a
// number, even if it rounds to 0.
template <class D, class V>
HWY_NOINLINE V ExpWithSpecials(D d, V x) {
  using C = ExpConstants<hn::TFromD<D>>;
  const auto is_zero = hn::Lt(x, hn::Set(d, C::kMin));
  const ReducedExp<V> e = ReduceExp(d, AtMost(hn::Set(d, C::kMax), hn::IfThenZeroElse(is_zero, x)));
  return hn::IfThenZeroElse(is_zero, Scale(d, ExpOfReduced(d, e.r), e.k));
}

#if HWY_TARGET == HWY_AVX3
// y 2^k, and 0 where x < kMin.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> ScaleUnlessTiny(hn::Vec<hn::ScalableTag<float>> y,
                                                           hn::Vec<hn::ScalableTag<float>> k,
                                                           hn::Vec<hn::ScalableTag<float>> x) {
  const __mmask16 kept = _mm512_cmp_ps_mask(x.raw, _mm512_set1_ps(ExpConstants<float>::kMin), _CMP_NLT_UQ);
  return hn::Vec<hn::ScalableTag<float>>{_mm512_maskz_scalef_ps(kept, y.raw, k.raw)};
}
HWY_INLINE hn::Vec<hn::ScalableTag<double>> ScaleUnlessTiny(hn::Vec<hn::ScalableTag<double>> y,
                                                            hn::Vec<hn::ScalableTag<double>> k,
                                                            hn::Vec<hn::ScalableTag<double>> x) {
  const __mmask8 kept = _mm512_cmp_pd_mask(x.raw, _mm512_set1_pd(ExpConstants<double>::kMin), _CMP_NLT_UQ);
  return hn::Vec<hn::ScalableTag<double>>{_mm512_maskz_scalef_pd(kept, y.raw, k.raw)};
}
#endif

// Exp: at most 1.18 ULP in float, 1.20 in double. ExpAtMostOne: the same for x <= 0.
template <class D, class V>
HWY_INLINE V ExpAtMostOne(D d, V x) {
  using T = hn::TFromD<D>;
#if HWY_TARGET == HWY_AVX3  // one instruction scales to subnormal results too, so no test is needed
  const ReducedExp<V> e = ReduceExp(d, x);
  return ScaleUnlessTiny(ExpOfReduced(d, e.r), hn::Sub(e.k, hn::Set(d, kRoundingMagic<T>)), x);
#else
  const auto normal = hn::Le(hn::Abs(x), hn::Set(d, ExpConstants<T>::kNormal));
  if (HWY_UNLIKELY(!hn::AllTrue(d, normal))) return ExpWithSpecials(d, x);
  return ExpNormal(d, x);
#endif
}
template <class D, class V>
HWY_INLINE V Exp(D d, V x) {
#if HWY_TARGET == HWY_AVX3
  return ExpAtMostOne(d, AtMost(hn::Set(d, ExpConstants<hn::TFromD<D>>::kMax), x));
#else
  return ExpAtMostOne(d, x);
#endif
}

// Expm1: e^x - 1; at most 1.70 ULP in float, 2.25 in double.
template <class D, class V>
HWY_INLINE V Expm1(D d, V x) {
  using T = hn::TFromD<D>;
  using C = ExpConstants<T>;
  const V lowest = hn::Set(d, kIsFloat32<T> ? T(-20) : T(-40));  // for smaller x the result rounds to -1
  const ReducedExp<V> e = ReduceExp(d, AtMost(hn::Set(d, C::kMax), AtLeast(lowest, x)));
  // 2^k / 2 is used because 2^k overflows for the largest results.
  const V half = PowerOfTwo(d, hn::Sub(e.k, hn::Set(d, T(1))));
  const V y = hn::MulAdd(half, Expm1OfReduced(d, e.r), hn::Sub(half, hn::Set(d, T(0.5))));
  return hn::CopySign(hn::Add(y, y), x);
}

// For x < kSigmoidLow, the 1 in 1 / (1 + e^-x) has no effect and e^-x overflows later. There the result is e^x - e^2x.
template <typename T>
inline constexpr T kSigmoidLow = kIsFloat32<T> ? T(-16) : T(-36);
template <class D, class V>
HWY_NOINLINE V SigmoidWithSpecials(D d, V x, V ordinary) {
  const V z = ExpWithSpecials(d, x);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, kSigmoidLow<hn::TFromD<D>>)), hn::NegMulAdd(z, z, z), ordinary);
}

// Returns 1 / (1 + e^-x). The denominator is computed as 1 + 2^k + 2^k (e^r - 1), so e^-x itself is not rounded.
template <class D, class V>
HWY_INLINE V SigmoidOfReduced(D d, V x, V scale, V expm1_of_r) {
  const V one = hn::Set(d, hn::TFromD<D>(1));
  const V y = Inverse(d, hn::MulAdd(scale, expm1_of_r, hn::Add(scale, one)));
  const auto ordinary = hn::Ge(x, hn::Set(d, kSigmoidLow<hn::TFromD<D>>));
  if (HWY_UNLIKELY(!hn::AllTrue(d, ordinary))) return SigmoidWithSpecials(d, x, y);
  return y;
}

// Sigmoid: at most 1.75 ULP in float, 1.65 in double.
template <class D, class V>
HWY_INLINE V Sigmoid(D d, V x) {
  const ReducedExp<V> e = ReduceExp(d, AtLeast(hn::Set(d, hn::TFromD<D>(-40)), hn::Neg(x)));
  return SigmoidOfReduced(d, x, PowerOfTwo(d, e.k), Expm1OfReduced(d, e.r));
}

// Sigmoid(x) and 1 - Sigmoid(x). The second is computed without cancellation.
template <class V>
struct SigmoidPair {
  V value;
  V complement;
};
template <class D, class V>
HWY_INLINE SigmoidPair<V> SigmoidAndComplement(D d, V x) {
  using T = hn::TFromD<D>;
  const ReducedExp<V> e = ReduceExp(d, AtLeast(hn::Set(d, -ExpConstants<T>::kNormal), hn::Neg(x)));
  const V scale = PowerOfTwo(d, e.k);
  const V q = Expm1OfReduced(d, e.r);
  const V value = SigmoidOfReduced(d, x, scale, q);
  const V small = hn::Mul(hn::MulAdd(scale, q, scale), value);  // e^-x sigmoid(x)
  return {value, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), small, hn::Sub(hn::Set(d, T(1)), value))};
}

// Polynomial in x^2 of (tanh(x) / x - 1) / x^2 for |x| < 0.35, with error 2^-29.0 in float and error 2^-56.1 in double.
template <typename T>
struct TanhConstants;
template <>
struct TanhConstants<float> {
  static constexpr float kNear[] = {-0.333333224f, 0.133323565f, -0.0537236705f, 0.0194253512f};
};
template <>
struct TanhConstants<double> {
  static constexpr double kNear[] = {
      -0.33333333333332527,  0.13333333333119268,  -0.05396825377343703,  0.021869479951165945,
      -0.008863025766817127, 0.003589128908247287, -0.001430746757198071, 0.0004747477341083463,
  };
};

// Tanh: at most 1.50 ULP in float, 1.48 in double.
// Float uses table pieces if the target has them. Otherwise tanh is t / (t + 2) with t = e^(2|x|) - 1, and a polynomial
// near 0, where the rounding errors of the quotient add up.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (kIsFloat32<T> && kLooksUpWholeTables) return OddByPieces<TanhPieces>(d, x);
  const V bound = hn::Set(d, kIsFloat32<T> ? T(9.5) : T(20));  // tanh rounds to 1 from here on
  const V magnitude = hn::Abs(x);
  const V y = AtMost(bound, magnitude);
  const ReducedExp<V> e = ReduceExp(d, hn::Add(y, y));
  const V scale = PowerOfTwo(d, e.k);
  const V t = hn::MulAdd(scale, Expm1OfReduced(d, e.r), hn::Sub(scale, hn::Set(d, T(1))));
  const V far = hn::Div(t, hn::Add(t, hn::Set(d, T(2))));
  const V z = hn::Mul(x, x);
  const V near = hn::MulAdd(hn::Mul(z, magnitude), Horner(d, z, TanhConstants<T>::kNear), magnitude);
  return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, T(0.35))), near, far), x);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_EXP_INL_H_
