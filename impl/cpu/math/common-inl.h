/* SPDX-License-Identifier: BSD-3-Clause */
// Helpers of the vector functions in math-inl.h: polynomials, bounds, powers of two, and scalar code for rare lanes.
//
// All helpers take float or double lanes and full vectors of any target. The error-free transformations need a compiler
// that does not contract a * b + c itself: the build passes -ffp-contract=off. MulAdd fuses where this helps.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(IMPL_CPU_MATH_COMMON_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_COMMON_INL_H_
#undef IMPL_CPU_MATH_COMMON_INL_H_
#else
#define IMPL_CPU_MATH_COMMON_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether MulAdd rounds only once. If it does not, range reductions use more and shorter parts of their constants.
inline constexpr bool kFusedMulAdd = HWY_NATIVE_FMA != 0;

template <typename T>
inline constexpr bool kIsFloat32 = sizeof(T) == 4;
template <typename T>
inline constexpr int kMantissaBits = kIsFloat32<T> ? 23 : 52;
template <typename T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <typename T>
inline constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
// If this number is added to a small number, the lowest bits of the sum are the small number rounded to an integer. The
// number's own lowest bits are zero, at least as many as the exponent field has, so shifting the sum left by
// kMantissaBits leaves integer << mantissa.
template <typename T>
inline constexpr T kRoundingMagic = kIsFloat32<T> ? T(12582912.0) : T(6755399441055744.0);  // 1.5 * 2^mantissa

template <size_t I, class D, class V, size_t N>
HWY_INLINE V HornerFrom(D d, V x, const hn::TFromD<D> (&c)[N]) {
  if constexpr (I + 1 == N) {
    return hn::Set(d, c[I]);
  } else {
    return hn::MulAdd(HornerFrom<I + 1>(d, x, c), x, hn::Set(d, c[I]));
  }
}
// Returns c[0] + c[1] x + c[2] x^2 + ...
template <class D, class V, size_t N>
HWY_INLINE V Horner(D d, V x, const hn::TFromD<D> (&c)[N]) {
  return HornerFrom<0>(d, x, c);
}

// TwoSum: a + b = high + low exactly.
template <class V>
struct TwoNumbers {
  V high;
  V low;
};
template <class V>
HWY_INLINE TwoNumbers<V> TwoSum(V a, V b) {
  const V sum = hn::Add(a, b);
  const V b_part = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, b_part)), hn::Sub(b, b_part))};
}

// TwoProduct: a * b = high + low exactly.
template <class D, class V>
HWY_INLINE TwoNumbers<V> TwoProduct(D d, V a, V b) {
  const V product = hn::Mul(a, b);
  if constexpr (kFusedMulAdd) {
    return {product, hn::MulSub(a, b, product)};
  } else {  // products of halves are exact
    const hn::RebindToUnsigned<D> du;
    const auto upper =
        hn::Set(du, static_cast<hn::TFromD<decltype(du)>>(kIsFloat32<hn::TFromD<D>> ? ~0xFFFll : ~0x7FFFFFFll));
    const V a_high = hn::BitCast(d, hn::And(hn::BitCast(du, a), upper)), a_low = hn::Sub(a, a_high);
    const V b_high = hn::BitCast(d, hn::And(hn::BitCast(du, b), upper)), b_low = hn::Sub(b, b_high);
    const V outer = hn::Add(hn::Sub(hn::Mul(a_high, b_high), product), hn::Mul(a_high, b_low));
    return {product, hn::Add(hn::Add(outer, hn::Mul(a_low, b_high)), hn::Mul(a_low, b_low))};
  }
}

// Returns 1 / x for x that is neither 0 nor very large or small. The error is within 1 ULP where an estimate and a
// correction are faster than a division.
template <class D, class V>
HWY_INLINE V Inverse(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>(1));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (kIsFloat32<hn::TFromD<D>>) {
    const V y = hn::ApproximateReciprocal(x);
    return hn::MulAdd(y, hn::NegMulAdd(x, y, one), y);
  }
#endif
  return hn::Div(one, x);
}

// AtLeast: the larger of `bound` and x. AtMost: the smaller of both. The result is NaN if x is NaN.
template <class V>
HWY_INLINE V AtLeast(V bound, V x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Max(bound, x);  // MAXPS returns its second operand if one is NaN
#else
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
#endif
}
template <class V>
HWY_INLINE V AtMost(V bound, V x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Min(bound, x);
#else
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
#endif
}

// Floor and ceiling that keep the argument's sign in a zero result. Highway loses the sign on targets without vectors.
template <class V>
HWY_INLINE V RoundDown(V v) {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  return hn::CopySign(hn::Floor(v), v);
#else
  return hn::Floor(v);
#endif
}
template <class V>
HWY_INLINE V RoundUp(V v) {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  return hn::CopySign(hn::Ceil(v), v);
#else
  return hn::Ceil(v);
#endif
}

// The integer k nearest to x * scale, as a number and as magic + k, whose low bits are k.
template <class V>
struct Rounded {
  V number;
  V magic;
};
template <class D, class V>
HWY_INLINE Rounded<V> RoundScaled(D d, V x, V scale) {
  const V magic = hn::Set(d, kRoundingMagic<hn::TFromD<D>>);
  const V sum = hn::MulAdd(x, scale, magic);
  return {hn::Sub(sum, magic), sum};
}

// Returns 2^k, given magic + k. 2^k must be a normal number.
template <class D, class V>
HWY_INLINE V PowerOfTwo(D d, V magic_plus_k) {
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> du;
  const auto exponent = hn::ShiftLeft<kMantissaBits<T>>(hn::BitCast(du, magic_plus_k));
  return hn::BitCast(d, hn::Add(exponent, hn::BitCast(du, hn::Set(d, T(1)))));
}

// Returns p * 2^k for p near 1, given magic + k. The result is exact, except that subnormal results are rounded once.
// NaN stays NaN.
template <class D, class V>
HWY_INLINE V Scale(D d, V p, V magic_plus_k) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, magic_plus_k);
  const auto half = hn::ShiftRight<1>(bits);
  const V first = PowerOfTwo(d, hn::BitCast(d, half));
  const V second = PowerOfTwo(d, hn::BitCast(d, hn::Sub(bits, half)));
  return hn::Mul(hn::Mul(p, first), second);
}

// Returns p * 2^k for p near 1, given magic + k. The result must be a normal number.
template <class D, class V>
HWY_INLINE V ScaleNormal(D d, V p, V magic_plus_k) {
  const hn::RebindToUnsigned<D> du;
  const auto exponent = hn::ShiftLeft<kMantissaBits<hn::TFromD<D>>>(hn::BitCast(du, magic_plus_k));
  return hn::BitCast(d, hn::Add(hn::BitCast(du, p), exponent));
}

// Replaces the lanes of `y` that `mask` selects by f(x). It serves arguments that are too rare for vector code.
template <class D, class V, class M, class F>
HWY_NOINLINE V ReplaceLanes(D d, V y, V x, M mask, F f) {
  using T = hn::TFromD<D>;
  constexpr size_t kLanes = HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN T xs[kLanes];
  HWY_ALIGN T ys[kLanes];
  HWY_ALIGN T selected[kLanes];
  hn::Store(x, d, xs);
  hn::Store(y, d, ys);
  hn::Store(hn::IfThenElseZero(mask, hn::Set(d, T(1))), d, selected);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (selected[i] != T(0)) ys[i] = f(xs[i]);
  }
  return hn::Load(d, ys);
}

#if HWY_TARGET == HWY_SCALAR
template <class D>
using HalfOrOne = D;
#else
template <class D>
using HalfOrOne = hn::Half<D>;
#endif

// Rounds doubles to float, and to infinity beyond the largest float. DemoteTo saturates on targets without vectors.
template <class DF, class VD>
HWY_INLINE hn::Vec<DF> RoundToFloat(DF df, VD v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  const hn::Rebind<double, DF> dd;
  HWY_ALIGN double wide[2];
  HWY_ALIGN float narrow[4];
  hn::Store(v, dd, wide);
  for (size_t i = 0; i < hn::Lanes(dd); ++i) narrow[i] = static_cast<float>(wide[i]);
  return hn::Load(df, narrow);
#else
  return hn::DemoteTo(df, v);
#endif
}

// Computes a float function in double, for each half of the vectors, and rounds the result to float.
template <class D, class F, class... V>
HWY_INLINE hn::Vec<D> ThroughFloat64(D d, F f, V... x) {
  const HalfOrOne<D> dh;
  const hn::Rebind<double, decltype(dh)> dd;
#if HWY_TARGET == HWY_SCALAR
  return RoundToFloat(d, f(dd, hn::PromoteTo(dd, x)...));
#else
  const auto low = f(dd, hn::PromoteTo(dd, hn::LowerHalf(dh, x))...);
  const auto high = f(dd, hn::PromoteTo(dd, hn::UpperHalf(dh, x))...);
  return hn::Combine(d, RoundToFloat(dh, high), RoundToFloat(dh, low));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_COMMON_INL_H_
