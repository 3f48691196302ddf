/* SPDX-License-Identifier: BSD-3-Clause */
// Asin, Acos, Atan. scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_INVERSE_TRIG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_INVERSE_TRIG_INL_H_
#undef IMPL_CPU_MATH_INVERSE_TRIG_INL_H_
#else
#define IMPL_CPU_MATH_INVERSE_TRIG_INL_H_
#endif

#include "impl/cpu/math/common-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
struct InverseTrigConstants;
template <>
struct InverseTrigConstants<float> {
  static constexpr float kHalfPiHigh = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;
  // Minimax polynomial in x^2 of (asin(x) - x) / x^3 on |x| <= 1/2, with error 2^-30.1 relative to asin(x).
  static constexpr float kAsin[] = {0.166666597f,  0.0750050545f, 0.0445167087f,
                                    0.0318099149f, 0.0144298272f, 0.0375294015f};
  // Polynomial in x^2 of (atan(x) - x) / x^3 on |x| <= 1, with error 2^-25.5.
  static constexpr float kAtan[] = {-0.333332986f, 0.199985489f,   -0.142642438f, 0.109521963f, -0.0840347782f,
                                    0.0579580329f, -0.0311782528f, 0.0109148109f, -0.001793665f};
};
template <>
struct InverseTrigConstants<double> {
  static constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
  // Polynomial of asin, with error 2^-58.0.
  static constexpr double kAsin[] = {
      0.1666666666666676,   0.07499999999970636,   0.04464285717477696,  0.030381942699458226, 0.022372215232945716,
      0.017351607425436753, 0.013980877621542983,  0.011398429015565542, 0.01078304885615922,  0.0036955262694746012,
      0.021734684719196328, -0.021038656191178992, 0.03265402513347655,
  };
  // Polynomial of atan on |x| <= tan(pi/8), with error 2^-57.4.
  static constexpr double kAtan[] = {
      -0.333333333333332,    0.19999999999953247,  -0.1428571428016646,   0.11111110782146369,
      -0.09090897724899055,  0.07692059709321927,  -0.06663099091706724,  0.05847858322718872,
      -0.050391855797549845, 0.038062003601300715, -0.017904876956723367,
  };
};

// s + tail = asin(s), where s = |x|, or, if |x| > 1/2 (`outer`), s = sqrt((1 - |x|) / 2).
template <class D, class V>
struct CentralAsin {
  V s;
  V tail;
  hn::Mask<D> outer;
};
template <class D, class V>
HWY_INLINE CentralAsin<D, V> AsinOfCentre(D d, V magnitude) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, T(0.5));
  const auto outer = hn::Gt(magnitude, half);
  const V z = hn::IfThenElse(outer, hn::NegMulAdd(half, magnitude, half), hn::Mul(magnitude, magnitude));
  const V s = hn::IfThenElse(outer, hn::Sqrt(z), magnitude);
  return {s, hn::Mul(hn::Mul(s, z), Horner(d, z, InverseTrigConstants<T>::kAsin)), outer};
}

// Asin: at most 2.00 ULP in float, 2.01 in double.
// For |x| > 1/2 it is pi/2 - 2 asin(sqrt((1 - |x|) / 2)).
template <class D, class V>
HWY_INLINE V Asin(D d, V x) {
  using C = InverseTrigConstants<hn::TFromD<D>>;
  const auto c = AsinOfCentre(d, hn::Abs(x));
  const V two = hn::Set(d, hn::TFromD<D>(2));
  const V rest = hn::MulSub(two, c.tail, hn::Set(d, C::kHalfPiLow));
  const V outer = hn::Sub(hn::NegMulAdd(two, c.s, hn::Set(d, C::kHalfPiHigh)), rest);
  return hn::CopySign(hn::IfThenElse(c.outer, outer, hn::Add(c.s, c.tail)), x);
}

// Acos: at most 1.07 ULP in float, 1.12 in double.
template <class D, class V>
HWY_INLINE V Acos(D d, V x) {
  using C = InverseTrigConstants<hn::TFromD<D>>;
  const auto c = AsinOfCentre(d, hn::Abs(x));
  const auto negative = hn::Lt(x, hn::Zero(d));
  // Let a be AsinOfCentre. For |x| > 1/2, acos(x) is pi - 2a if x is negative, otherwise 2a. For other x it is pi/2 - a
  // or pi/2 + a, by the sign of x.
  const V outer_turns = hn::IfThenElseZero(negative, hn::Set(d, hn::TFromD<D>(2)));
  const V turns = hn::IfThenElse(c.outer, outer_turns, hn::Set(d, hn::TFromD<D>(1)));
  const V centre = hn::Add(c.s, c.tail);
  const V part = hn::IfThenElse(c.outer, hn::Add(centre, centre), centre);
  const V term = hn::IfThenElse(hn::Xor(c.outer, negative), part, hn::Neg(part));
  return hn::MulAdd(turns, hn::Set(d, C::kHalfPiHigh), hn::MulAdd(turns, hn::Set(d, C::kHalfPiLow), term));
}

// Atan: at most 1.36 ULP in float, 1.84 in double.
template <class D, class V>
HWY_INLINE V Atan(D d, V x) {
  using T = hn::TFromD<D>;
  using C = InverseTrigConstants<T>;
  const V one = hn::Set(d, T(1));
  const V magnitude = hn::Abs(x);
  V numerator, denominator, high, low;
  if constexpr (kIsFloat32<T>) {
    // atan(y) = pi/2 + atan(-1/y).
    const auto outer = hn::Gt(magnitude, one);
    numerator = hn::IfThenElse(outer, hn::Neg(one), magnitude);
    denominator = hn::IfThenElse(outer, magnitude, one);
    high = hn::IfThenElseZero(outer, hn::Set(d, C::kHalfPiHigh));
    low = hn::IfThenElseZero(outer, hn::Set(d, C::kHalfPiLow));
  } else {
    // atan(y) = pi/4 + atan((y - 1) / (y + 1)).
    const auto outer = hn::Gt(magnitude, hn::Set(d, T(2.414213562373095)));
    const auto inner = hn::Lt(magnitude, hn::Set(d, T(0.41421356237309503)));
    numerator = hn::IfThenElse(outer, hn::Neg(one), hn::IfThenElse(inner, magnitude, hn::Sub(magnitude, one)));
    denominator = hn::IfThenElse(outer, magnitude, hn::IfThenElse(inner, one, hn::Add(magnitude, one)));
    const V scale = hn::IfThenElse(outer, one, hn::IfThenElse(inner, hn::Zero(d), hn::Set(d, T(0.5))));
    high = hn::Mul(scale, hn::Set(d, C::kHalfPiHigh));
    low = hn::Mul(scale, hn::Set(d, C::kHalfPiLow));
  }
  const V t = hn::Div(numerator, denominator);
  const V z = hn::Mul(t, t);
  const V tail = hn::MulAdd(hn::Mul(z, t), Horner(d, z, C::kAtan), low);
  return hn::CopySign(hn::Add(high, hn::Add(t, tail)), x);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_INVERSE_TRIG_INL_H_
