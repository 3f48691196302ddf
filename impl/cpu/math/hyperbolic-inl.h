/* SPDX-License-Identifier: BSD-3-Clause */
// Sinh, Cosh, Asinh, Acosh, Atanh. (Tanh is in exp-inl.h.) scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_HYPERBOLIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_HYPERBOLIC_INL_H_
#undef IMPL_CPU_MATH_HYPERBOLIC_INL_H_
#else
#define IMPL_CPU_MATH_HYPERBOLIC_INL_H_
#endif

#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
struct HyperbolicConstants;
template <>
struct HyperbolicConstants<float> {
  // Polynomial in x^2 of (sinh(x) - x) / x^3 on |x| <= 1, with error 2^-27.5.
  static constexpr float kSinh[] = {0.166666672f, 0.0083333496f, 0.000198361595f, 2.81695134e-06f};
  static constexpr float kMax = 90.0f;  // the result is infinity from here on
};
template <>
struct HyperbolicConstants<double> {
  // The polynomial of HyperbolicConstants<float>::kSinh, with error 2^-56.5.
  static constexpr double kSinh[] = {0.16666666666666669,   0.008333333333333148,   0.00019841269841431862,
                                     2.755731915707447e-06, 2.5052123136367892e-08, 1.60572597936006e-10,
                                     7.75874810272186e-13};
  static constexpr double kMax = 711.0;
};

// Returns e^|x| / 2, which overflows later than e^|x|.
template <class D, class V>
HWY_INLINE V HalfExp(D d, V magnitude) {
  using T = hn::TFromD<D>;
  const ReducedExp<V> e = ReduceExp(d, AtMost(hn::Set(d, HyperbolicConstants<T>::kMax), magnitude));
  return Scale(d, ExpOfReduced(d, e.r), hn::Sub(e.k, hn::Set(d, T(1))));
}

// Sinh: at most 1.63 ULP in float, 1.60 in double.
template <class D, class V>
HWY_INLINE V Sinh(D d, V x) {
  using T = hn::TFromD<D>;
  const V magnitude = hn::Abs(x);
  const V h = HalfExp(d, magnitude);
  const V far = hn::Sub(h, hn::Div(hn::Set(d, T(0.25)), h));
  const V z = hn::Mul(magnitude, magnitude);
  const V near = hn::MulAdd(hn::Mul(z, magnitude), Horner(d, z, HyperbolicConstants<T>::kSinh), magnitude);
  return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, T(1))), near, far), x);
}

// Cosh: at most 1.54 ULP in float, 1.58 in double.
template <class D, class V>
HWY_INLINE V Cosh(D d, V x) {
  const V h = HalfExp(d, hn::Abs(x));
  return hn::Add(h, hn::Div(hn::Set(d, hn::TFromD<D>(0.25)), h));
}

// The inverse functions are logarithms. Double uses log1p. Float uses a short logarithm of doubles, whose error for
// numbers near 1 is far below the precision of float.
inline constexpr double kLog2 = 0x1.62e42fefa39efp-1;
inline constexpr double kTiny = 0x1p-13;  // below this magnitude asinh(x) and atanh(x) round to x in float

template <class D, class V>
HWY_INLINE V AsinhOfDouble(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const V y = hn::Abs(x);
  const V square = hn::Mul(y, y);
  const auto huge = hn::Gt(y, hn::Set(d, 0x1p60));  // then asinh(y) = log(2y)
  const V small = hn::Add(y, hn::Div(square, hn::Add(one, hn::Sqrt(hn::Add(square, one)))));
  const V sum = Log1p(d, hn::IfThenElse(huge, y, small));
  return hn::CopySign(hn::Add(sum, hn::IfThenElseZero(huge, hn::Set(d, kLog2))), x);
}
struct AsinhForFloat {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V y = hn::Abs(x);
    const V argument = hn::Add(y, hn::Sqrt(hn::MulAdd(y, y, hn::Set(d, 1.0))));
    const V result = hn::CopySign(hn::Mul(Log2ForFloat(d, argument), hn::Set(d, kLog2)), x);
    const auto ordinary = hn::And(hn::Ge(y, hn::Set(d, kTiny)), hn::Lt(y, hn::Set(d, kInfinity<double>)));
    return hn::IfThenElse(ordinary, result, x);
  }
};
// Asinh: at most 0.50 ULP in float, 1.74 in double.
template <class D, class V>
HWY_INLINE V Asinh(D d, V x) {
  if constexpr (kIsFloat32<hn::TFromD<D>>) {
    return ThroughFloat64(d, AsinhForFloat{}, x);
  } else {
    return AsinhOfDouble(d, x);
  }
}

template <class D, class V>
HWY_INLINE V AcoshOfDouble(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const V t = hn::Sub(x, one);
  const auto huge = hn::Gt(x, hn::Set(d, 0x1p28));
  const V root = hn::Sqrt(hn::MulAdd(t, t, hn::Add(t, t)));
  const V sum = Log1p(d, hn::IfThenElse(huge, t, hn::Add(t, root)));
  const V y = hn::Add(sum, hn::IfThenElseZero(huge, hn::Set(d, kLog2)));
  return hn::IfThenElse(hn::Lt(x, one), hn::Set(d, kNaN<double>), y);
}
struct AcoshForFloat {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V argument = hn::Add(x, hn::Sqrt(hn::MulSub(x, x, hn::Set(d, 1.0))));
    const V result = hn::Mul(Log2ForFloat(d, argument), hn::Set(d, kLog2));
    const V upper = hn::IfThenElse(hn::Lt(x, hn::Set(d, kInfinity<double>)), result, x);
    return hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0)), hn::Set(d, kNaN<double>), upper);
  }
};
// Acosh: at most 0.50 ULP in float, 1.92 in double.
template <class D, class V>
HWY_INLINE V Acosh(D d, V x) {
  if constexpr (kIsFloat32<hn::TFromD<D>>) {
    return ThroughFloat64(d, AcoshForFloat{}, x);
  } else {
    return AcoshOfDouble(d, x);
  }
}

template <class D, class V>
HWY_INLINE V AtanhOfDouble(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const V magnitude = hn::Abs(x);
  const V y = hn::IfThenElse(hn::Gt(magnitude, one), hn::Set(d, kNaN<double>), magnitude);
  const V twice = hn::Add(y, y);
  const V argument = hn::MulAdd(twice, hn::Div(y, hn::Sub(one, y)), twice);
  return hn::CopySign(hn::Mul(hn::Set(d, 0.5), Log1p(d, argument)), x);
}
struct AtanhForFloat {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0);
    const V y = hn::Abs(x);
    const V argument = hn::Div(hn::Add(one, y), hn::Sub(one, y));
    const V result = hn::CopySign(hn::Mul(Log2ForFloat(d, argument), hn::Set(d, 0.5 * kLog2)), x);
    const V end =
        hn::IfThenElse(hn::Eq(y, one), hn::CopySign(hn::Set(d, kInfinity<double>), x), hn::Set(d, kNaN<double>));
    const V bounded = hn::IfThenElse(hn::Lt(y, one), result, end);
    return hn::IfThenElse(hn::Lt(y, hn::Set(d, kTiny)), x, bounded);
  }
};
// Atanh: at most 0.50 ULP in float, 1.71 in double.
template <class D, class V>
HWY_INLINE V Atanh(D d, V x) {
  if constexpr (kIsFloat32<hn::TFromD<D>>) {
    return ThroughFloat64(d, AtanhForFloat{}, x);
  } else {
    return AtanhOfDouble(d, x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_HYPERBOLIC_INL_H_
