/* SPDX-License-Identifier: BSD-3-Clause */
// Erf, Erfinv. scripts/minimax makes the coefficients.
#if defined(IMPL_CPU_MATH_ERF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_ERF_INL_H_
#undef IMPL_CPU_MATH_ERF_INL_H_
#else
#define IMPL_CPU_MATH_ERF_INL_H_
#endif

#include <type_traits>

#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
struct ErfConstants;
template <>
struct ErfConstants<float> {
  // Polynomial in x^2 of erf(x) / x - 1 on |x| <= 1, with error 2^-28.6.
  static constexpr float kNear[] = {0.128379166f,   -0.37612626f,     0.112835854f,  -0.0268538129f,
                                    0.00518832775f, -0.000801019487f, 7.8538651e-05f};
  // Polynomial in u of erf(u + 2.2) for arguments in [1, 4], with error 2^-24.8. From 4 on the result rounds to 1.
  static constexpr float kFar[] = {0.998137176f,     0.00892225187f,   -0.0196288209f,   0.0258130524f,
                                   -0.0218523219f,   0.0114951963f,    -0.00260111946f,  -0.00112207595f,
                                   0.00117602106f,   -0.000334392214f, -6.74225594e-05f, 6.92153699e-05f,
                                   -1.04150386e-05f, -3.2545563e-06f,  8.96164181e-07f};
  static constexpr float kCentre = 2.2f, kLast = 4.0f;
};
template <>
struct ErfConstants<double> {
  // The polynomial of ErfConstants<float>::kNear, with error 2^-54.8.
  static constexpr double kNear[] = {
      0.12837916709551256,    -0.3761263890318352,    0.11283791670944185,    -0.026866170643111524,
      0.005223977606118923,   -0.0008548325929333792, 0.00012055293577407283, -1.492471231050824e-05,
      1.6447131662769927e-06, -1.620631436933706e-07, 1.371098269412044e-08,  -7.779472188449372e-10,
  };
  // Polynomial in u of -log(1 - erf(u + 2.5)) for arguments in [1, 6], with error 2^-53.8 of erf. A polynomial of
  // erf itself would have more terms.
  static constexpr double kFar[] = {
      7.806815272727266,      5.352680750986434,      0.9438937335242102,      0.010858072737402831,
      -0.0021654769027395298, 0.0004209325644157674,  -7.703078073576162e-05,  1.2755857012411655e-05,
      -1.7690275031526e-06,   1.5589910261888493e-07, 1.2623687559117964e-08,  -1.0850671258006742e-08,
      3.540096603428123e-09,  -8.789068397840243e-10, 1.3724173136841397e-10,  -1.7681404181993826e-11,
      8.91440746606005e-12,   7.276004677340435e-13,  -1.0495515705656578e-12,
  };
  static constexpr double kCentre = 2.5, kLast = 6.0;
};

// Erf: at most 1.40 ULP in float, 2.33 in double.
template <class D, class V>
HWY_INLINE V Erf(D d, V x) {
  using T = hn::TFromD<D>;
  using C = ErfConstants<T>;
  if constexpr (kLooksUpWholeTables)
    return OddByPieces<std::conditional_t<kIsFloat32<T>, ErfPieces, ErfPiecesOfDouble>>(d, x);
  const V one = hn::Set(d, T(1));
  const V magnitude = hn::Abs(x);
  const V near = hn::MulAdd(x, Horner(d, hn::Mul(x, x), C::kNear), x);
  const V u = hn::Sub(AtMost(hn::Set(d, C::kLast), magnitude), hn::Set(d, C::kCentre));
  V far = Horner(d, u, C::kFar);
  if constexpr (!kIsFloat32<T>) {
    const ReducedExp<V> e = ReduceExp(d, hn::Neg(far));
    far = hn::Sub(one, ScaleNormal(d, ExpOfReduced(d, e.r), e.k));
  } else {
    far = AtMost(one, far);
  }
  return hn::IfThenElse(hn::Ge(magnitude, one), hn::CopySign(far, x), near);
}

// erfinv(x) / x as polynomials of w = -log(1 - x^2), or of sqrt(w) for larger w.
struct ErfinvRanges {
  static constexpr double kNear[] = {  // in w - 3.125 for w < 6.25; error 2^-55.2
      1.6536545626831027,      0.24015818242558834,     -0.006033670871426996,   -0.0007407025341545544,
      0.0001867342080205304,   -1.3882523394196827e-05, -1.365469177265992e-06,  4.2347881711994963e-07,
      -2.907038989359827e-08,  -4.11266064254298e-09,   1.0512225657475462e-09,  -5.414294639857408e-11,
      -1.2978503747207058e-11, 2.6305034941428316e-12,  -8.079301651595193e-14,  -4.0015905102824846e-14,
      6.5333571053898005e-15,  -3.987710517699387e-17,  -1.2345024415614503e-16, 1.5545132483711482e-17,
      6.957601633461064e-19,   -3.4876202678733155e-19, 1.6535824420059757e-20,  3.2193172289149412e-21,
      -3.001053002256802e-22};
  static constexpr double kMiddle[] = {  // in sqrt(w) - 3.25 for w < 16; error 2^-54.5
      3.0838856104922208,      1.0052589676941655,     0.005370914553555091,   -0.0037512085082238135,
      0.0024914420979534157,   -0.0016882755354778768, 0.0009532893416632666,  -0.0003550378133700966,
      2.4031511864366032e-05,  6.828711417885529e-05,  -4.732067383026971e-05, 1.2465042827113035e-05,
      2.9325501650931648e-06,  -3.985746029147004e-06, 1.4816700250840125e-06, -2.7551804026421765e-08,
      -2.4560936529572717e-07, 1.3152837714346105e-07, -2.082000927639455e-08, -1.528353834781049e-08,
      7.64610616435482e-09};
  static constexpr double kFar[] = {  // in sqrt(w) - 5 for w < 37.2, the largest w of a double; error 2^-54.3
      4.849906401408584,      1.0103004648645457,      -0.0001387193183756327, -0.00021503011984146992,
      7.59952779715593e-05,   -1.9681770517909964e-05, 4.526053843973026e-06,  -9.930304827037636e-07,
      2.2904594503688266e-07, -6.755267854946496e-08,  2.903861805144231e-08,  -1.5261475385769618e-08,
      7.787557451845432e-09,  -3.4646812749186464e-09, 1.3493485568721562e-09, -4.4121641852076426e-10,
      5.191011274966707e-11,  4.3693795212199634e-11,  -1.6504006712542902e-11};
};
struct ErfinvRangesOfFloat {
  static constexpr float kSlope = 0.886226952f, kSlopeError = -2.66231996e-08f;  // erfinv(x) / x at 0
  static constexpr float kNear[] = {
      kSlopeError,      0.232013553f,     0.0115503361f,  // minus kSlope, in w for w < 5; error 2^-27.2
      -0.00233854144f,  -0.000122001293f, 4.04857092e-05f,  5.83615792e-06f,
      -2.49804202e-06f, 3.09826191e-07f,  -1.71642576e-08f, 3.35662026e-10f};
  static constexpr float kFar[] = {2.93323159f,     1.00335598f,      0.00746155111f,  // sqrt(w) - 3.1; error 2^-24.2
                                   -0.00569290482f, 0.00410702871f,   -0.00273413537f, 0.00136838341f,
                                   -0.00026280267f, -0.000205437318f, 0.000115713236f};
};

// Returns x times the polynomial of w.
template <class D, class V>
HWY_INLINE V ErfinvFrom(D d, V x, V w) {
  if constexpr (kIsFloat32<hn::TFromD<D>>) {
    const V slope = hn::Set(d, ErfinvRangesOfFloat::kSlope);
    const V near = hn::MulAdd(x, slope, hn::Mul(x, Horner(d, w, ErfinvRangesOfFloat::kNear)));
    const auto is_near = hn::Lt(w, hn::Set(d, 5.0f));
    if (HWY_LIKELY(hn::AllTrue(d, is_near))) return near;
    const V far = Horner(d, hn::Sub(hn::Sqrt(w), hn::Set(d, 3.1f)), ErfinvRangesOfFloat::kFar);
    return hn::IfThenElse(is_near, near, hn::Mul(x, far));
  } else {
    const V near = Horner(d, hn::Sub(w, hn::Set(d, 3.125)), ErfinvRanges::kNear);
    const auto is_near = hn::Lt(w, hn::Set(d, 6.25));
    if (HWY_LIKELY(hn::AllTrue(d, is_near))) return hn::Mul(x, near);
    const V root = hn::Sqrt(w);
    const V middle = Horner(d, hn::Sub(root, hn::Set(d, 3.25)), ErfinvRanges::kMiddle);
    const V far = Horner(d, hn::Sub(root, hn::Set(d, 5.0)), ErfinvRanges::kFar);
    const V outer = hn::IfThenElse(hn::Lt(w, hn::Set(d, 16.0)), middle, far);
    return hn::Mul(x, hn::IfThenElse(is_near, near, outer));
  }
}

struct ErfinvOfReal {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T(1));
    const V magnitude = hn::Abs(x);
    // Only the absolute error of w matters, so (1 - x)(1 + x) is precise enough. Lanes out of range are computed with
    // 1/2 and replaced at the end.
    const auto inside = hn::Lt(magnitude, one);
    const V y = hn::IfThenElse(inside, magnitude, hn::Set(d, T(0.5)));
    const auto r = ReduceLog(d, hn::Mul(hn::Sub(one, y), hn::Add(one, y)));
    const V value = ErfinvFrom(d, y, hn::Neg(LogOfReduced(d, r.k, r.f)));
    const V end = hn::IfThenElse(hn::Eq(magnitude, one), hn::Set(d, kInfinity<T>), hn::Set(d, kNaN<T>));
    return hn::CopySign(hn::IfThenElse(inside, value, end), x);
  }
};

// Erfinv: at most 1.90 ULP in float, 2.50 in double.
template <class D, class V>
HWY_INLINE V Erfinv(D d, V x) {
  if constexpr (kIsFloat32<hn::TFromD<D>> && !kFusedMulAdd) {
    return ThroughFloat64(d, ErfinvOfReal{}, x);  // the float polynomials reach 2 ULP only with fused products
  } else {
    return ErfinvOfReal{}(d, x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_MATH_ERF_INL_H_
