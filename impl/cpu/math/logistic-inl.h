/* SPDX-License-Identifier: BSD-3-Clause */
// The logistic function with its complement and its logarithm. Included inside each target's namespace.
#if defined(IMPL_CPU_MATH_LOGISTIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATH_LOGISTIC_INL_H_
#undef IMPL_CPU_MATH_LOGISTIC_INL_H_
#else
#define IMPL_CPU_MATH_LOGISTIC_INL_H_
#endif

#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// For x: 1 / (1 + e^-x), 1 / (1 + e^x) and log(1 + e^-|x|), where -log(1 / (1 + e^x)) = max(x, 0) + log(1 + e^-|x|).
template <class V>
struct Logistic {
  V sigmoid, complement, log_term;
};

// All three from one exponential.
template <class D, class V>
HWY_INLINE Logistic<V> LogisticOf(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>(1)), power = Exp(d, hn::Neg(hn::Abs(x)));
  const V larger = hn::Div(one, hn::Add(one, power)), smaller = hn::Mul(power, larger);
  const auto positive = hn::Gt(x, hn::Zero(d));
  return {hn::IfThenElse(positive, larger, smaller), hn::IfThenElse(positive, smaller, larger), Log1p(d, power)};
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
