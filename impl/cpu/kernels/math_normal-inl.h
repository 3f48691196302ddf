// The normal distribution, for Gelu and its gradient.
#if defined(IMPL_CPU_KERNELS_MATH_NORMAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_KERNELS_MATH_NORMAL_INL_H_
#undef IMPL_CPU_KERNELS_MATH_NORMAL_INL_H_
#else
#define IMPL_CPU_KERNELS_MATH_NORMAL_INL_H_
#endif

#include "math_exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
struct NormalConstants;
template <>
struct NormalConstants<float> {
  static constexpr float kLast = 13.2f;  // beyond it e^(-x^2 / 2) is no normal number: the tail counts as 0
  static constexpr float kCentre = 3.0f;
  static constexpr uint32_t kUpperBits = 0xFFFFF000u;  // a square of what they leave is exact
  // Tail(x) e^(x^2 / 2) in (x - 3) / (x + 3) for x from 0 to kLast (2^-27).
  static constexpr float kTail[] = {0.121513948f,    -0.206402615f,  0.123225018f,     -0.0462133139f,
                                    0.00613218313f,  0.00290470244f, -0.000984182348f, -0.00033991097f,
                                    0.000116036987f, 5.41504924e-05f};
};
template <>
struct NormalConstants<double> {
  static constexpr double kLast = 37.6;
  static constexpr double kCentre = 5.0;
  static constexpr uint64_t kUpperBits = 0xFFFFFFFFF8000000u;
  // The same in (x - 5) / (x + 5), to 2^-58.
  static constexpr double kTail[] = {
      0.07691930497500629,    -0.14345755526401197,    0.11606881188600329,     -0.08088387726412721,
      0.047855352284170004,   -0.02341390048769745,    0.008991370550591076,    -0.002378844356631965,
      0.00021955073761016714, 0.00013427684305458582,  -6.042748274381102e-05,  9.61307112800285e-07,
      6.6444211948563315e-06, -1.270078014416337e-06,  -6.750789879907238e-07,  2.4334996955781753e-07,
      7.710862776590988e-08,  -3.9170848701954876e-08, -1.0996813649031547e-08, 5.6905158174830436e-09,
      1.8267752370313607e-09, -5.698797601690297e-10,  -2.3199195690958244e-10};
};

// e^(-x^2 / 2), and the probability of a normal number beyond |x|, with relative accuracy far into the tail: the
// rounding error of x^2, which the exponential would amplify, is part of its argument.
template <class V>
struct NormalTail {
  V bell;
  V tail;
};
template <class D, class V>
HWY_INLINE NormalTail<V> TailOfNormal(D d, V x) {
  using T = hn::TFromD<D>;
  using C = NormalConstants<T>;
  const V half = hn::Set(d, T(0.5));
  const V last = hn::Set(d, C::kLast);
  const V magnitude = hn::Abs(x);
  const V y = AtMost(last, magnitude);
  V square, error;
  if constexpr (kFusedMulAdd) {
    square = hn::Mul(y, y);
    error = hn::MulSub(y, y, square);
  } else {
    const hn::RebindToUnsigned<D> du;
    const V upper = hn::BitCast(d, hn::And(hn::BitCast(du, y), hn::Set(du, C::kUpperBits)));
    square = hn::Mul(upper, upper);
    error = hn::Mul(hn::Sub(y, upper), hn::Add(y, upper));
  }
  const ReducedExp<V> e = ReduceExp(d, hn::Neg(hn::Mul(half, square)));
  const V bell = hn::Mul(ExpOfReduced(d, hn::NegMulAdd(half, error, e.r)), PowerOfTwo(d, e.k));
  const V centre = hn::Set(d, C::kCentre);
  const V t = hn::Div(hn::Sub(y, centre), hn::Add(y, centre));
  const auto inside = hn::Le(magnitude, last);
  return {hn::IfThenElseZero(inside, bell), hn::IfThenElseZero(inside, hn::Mul(bell, Horner(d, t, C::kTail)))};
}

// The probability of a normal number below x.
template <class D, class V>
HWY_INLINE V NormalCdf(D d, V x, V tail) {
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(hn::Set(d, hn::TFromD<D>(1)), tail));
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // IMPL_CPU_KERNELS_MATH_NORMAL_INL_H_
