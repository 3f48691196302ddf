// Rsqrt, Pow.
#if defined(IMPL_CPU_KERNELS_MATH_POWER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_KERNELS_MATH_POWER_INL_H_
#undef IMPL_CPU_KERNELS_MATH_POWER_INL_H_
#else
#define IMPL_CPU_KERNELS_MATH_POWER_INL_H_
#endif

#include "math_exp-inl.h"
#include "math_log-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <class D, class V>
HWY_INLINE V Rsqrt(D d, V x) {
  using T = hn::TFromD<D>;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  if constexpr (kIsFloat32<T>) {
    // A 14-bit estimate and one step of third order are shorter than the root and the division.
    const V y = hn::ApproximateReciprocalSqrt(x);
    const V e = hn::NegMulAdd(hn::Mul(x, y), y, hn::Set(d, T(1)));
    const V better = hn::MulAdd(hn::Mul(y, e), hn::MulAdd(e, hn::Set(d, T(0.375)), hn::Set(d, T(0.5))), y);
    // 0 and Inf make the error term NaN; their estimates are exact.
    return hn::IfThenElse(hn::Eq(e, e), better, y);
  }
#endif
  return hn::Div(hn::Set(d, T(1)), hn::Sqrt(x));
}

// 2^t for doubles t, to 2^-34: enough for a result that is rounded to float.
template <class D, class V>
HWY_INLINE V Exp2ForFloat(D d, V t) {
  static constexpr double kPoly[] = {0.9999999999613802,     0.6931471807296632,    0.24022651201212003,
                                     0.055504103507167085,   0.00961802684118382,   0.001333392377006167,
                                     0.00015469424062592634, 1.5201873651024912e-05};
  const V clamped = AtMost(hn::Set(d, 300.0), AtLeast(hn::Set(d, -300.0), t));
  const Rounded<V> k = RoundScaled(d, clamped, hn::Set(d, 1.0));
  return ScaleNormal(d, Horner(d, hn::Sub(clamped, k.number), kPoly), k.magic);
}

// log2(x) for doubles x >= 0 that are float numbers, to 2^-45; their denormals are normal doubles.
template <class D, class V>
HWY_INLINE V Log2ForFloat(D d, V x) {
  static constexpr double kPoly[] = {2.88539008177785,   0.9617966941134828,  0.5770779423172406,
                                     0.4122092577193314, 0.31990545985717006, 0.2829037696801085};
  const auto r = ReduceLog(d, x);
  const V s = hn::Div(r.f, hn::Add(r.f, hn::Set(d, 2.0)));
  const V y = hn::MulAdd(s, Horner(d, hn::Mul(s, s), kPoly), r.k);
  const V finite = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, -kInfinity<double>), y);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, kInfinity<double>)), finite, x);  // Inf and NaN
}

// x^y of doubles that are float numbers, in double.
struct PowForFloat {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
    const V magnitude = hn::Abs(x);
    const V infinity = hn::Set(d, kInfinity<double>);
    const V t = hn::Mul(y, Log2ForFloat(d, magnitude));
    V result = Exp2ForFloat(d, t);
    result = hn::IfThenElse(hn::Eq(t, t), result, t);
    // A negative base has powers for integers only, negative ones for odd integers.
    const V half = hn::Mul(y, hn::Set(d, 0.5));
    const auto integral = hn::Eq(hn::Floor(y), y);
    const auto odd = hn::AndNot(hn::Eq(hn::Floor(half), half), integral);
    result = hn::IfThenElse(odd, hn::CopySign(result, x), result);
    const auto undefined = hn::AndNot(integral, hn::And(hn::Lt(x, zero), hn::Gt(x, hn::Neg(infinity))));
    result = hn::IfThenElse(undefined, hn::Set(d, kNaN<double>), result);
    // x^0 and 1^y are 1 even for NaN, and so is (-1)^Inf.
    const auto unit = hn::And(hn::Eq(magnitude, one), hn::Or(hn::Eq(x, one), hn::Eq(hn::Abs(y), infinity)));
    return hn::IfThenElse(hn::Or(hn::Eq(y, zero), unit), one, result);
  }
};

template <class D, class V>
HWY_NOINLINE V PowByLane(D d, V x, V y) {
  using T = hn::TFromD<D>;
  constexpr size_t kLanes = HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN T xs[kLanes];
  HWY_ALIGN T ys[kLanes];
  hn::Store(x, d, xs);
  hn::Store(y, d, ys);
  for (size_t i = 0; i < hn::Lanes(d); ++i) xs[i] = std::pow(xs[i], ys[i]);
  return hn::Load(d, xs);
}

template <class D, class V>
HWY_INLINE V Pow(D d, V x, V y) {
  if constexpr (kIsFloat32<hn::TFromD<D>>) {
    return ThroughFloat64(d, PowForFloat{}, x, y);
  } else {
    return PowByLane(d, x, y);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_KERNELS_MATH_POWER_INL_H_
