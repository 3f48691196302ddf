// Activations and their gradients as functions of vectors. Included inside each target's namespace.
#if defined(IMPL_CPU_KERNELS_ACTIVATION_FUNCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_KERNELS_ACTIVATION_FUNCTIONS_INL_H_
#undef IMPL_CPU_KERNELS_ACTIVATION_FUNCTIONS_INL_H_
#else
#define IMPL_CPU_KERNELS_ACTIVATION_FUNCTIONS_INL_H_
#endif

#include "impl/cpu/kernels/math_exp-inl.h"
#include "impl/cpu/kernels/math_normal-inl.h"
#include "impl/cpu/kernels/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

IMPL_CPU_VECTOR_FUNCTION(Sigmoid);

struct SiluFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, Sigmoid(d, x));
  }
};

struct GeluFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, NormalCdf(d, x, TailOfNormal(d, x).tail));
  }
};

// (1 + tanh(u)) / 2 is sigmoid(2u), which does not cancel for negative u; u = sqrt(2 / pi) (x + kCubic x^3).
struct GeluTanhFn {
  static constexpr double kTwiceRoot = 1.5957691216057308;  // 2 sqrt(2 / pi)
  static constexpr double kCubic = 0.044715;

  template <class D, class V>
  static HWY_INLINE V TwiceU(D d, V x) {
    using T = hn::TFromD<D>;
    const V cubic = hn::Set(d, T(kTwiceRoot * kCubic));
    return hn::Mul(x, hn::MulAdd(hn::Mul(x, x), cubic, hn::Set(d, T(kTwiceRoot))));
  }

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, Sigmoid(d, TwiceU(d, x)));
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

// 0, but NaN for infinities, at which a gradient multiplies the infinity by a slope of 0.
template <class V>
HWY_INLINE V NanOfInfinity(V x) {
  return hn::Sub(x, x);
}

struct SiluGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V x) const {
    const auto s = SigmoidAndComplement(d, x);
    const V one = hn::Add(hn::Set(d, hn::TFromD<D>(1)), NanOfInfinity(x));
    return hn::Mul(grad, hn::Mul(s.value, hn::MulAdd(x, s.complement, one)));
  }
};

struct GeluGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V x) const {
    const auto n = TailOfNormal(d, x);
    const V density = hn::Mul(n.bell, hn::Set(d, hn::TFromD<D>(0.3989422804014327)));  // 1 / sqrt(2 pi)
    return hn::Mul(grad, hn::MulAdd(x, density, NormalCdf(d, x, n.tail)));
  }
};

// With s = sigmoid(2u): s + x s (1 - s) (2u)'.
struct GeluTanhGradientFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V grad, V x) const {
    using T = hn::TFromD<D>;
    using G = GeluTanhFn;
    const auto s = SigmoidAndComplement(d, G::TwiceU(d, x));
    const V cubic = hn::Set(d, T(3 * G::kCubic * G::kTwiceRoot));
    const V slope = hn::MulAdd(hn::Mul(x, x), cubic, hn::Set(d, T(G::kTwiceRoot)));
    const V spread = hn::Mul(hn::Mul(x, s.complement), s.value);
    return hn::Mul(grad, hn::MulAdd(spread, slope, hn::Add(s.value, NanOfInfinity(x))));
  }
};

// x / 3 + 1/2 between -3 and 3; 0 below, 1 above and for NaN.
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
