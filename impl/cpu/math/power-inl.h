/* SPDX-License-Identifier: BSD-3-Clause */
// Rsqrt, SquareRoot, Reciprocal, Pow. scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_POWER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_POWER_INL_H_
#undef IMPL_CPU_MATH_POWER_INL_H_
#else
#define IMPL_CPU_MATH_POWER_INL_H_
#endif

#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Whether estimates and corrections that square or cube the error are faster than square roots and divisions.
inline constexpr bool kEstimatesWell = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;

// Selects positive lanes with exponents so far from the limits that no step below overflows or becomes subnormal in
// float.
template <class D, class V>
HWY_INLINE auto InMiddleRange(D d, V x) {
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> du;
  const auto low = hn::BitCast(du, hn::Set(d, T(0x1p-100)));
  const auto count = hn::Sub(hn::BitCast(du, hn::Set(d, T(0x1p100))), low);
  return hn::RebindMask(d, hn::Lt(hn::Sub(hn::BitCast(du, x), low), count));
}

// Returns an estimate of 1 / sqrt(x) with an error of at most 2^-11.
template <class D, class V>
HWY_INLINE V EstimateRsqrt(D d, V x) {
  if constexpr (kIsFloat32<hn::TFromD<D>>) {
    return hn::ApproximateReciprocalSqrt(x);
  } else {
    const hn::Rebind<float, D> df;
    return hn::PromoteTo(d, hn::ApproximateReciprocalSqrt(hn::DemoteTo(df, x)));
  }
}
// Improves an estimate y of 1 / sqrt(x) by a step of third order.
template <class D, class V>
HWY_INLINE V ImproveRsqrt(D d, V x, V y) {
  using T = hn::TFromD<D>;
  const V e = hn::NegMulAdd(hn::Mul(x, y), y, hn::Set(d, T(1)));
  return hn::MulAdd(hn::Mul(y, e), hn::MulAdd(e, hn::Set(d, T(0.375)), hn::Set(d, T(0.5))), y);
}

// Rsqrt: at most 1.49 ULP in float, 1.47 in double.
template <class D, class V>
HWY_INLINE V Rsqrt(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  if constexpr (kEstimatesWell) {
    V y = ImproveRsqrt(d, x, EstimateRsqrt(d, x));
    if constexpr (!kIsFloat32<T>) {
      y = hn::MulAdd(hn::Mul(y, hn::Set(d, T(0.5))), hn::NegMulAdd(hn::Mul(x, y), y, one), y);
    }
    const auto middle = InMiddleRange(d, x);
    if (HWY_LIKELY(hn::AllTrue(d, middle))) return y;
    return hn::IfThenElse(middle, y, hn::Div(one, hn::Sqrt(x)));
  }
  return hn::Div(one, hn::Sqrt(x));
}

// Returns the correctly rounded square root for numbers in the middle range. The last step adds the exact remainder.
template <class D, class V>
HWY_INLINE V SquareRootByEstimate(D d, V x) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, T(0.5));
  V y = EstimateRsqrt(d, x);
  if constexpr (!kIsFloat32<T>) y = ImproveRsqrt(d, x, y);
  const V root = hn::Mul(x, y);
  const V half_inverse = hn::Mul(y, half);
  const V e = hn::NegMulAdd(root, half_inverse, half);
  const V better = hn::MulAdd(root, e, root);
  return hn::MulAdd(hn::NegMulAdd(better, better, x), hn::MulAdd(half_inverse, e, half_inverse), better);
}
template <class D, class V>
HWY_INLINE V SquareRoot(D d, V x) {
  if constexpr (kEstimatesWell) {
    if (HWY_LIKELY(hn::AllTrue(d, InMiddleRange(d, x)))) return SquareRootByEstimate(d, x);
  }
  return hn::Sqrt(x);
}

// Returns 1 / x, from an estimate like SquareRoot. For mantissas just below 2, the exact quotient is almost halfway
// between two numbers, so a few results are the wrong one of the two.
template <class D, class V>
HWY_INLINE V Reciprocal(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  if constexpr (kEstimatesWell) {
    V y;
    if constexpr (kIsFloat32<T>) {
      y = hn::ApproximateReciprocal(x);
    } else {
      const hn::Rebind<float, D> df;
      const V estimate = hn::PromoteTo(d, hn::ApproximateReciprocal(hn::DemoteTo(df, x)));
      const V e = hn::NegMulAdd(x, estimate, one);
      y = hn::MulAdd(hn::MulAdd(e, e, e), estimate, estimate);
    }
    const V better = hn::MulAdd(hn::NegMulAdd(x, y, one), y, y);
    const V best = hn::MulAdd(hn::NegMulAdd(x, better, one), better, better);
    const auto middle = InMiddleRange(d, hn::Abs(x));
    if (HWY_LIKELY(hn::AllTrue(d, middle))) return best;
    return hn::IfThenElse(middle, best, hn::Div(one, x));
  }
  return hn::Div(one, x);
}

// Returns 2^t for doubles t with error 2^-34.5, which is enough for results in float.
template <class D, class V>
HWY_INLINE V Exp2ForFloat(D d, V t) {
  static constexpr double kPoly[] = {0.9999999999613802,     0.6931471807296632,    0.24022651201212003,
                                     0.055504103507167085,   0.00961802684118382,   0.001333392377006167,
                                     0.00015469424062592634, 1.5201873651024912e-05};
  const V clamped = AtMost(hn::Set(d, 300.0), AtLeast(hn::Set(d, -300.0), t));
  const Rounded<V> k = RoundScaled(d, clamped, hn::Set(d, 1.0));
  return hn::Mul(Horner(d, hn::Sub(clamped, k.number), kPoly), PowerOfTwo(d, k.magic));
}

// Returns the logarithm of 0, infinity and NaN, and `ordinary` for other magnitudes.
template <class D, class V>
HWY_INLINE V LogOfMagnitude(D d, V magnitude, V ordinary) {
  const V infinity = hn::Set(d, kInfinity<hn::TFromD<D>>);
  const V finite = hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), hn::Neg(infinity), ordinary);
  return hn::IfThenElse(hn::Lt(magnitude, infinity), finite, magnitude);
}

// Returns x^y, given `power` = |x|^y. It handles signs and the arguments for which the logarithm is not sufficient.
template <class D, class V>
HWY_INLINE V CompletePower(D d, V x, V y, V power) {
  using T = hn::TFromD<D>;
  const V zero = hn::Zero(d), one = hn::Set(d, T(1)), infinity = hn::Set(d, kInfinity<T>);
  // A negative base has powers only for integers; for odd integers they are negative.
  const V half = hn::Mul(y, hn::Set(d, T(0.5)));
  const auto integral = hn::Eq(hn::Floor(y), y);
  const auto odd = hn::AndNot(hn::Eq(hn::Floor(half), half), integral);
  V result = hn::IfThenElse(odd, hn::CopySign(power, x), power);
  const auto undefined = hn::AndNot(integral, hn::And(hn::Lt(x, zero), hn::Gt(x, hn::Neg(infinity))));
  result = hn::IfThenElse(undefined, hn::Set(d, kNaN<T>), result);
  // x^0 and 1^y are 1 even for NaN, and (-1)^y is 1 for infinite y.
  const auto unit = hn::And(hn::Eq(hn::Abs(x), one), hn::Or(hn::Eq(x, one), hn::Eq(hn::Abs(y), infinity)));
  return hn::IfThenElse(hn::Or(hn::Eq(y, zero), unit), one, result);
}

// Computes x^y of float numbers in double, whose normal numbers include the subnormal numbers of float.
struct PowForFloat {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V magnitude = hn::Abs(x);
    const V t = hn::Mul(y, LogOfMagnitude(d, magnitude, Log2ForFloat(d, magnitude)));
    return CompletePower(d, x, y, Exp2ForFloat(d, t));
  }
};

// Returns (a.high + a.low) * (b.high + b.low) with about twice the precision. It needs fused products.
template <class V>
HWY_INLINE TwoNumbers<V> TwoProduct(TwoNumbers<V> a, TwoNumbers<V> b) {
  const V high = hn::Mul(a.high, b.high);
  const V error = hn::MulSub(a.high, b.high, high);
  return {high, hn::MulAdd(a.high, b.low, hn::MulAdd(a.low, b.high, error))};
}

// Returns log(x) for positive x as the sum of two doubles, with a relative error of 2^-65. With s = f / (2 + f) and z =
// s^2 it is k log(2) + 2s + s (2/3 z + z^2 R(z)), where double precision is enough for R (error 2^-66.3).
template <class D, class V>
HWY_INLINE TwoNumbers<V> PreciseLog(D d, V x) {
  using C = LogConstants<double>;
  static constexpr double kRest[] = {0.3999999999999998, 0.28571428571445123, 0.22222222217533544, 0.18181818870671976,
                                     0.1538455684667679, 0.13336318353328314, 0.11674799557601817, 0.11989170927137253};
  const auto denormal = hn::Lt(x, hn::Set(d, std::numeric_limits<double>::min()));
  const auto r = ReduceLog(d, hn::IfThenElse(denormal, hn::Mul(x, hn::Set(d, C::kDenormalScale)), x));
  const V k = hn::Add(r.k, hn::IfThenElseZero(denormal, hn::Set(d, C::kDenormalExponent)));
  const V two = hn::Set(d, 2.0);
  const V divisor = hn::Add(r.f, two);
  const V divisor_error = hn::Sub(r.f, hn::Sub(divisor, two));
  const V quotient = hn::Div(r.f, divisor);
  const V remainder = hn::NegMulAdd(quotient, divisor_error, hn::NegMulAdd(quotient, divisor, r.f));
  const TwoNumbers<V> s{quotient, hn::Div(remainder, divisor)};
  const TwoNumbers<V> z = TwoProduct(s, s);
  const V two_thirds = hn::Set(d, 0x1.5555555555555p-1);
  const TwoNumbers<V> cubic = TwoProduct(TwoNumbers<V>{two_thirds, hn::Set(d, 0x1.5555555555555p-55)}, z);
  const V rest = hn::MulAdd(hn::Mul(z.high, z.high), Horner(d, z.high, kRest), cubic.low);
  const V tail_high = hn::Add(cubic.high, rest);
  const TwoNumbers<V> tail{tail_high, hn::Add(hn::Sub(cubic.high, tail_high), rest)};
  const TwoNumbers<V> product = TwoProduct(s, tail);
  const TwoNumbers<V> a = TwoSum(hn::Mul(k, hn::Set(d, C::kLn2High)), hn::Mul(two, s.high));
  const TwoNumbers<V> b = TwoSum(a.high, product.high);
  V low = hn::MulAdd(two, s.low, hn::MulAdd(k, hn::Set(d, C::kLn2Low), product.low));
  low = hn::Add(low, hn::Add(a.low, b.low));
  return TwoSum(b.high, low);
}

// x^y = e^(y log x), with twice the precision of double for the product.
template <class D, class V>
HWY_INLINE V PowOfDouble(D d, V x, V y) {
  using C = ExpConstants<double>;
  const V magnitude = hn::Abs(x);
  const TwoNumbers<V> log = PreciseLog(d, magnitude);
  const V log_high = LogOfMagnitude(d, magnitude, log.high);
  const V t = hn::Mul(y, log_high);
  const V t_low = hn::MulAdd(y, log.low, hn::MulSub(y, log.high, t));
  const auto ordinary = hn::Lt(hn::Abs(t), hn::Set(d, 800.0));  // beyond it the low part may be NaN
  const V clamped = AtMost(hn::Set(d, C::kMax), AtLeast(hn::Set(d, C::kMin), t));
  const ReducedExp<V> e = ReduceExp(d, clamped);
  const V r = hn::Add(e.r, hn::IfThenElseZero(ordinary, t_low));
  return CompletePower(d, x, y, Scale(d, ExpOfReduced(d, r), e.k));
}

template <class D, class V, class F>
HWY_NOINLINE V ByLane(D d, V x, V y, F f) {
  using T = hn::TFromD<D>;
  constexpr size_t kLanes = HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN T xs[kLanes];
  HWY_ALIGN T ys[kLanes];
  hn::Store(x, d, xs);
  hn::Store(y, d, ys);
  for (size_t i = 0; i < hn::Lanes(d); ++i) xs[i] = f(xs[i], ys[i]);
  return hn::Load(d, xs);
}

// Pow: at most 0.51 ULP in float, 1.07 in double.
template <class D, class V>
HWY_INLINE V Pow(D d, V x, V y) {
  if constexpr (kIsFloat32<hn::TFromD<D>>) {
    return ThroughFloat64(d, PowForFloat{}, x, y);
  } else if constexpr (kFusedMulAdd) {
    return PowOfDouble(d, x, y);
  } else {
    return ByLane(d, x, y, [](double a, double b) { return std::pow(a, b); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_POWER_INL_H_
