// Erf.
#if defined(IMPL_CPU_KERNELS_MATH_ERF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_KERNELS_MATH_ERF_INL_H_
#undef IMPL_CPU_KERNELS_MATH_ERF_INL_H_
#else
#define IMPL_CPU_KERNELS_MATH_ERF_INL_H_
#endif

#include "math_exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
struct ErfConstants;
template <>
struct ErfConstants<float> {
  // erf(x) / x - 1 in x^2 on |x| <= 1 (2^-29).
  static constexpr float kNear[] = {0.128379166f,  -0.37612626f,    0.112835854f,  -0.0268538129f,
                                    0.00518832775f, -0.000801019487f, 7.8538651e-05f};
  // erf(u + 2.2) for arguments in [1, 4] (2^-26); from 4 on the result rounds to 1.
  static constexpr float kFar[] = {0.998137176f,     0.00892225187f,   -0.0196288209f, 0.0258130524f,  -0.0218523219f,
                                   0.0114951963f,    -0.00260111946f,  -0.00112207595f, 0.00117602106f, -0.000334392214f,
                                   -6.74225594e-05f, 6.92153699e-05f,  -1.04150386e-05f, -3.2545563e-06f, 8.96164181e-07f};
  static constexpr float kCentre = 2.2f, kLast = 4.0f;
};
template <>
struct ErfConstants<double> {
  // The same to 2^-57.
  static constexpr double kNear[] = {
      0.12837916709551256,     -0.3761263890318352,     0.11283791670944185,    -0.026866170643111524,
      0.005223977606118923,    -0.0008548325929333792,  0.00012055293577407283, -1.492471231050824e-05,
      1.6447131662769927e-06,  -1.620631436933706e-07,  1.371098269412044e-08,  -7.779472188449372e-10,
  };
  // -log(1 - erf(u + 2.5)) for arguments in [1, 6], to 2^-59 of erf: a polynomial of erf itself would be longer.
  static constexpr double kFar[] = {
      7.806815272727266,       5.352680750986434,       0.9438937335242102,     0.010858072737402831,
      -0.0021654769027395298,  0.0004209325644157674,   -7.703078073576162e-05, 1.2755857012411655e-05,
      -1.7690275031526e-06,    1.5589910261888493e-07,  1.2623687559117964e-08, -1.0850671258006742e-08,
      3.540096603428123e-09,   -8.789068397840243e-10,  1.3724173136841397e-10, -1.7681404181993826e-11,
      8.91440746606005e-12,    7.276004677340435e-13,   -1.0495515705656578e-12,
  };
  static constexpr double kCentre = 2.5, kLast = 6.0;
};

template <class D, class V>
HWY_INLINE V Erf(D d, V x) {
  using T = hn::TFromD<D>;
  using C = ErfConstants<T>;
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

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_KERNELS_MATH_ERF_INL_H_
