/* SPDX-License-Identifier: BSD-3-Clause */
// Sin, Cos, Tan. scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_TRIG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_TRIG_INL_H_
#undef IMPL_CPU_MATH_TRIG_INL_H_
#else
#define IMPL_CPU_MATH_TRIG_INL_H_
#endif

#include "impl/cpu/math/common-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// pi/2 as a sum of parts. With fused products each part has full precision. Without, the first parts are so short that
// their products with the multiples of the fast range are exact.
template <typename T>
struct TrigConstants;
template <>
struct TrigConstants<float> {
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  static constexpr float kFused[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  static constexpr float kShort[] = {0x1.92p+0f, 0x1.fb4p-12f, 0x1.444p-24f, 0x1.68c234c4c6629p-39f};
  static constexpr float kLimit = kFusedMulAdd ? 5e4f : 1.2e4f;
  // Polynomials in r^2 on |r| <= pi/4: (sin(r) - r) / r^3 (error 2^-26.9), (cos(r) - 1 + r^2/2) / r^4
  // (error 2^-31.5), (tan(r) - r) / r^3 (error 2^-26.9).
  static constexpr float kSin[] = {-0.166666552f, 0.00833215937f, -0.000195147295f};
  static constexpr float kCos[] = {0.0416666456f, -0.00138872908f, 2.44301864e-05f};
  static constexpr float kTan[] = {0.333333522f,  0.133326232f,    0.0540646017f, 0.021257285f,
                                   0.0109021189f, 3.35344657e-06f, 0.00441979105f};
};
template <>
struct TrigConstants<double> {
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double kFused[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  static constexpr double kShort[] = {0x1.921fb54p+0, 0x1.10b46118p-30, 0x1.313198ap-61, 0x1.701b839a25205p-92};
  static constexpr double kLimit = kFusedMulAdd ? 1e8 : 5e6;
  // The polynomials of TrigConstants<float>, with error 2^-56.8, error 2^-60.3 and error 2^-55.9.
  static constexpr double kSin[] = {-0.1666666666666663,    0.008333333333321981,   -0.00019841269829446673,
                                    2.7557313561755306e-06, -2.505073703264563e-08, 1.5895535840130198e-10};
  static constexpr double kCos[] = {0.04166666666666659,    -0.00138888888888724,   2.480158728843291e-05,
                                    -2.755731405560691e-07, 2.0875683679899776e-09, -1.1357630734084395e-11};
  static constexpr double kTan[] = {
      0.33333333333333376,    0.13333333333325792,   0.053968253972656755,  0.021869488406116504,
      0.00886323781143937,    0.0035921020494862083, 0.0014560371804453953, 0.0005889065989387075,
      0.00024360063269414438, 8.394517509036606e-05, 6.651610966869462e-05, -2.4738003535000386e-05,
      4.7885578222402135e-05, -2.39010174700058e-05, 9.715786215107384e-06,
  };
};

// Returns x - n pi/2 as the sum of two numbers, the second of which is the error of the first. Near a multiple of pi/2
// the parts of the constant cancel, so the differences are exact sums; `x - n * parts[0]` itself is exact.
template <class D, class V>
HWY_INLINE TwoNumbers<V> SubtractQuarterTurnsExactly(D d, V x, V n) {
  using C = TrigConstants<hn::TFromD<D>>;
  if constexpr (kFusedMulAdd) {
    const V part = hn::Set(d, C::kFused[1]);
    const V product = hn::Mul(n, part);
    const V product_error = hn::MulSub(n, part, product);
    const TwoNumbers<V> r = TwoSum(hn::NegMulAdd(n, hn::Set(d, C::kFused[0]), x), hn::Neg(product));
    return {r.high, hn::NegMulAdd(n, hn::Set(d, C::kFused[2]), hn::Sub(r.low, product_error))};
  } else {
    const V r0 = hn::NegMulAdd(n, hn::Set(d, C::kShort[0]), x);
    const TwoNumbers<V> r1 = TwoSum(r0, hn::Neg(hn::Mul(n, hn::Set(d, C::kShort[1]))));
    const TwoNumbers<V> r2 = TwoSum(r1.high, hn::Neg(hn::Mul(n, hn::Set(d, C::kShort[2]))));
    return {r2.high, hn::NegMulAdd(n, hn::Set(d, C::kShort[3]), hn::Add(r1.low, r2.low))};
  }
}
// Returns x - n pi/2, rounded to one number.
template <class D, class V>
HWY_INLINE V SubtractQuarterTurns(D d, V x, V n) {
  using C = TrigConstants<hn::TFromD<D>>;
  if constexpr (kFusedMulAdd) {
    V r = hn::NegMulAdd(n, hn::Set(d, C::kFused[0]), x);
    r = hn::NegMulAdd(n, hn::Set(d, C::kFused[1]), r);
    return hn::NegMulAdd(n, hn::Set(d, C::kFused[2]), r);
  } else {
    const TwoNumbers<V> r = SubtractQuarterTurnsExactly(d, x, n);
    return hn::Add(r.high, r.low);
  }
}

// Returns the mask of the lanes whose lowest bit is set. In the mask, all bits of a lane are equal: hn::MaskFromVec
// requires it, and targets that select bit by bit depend on it.
template <class D, class VU>
HWY_INLINE hn::Mask<D> LowestBitIsSet(D d, VU bits) {
  const hn::RebindToUnsigned<D> du;
  return hn::RebindMask(d, hn::TestBit(bits, hn::Set(du, hn::TFromD<decltype(du)>(1))));
}

// Returns sin(r) for |r| <= pi/4, or cos(r) if the lowest bit of magic + n is set. The next bit changes the sign.
template <class D, class V>
HWY_INLINE V SinOfQuadrant(D d, V r, V magic_plus_n) {
  using T = hn::TFromD<D>;
  using C = TrigConstants<T>;
  constexpr int kSignBit = sizeof(T) * 8 - 1;
  const hn::RebindToUnsigned<D> du;
  const V z = hn::Mul(r, r);
  const V sine = hn::MulAdd(hn::Mul(z, r), Horner(d, z, C::kSin), r);
  const V base = hn::NegMulAdd(z, hn::Set(d, T(0.5)), hn::Set(d, T(1)));
  const V cosine = hn::MulAdd(hn::Mul(z, z), Horner(d, z, C::kCos), base);
  const auto bits = hn::BitCast(du, magic_plus_n);
  const auto odd = LowestBitIsSet(d, bits);
  const auto sign = hn::ShiftLeft<kSignBit>(hn::ShiftRight<1>(bits));
  return hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(d, sign));
}

template <class D, class V>
HWY_INLINE auto BeyondFastRange(D d, V x) {
  return hn::Not(hn::Le(hn::Abs(x), hn::Set(d, TrigConstants<hn::TFromD<D>>::kLimit)));
}

// Sin: at most 1.56 ULP in float, 1.55 in double.
template <class D, class V>
HWY_INLINE V Sin(D d, V x) {
  using T = hn::TFromD<D>;
  const Rounded<V> n = RoundScaled(d, x, hn::Set(d, TrigConstants<T>::kTwoOverPi));
  const V r = SubtractQuarterTurns(d, x, n.number);
  const V y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, SinOfQuadrant(d, r, n.magic));
  const auto far = BeyondFastRange(d, x);
  if (HWY_LIKELY(hn::AllFalse(d, far))) return y;
  return ReplaceLanes(d, y, x, far, [](T v) { return std::sin(v); });
}

// Cos: at most 1.56 ULP in float, 1.53 in double.
template <class D, class V>
HWY_INLINE V Cos(D d, V x) {
  using T = hn::TFromD<D>;
  const Rounded<V> n = RoundScaled(d, x, hn::Set(d, TrigConstants<T>::kTwoOverPi));
  const V r = SubtractQuarterTurns(d, x, n.number);
  const V next = hn::Add(n.magic, hn::Set(d, T(1)));
  const V y = SinOfQuadrant(d, r, next);
  const auto far = BeyondFastRange(d, x);
  if (HWY_LIKELY(hn::AllFalse(d, far))) return y;
  return ReplaceLanes(d, y, x, far, [](T v) { return std::cos(v); });
}

// Tan: at most 1.74 ULP in float, 1.60 in double.
template <class D, class V>
HWY_INLINE V Tan(D d, V x) {
  using T = hn::TFromD<D>;
  using C = TrigConstants<T>;
  const hn::RebindToUnsigned<D> du;
  const V one = hn::Set(d, T(1));
  const Rounded<V> n = RoundScaled(d, x, hn::Set(d, C::kTwoOverPi));
  const TwoNumbers<V> r = SubtractQuarterTurnsExactly(d, x, n.number);
  const V z = hn::Mul(r.high, r.high);
  const V cube = hn::Mul(z, r.high);
  const V rough = hn::MulAdd(cube, hn::Set(d, T(0.44)), r.high);  // tan(r) to 1/60; 1 + its square is the slope
  const V low = hn::MulAdd(hn::MulAdd(rough, rough, one), r.low, hn::Mul(cube, Horner(d, z, C::kTan)));
  const V t = hn::Add(r.high, low);
  const auto odd = LowestBitIsSet(d, hn::BitCast(du, n.magic));
  V y = hn::IfThenElse(odd, hn::Div(hn::Neg(one), t), t);
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
  const auto far = BeyondFastRange(d, x);
  if (HWY_LIKELY(hn::AllFalse(d, far))) return y;
  return ReplaceLanes(d, y, x, far, [](T v) { return std::tan(v); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_TRIG_INL_H_
