/* SPDX-License-Identifier: BSD-3-Clause */
// Activations and their gradients as functions of vectors. Included inside each target's namespace.
#if defined(IMPL_CPU_POINTWISE_ACTIVATION_FUNCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_POINTWISE_ACTIVATION_FUNCTIONS_INL_H_
#undef IMPL_CPU_POINTWISE_ACTIVATION_FUNCTIONS_INL_H_
#else
#define IMPL_CPU_POINTWISE_ACTIVATION_FUNCTIONS_INL_H_
#endif

#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/normal-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

IMPL_CPU_VECTOR_FUNCTION(Sigmoid);

// x sigmoid(z), where z has the sign of x and |z| is given. With e = e^(-|z|) the result is x / (1 + e) for positive x
// and x e / (1 + e) for negative x. The rounding errors of numerator, denominator and quotient are computed and added
// to the quotient.
template <class D, class V>
HWY_INLINE V TimesSigmoid(D d, V x, const TwoNumbers<V>& z) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V last = hn::Set(d, -ExpConstants<T>::kMin);
  const PreciselyReducedExp<V> e = ReduceExp(d, TwoNumbers<V>{hn::Neg(AtMost(last, z.high)), hn::Neg(z.low)});
  const TwoNumbers<V> expm1 = PreciseExpm1OfReduced(d, e.r);
  const V q = expm1.high, q_low = hn::Add(hn::MulAdd(q, e.r_low, e.r_low), expm1.low);
  // e = scale (1 + q + q_low) / 2^kUp may be subnormal although x e is a normal number.
  constexpr int kUp = kIsFloat32<T> ? 32 : 64;
  const V down = hn::Set(d, T(1) / static_cast<T>(kIsFloat32<T> ? 0x1p32 : 0x1p64));
  const auto negative = hn::Lt(x, hn::Zero(d)), past = hn::Gt(z.high, last);
  const V scale = hn::IfThenZeroElse(past, PowerOfTwo(d, hn::Add(e.k, hn::Set(d, T(kUp)))));
  const V scaled = hn::Mul(x, scale), e_scale = hn::Mul(scale, down);
  const V below = hn::MulAdd(scaled, q, scaled);
  const V below_low = hn::MulAdd(scaled, q_low, hn::MulAdd(scaled, q, hn::Sub(scaled, below)));
  const V numerator = hn::IfThenElse(negative, below, x), numerator_low = hn::IfThenElseZero(negative, below_low);
  const V sum = hn::Add(one, e_scale), sum_low = hn::Sub(e_scale, hn::Sub(sum, one));
  const V denominator = hn::MulAdd(e_scale, q, sum);
  const V rest = hn::MulAdd(e_scale, q_low, hn::MulAdd(e_scale, q, hn::Sub(sum, denominator)));
  const V inverse = Inverse(d, denominator);
  const V quotient = hn::Mul(numerator, inverse);
  const TwoNumbers<V> product = TwoProduct(d, quotient, denominator);
  const V lost = hn::NegMulAdd(quotient, hn::Add(rest, sum_low), hn::Sub(numerator_low, product.low));
  const V result = hn::MulAdd(hn::Add(hn::Sub(numerator, product.high), lost), inverse, quotient);
  return hn::IfThenElse(negative, hn::Mul(result, down), hn::IfThenElse(past, x, result));
}

// Silu: x / (1 + e^-x). The error is at most 1.98 ULP in float and 2.2 ULP in double.
struct SiluFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const ReducedExp<V> e = ReduceExp(d, AtLeast(hn::Set(d, T(-40)), hn::Neg(x)));
    const V scale = PowerOfTwo(d, e.k);
    const V y = hn::Div(x, hn::MulAdd(scale, Expm1OfReduced(d, e.r), hn::Add(scale, hn::Set(d, T(1)))));
    const auto low = hn::Lt(x, hn::Set(d, kSigmoidLow<T>));
    if (HWY_UNLIKELY(!hn::AllFalse(d, low))) return hn::IfThenElse(low, hn::Mul(x, Sigmoid(d, x)), y);
    return y;
  }
};

IMPL_CPU_VECTOR_FUNCTION(Gelu);
IMPL_CPU_VECTOR_FUNCTION(RoughGelu);  // Gelu with the precision of float16 and bfloat16

// Gelu by tanh: x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + kCubic x^3). (1 + tanh(u)) / 2 is computed as
// sigmoid(2u), which does not cancel for negative u.
struct GeluTanhFn {
  static constexpr double kTwiceRoot = 1.5957691216057308;  // 2 sqrt(2 / pi)
  static constexpr double kCubic = 0.044715;
  static constexpr double kProduct = 0.07135481627260025;  // kTwiceRoot * kCubic
  static constexpr double kTwiceRootLow = -9.96930880911092e-17,
                          kProductLow = -6.175149918155315e-19;  // rounding errors of the two constants

  template <class D, class V>
  static HWY_INLINE V TwiceU(D d, V x) {
    using T = hn::TFromD<D>;
    const V cubic = hn::Set(d, T(kTwiceRoot * kCubic));
    return hn::Mul(x, hn::MulAdd(hn::Mul(x, x), cubic, hn::Set(d, T(kTwiceRoot))));
  }

  // 2u as the sum of a large and a small number: the exponential function magnifies the error of a large argument.
  template <class D, class V>
  static HWY_INLINE TwoNumbers<V> PreciseTwiceU(D d, V x) {
    using T = hn::TFromD<D>;
    constexpr auto kRest = [](double high, double low) { return static_cast<T>((high - static_cast<T>(high)) + low); };
    const V cubic = hn::Set(d, T(kProduct)), linear = hn::Set(d, T(kTwiceRoot));
    const TwoNumbers<V> square = TwoProduct(d, x, x);
    const TwoNumbers<V> term = TwoProduct(d, square.high, cubic);
    const TwoNumbers<V> sum = TwoSum(linear, term.high);
    V low = hn::MulAdd(square.low, cubic, hn::Add(term.low, hn::Set(d, kRest(kTwiceRoot, kTwiceRootLow))));
    low = hn::Add(hn::MulAdd(square.high, hn::Set(d, kRest(kProduct, kProductLow)), low), sum.low);
    const TwoNumbers<V> result = TwoProduct(d, x, sum.high);
    return {result.high, hn::MulAdd(x, low, result.low)};
  }

  // The error is at most 0.9 ULP in float and 1.5 ULP in double.
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V y = AtMost(hn::Set(d, kIsFloat32<T> ? T(12) : T(25)), hn::Abs(x));  // for larger |x| the result is constant
    return TimesSigmoid(d, x, PreciseTwiceU(d, y));
  }
};

struct HardswishFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V gate = AtMost(hn::Set(d, T(6)), AtLeast(hn::Zero(d), hn::Add(x, hn::Set(d, T(3)))));
    return hn::Mul(x, hn::Mul(gate, hn::Set(d, T(1.0 / 6))));  // in this order a large x does not overflow
  }
};

struct TanhGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V y) const {
    return hn::Mul(grad, hn::NegMulAdd(y, y, hn::Set(d, hn::TFromD<D>(1))));
  }
};

struct SigmoidGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V y) const {
    return hn::Mul(hn::Mul(grad, hn::Sub(hn::Set(d, hn::TFromD<D>(1)), y)), y);
  }
};

// 0 for finite x, NaN for infinities: there a gradient multiplies the infinity by a slope of 0.
template <class V>
HWY_INLINE V NanOfInfinity(V x) {
  return hn::Sub(x, x);
}

// a b e^x for a large negative x, given as x.high + x.low with a small x.low. The product may be a normal number
// although e^x underflows, so e^x is not computed separately. Below kFarthest the product is 0 for every finite a,
// because b grows at most with x^3.
template <typename T>
struct FarExp {
  static constexpr T kFarthest = kIsFloat32<T> ? T(-200) : T(-1465);
  static constexpr T kFirstPart = kIsFloat32<T> ? T(64) : T(512);  // the exponent of the first of three factors
};
template <class D, class V>
HWY_INLINE V TimesFarExp(D d, V a, V b, const TwoNumbers<V>& x) {
  using T = hn::TFromD<D>;
  using C = FarExp<T>;
  const V farthest = hn::Set(d, C::kFarthest);
  const auto past = hn::Lt(x.high, farthest);
  const PreciselyReducedExp<V> e = ReduceExp(d, TwoNumbers<V>{AtLeast(farthest, x.high), x.low});
  const V power = ExpOfReduced(d, e.r);
  const V factor = hn::Mul(b, hn::MulAdd(power, e.r_low, power));
  const V first = hn::Set(d, T(1) / static_cast<T>(kIsFloat32<T> ? 0x1p64 : 0x1p512));
  const V product = Scale(d, hn::Mul(hn::Mul(a, first), factor), hn::Add(e.k, hn::Set(d, C::kFirstPart)));
  return hn::IfThenElse(past, hn::Mul(a, hn::Mul(b, hn::Zero(d))), product);
}

// Silu'(x) = s (1 + x (1 - s)) with s = sigmoid(x). For large negative x this is e^x (1 + x). For large positive x the
// term x (1 - s) vanishes.
struct SiluGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V x) const {
    using T = hn::TFromD<D>;
    const auto s = SigmoidAndComplement(d, x);
    const V last = hn::Set(d, ExpConstants<T>::kNormal);
    const V one = hn::Add(hn::Set(d, T(1)), NanOfInfinity(x));
    const V y = hn::Mul(grad, hn::Mul(s.value, hn::MulAdd(AtMost(last, x), s.complement, one)));
    const auto far = hn::Lt(x, hn::Set(d, kFar<T>));
    if (HWY_LIKELY(hn::AllFalse(d, far))) return y;
    return hn::IfThenElse(far, FarBelow(d, grad, x), y);
  }

 private:
  template <typename T>
  static constexpr T kFar = kIsFloat32<T> ? T(-80) : T(-700);

  template <class D, class V>
  static HWY_NOINLINE V FarBelow(D d, V grad, V x) {
    using T = hn::TFromD<D>;
    const V bounded = AtLeast(hn::Set(d, 2 * FarExp<T>::kFarthest), x);
    const V factor = hn::Add(hn::Add(bounded, hn::Set(d, T(1))), NanOfInfinity(x));
    return TimesFarExp(d, grad, factor, TwoNumbers<V>{x, hn::Zero(d)});
  }
};

// Gelu'(x) is x times the normal density plus the normal distribution function of x.
struct GeluGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V x) const {
    using T = hn::TFromD<D>;
    const NormalTail<V> n = TailOfNormal<false>(d, hn::Abs(x));
    const V bell = hn::MulAdd(n.scale, hn::Add(n.q, n.q_low), n.scale);
    const V tail = hn::Mul(bell, hn::Mul(n.p, n.inverse));
    const V density = hn::Mul(bell, hn::Set(d, T(kDensity)));
    const V below = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(hn::Set(d, T(1)), tail));
    const V y = hn::Mul(grad, hn::MulAdd(x, density, below));
    const auto far = hn::Lt(x, hn::Set(d, kFar<T>));
    if (HWY_LIKELY(hn::AllFalse(d, far))) return y;
    return hn::IfThenElse(far, FarBelow(d, grad, x), y);
  }

 private:
  static constexpr double kDensity = 0.3989422804014327;  // 1 / sqrt(2 pi)
  template <typename T>
  static constexpr T kFar = kIsFloat32<T> ? T(-13) : T(-37.5);

  // The distribution function for negative x: with z = 1 / x^2 it is density (1 - z (1 - 3 z (1 - 5 z (1 - ...)))) /
  // |x|.
  template <class D, class V>
  static HWY_NOINLINE V FarBelow(D d, V grad, V x) {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T(1));
    const V bounded = AtLeast(hn::Set(d, kIsFloat32<T> ? T(-20.5) : T(-54.5)), x);  // beyond FarExp::kFarthest
    const V inverse = hn::Div(one, bounded), z = hn::Mul(inverse, inverse);
    V series = one;
    for (const T odd : {T(9), T(7), T(5), T(3), T(1)}) {
      series = hn::NegMulAdd(hn::Mul(z, hn::Set(d, odd)), series, one);
    }
    const V factor = hn::Mul(hn::NegMulAdd(inverse, series, bounded), hn::Set(d, T(kDensity)));
    const TwoNumbers<V> square = TwoProduct(d, bounded, bounded);
    const V minus_half = hn::Set(d, T(-0.5));
    return TimesFarExp(d, grad, hn::Add(factor, NanOfInfinity(x)),
                       TwoNumbers<V>{hn::Mul(minus_half, square.high), hn::Mul(minus_half, square.low)});
  }
};

// With s = sigmoid(2u) the gradient is s + x s (1 - s) (2u)'. For large negative x this is e^2u (1 + x (2u)').
struct GeluTanhGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V x) const {
    using T = hn::TFromD<D>;
    const V last = hn::Set(d, kIsFloat32<T> ? T(12) : T(25));  // for larger |x| the gradient is constant
    const V bounded = AtMost(last, AtLeast(hn::Neg(last), x));
    const V twice_u = GeluTanhFn::TwiceU(d, bounded);
    const auto s = SigmoidAndComplement(d, twice_u);
    const V weighted = hn::Mul(hn::Mul(bounded, s.complement), s.value);
    const V y = hn::Mul(grad, hn::MulAdd(weighted, Slope(d, bounded), hn::Add(s.value, NanOfInfinity(x))));
    const auto far = hn::Lt(twice_u, hn::Set(d, kFar<T>));
    if (HWY_LIKELY(hn::AllFalse(d, far))) return y;
    return hn::IfThenElse(far, FarBelow(d, grad, x), y);
  }

 private:
  template <typename T>
  static constexpr T kFar = kIsFloat32<T> ? T(-80) : T(-700);

  template <class D, class V>
  static HWY_INLINE V Slope(D d, V x) {
    using T = hn::TFromD<D>;
    const V cubic = hn::Set(d, T(3 * GeluTanhFn::kCubic * GeluTanhFn::kTwiceRoot));
    return hn::MulAdd(hn::Mul(x, x), cubic, hn::Set(d, T(GeluTanhFn::kTwiceRoot)));
  }

  template <class D, class V>
  static HWY_NOINLINE V FarBelow(D d, V grad, V x) {
    using T = hn::TFromD<D>;
    const V bounded = AtLeast(hn::Set(d, kIsFloat32<T> ? T(-14) : T(-28)), x);  // beyond FarExp::kFarthest
    const V factor = hn::Add(hn::MulAdd(bounded, Slope(d, bounded), hn::Set(d, T(1))), NanOfInfinity(x));
    return TimesFarExp(d, grad, factor, GeluTanhFn::PreciseTwiceU(d, bounded));
  }
};

// The slope: x / 3 + 1/2 between -3 and 3; 0 below -3; 1 above 3 and for NaN.
struct HardswishGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V x) const {
    using T = hn::TFromD<D>;
    const V three = hn::Set(d, T(3));
    const V inner = hn::Mul(grad, hn::Add(hn::Div(x, three), hn::Set(d, T(0.5))));
    const V upper = hn::IfThenElse(hn::Lt(x, three), inner, grad);
    return hn::IfThenZeroElse(hn::Le(x, hn::Neg(three)), upper);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
