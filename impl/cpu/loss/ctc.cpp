// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/loss/ctc.hpp"

#include "impl/cpu/engine/elementwise/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/loss/ctc.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/math-inl.h"
#include "impl/cpu/simd/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

void Step(double* next, const double* near, const double* skip, const double* probs, int64_t states, int64_t side) {
  const hn::ScalableTag<double> d;
  const auto lowest = hn::Set(d, -HUGE_VAL);
  const auto step = [&](auto load) HWY_ATTR {
    const auto a = load(near), b = load(near + side), c = hn::Add(load(near + 2 * side), load(skip));
    const auto most = hn::Max(a, hn::Max(b, c));
    const auto base = hn::IfThenElse(hn::Eq(most, lowest), hn::Zero(d), most);
    const auto sum = hn::Add(hn::Add(Exp(d, hn::Sub(a, base)), Exp(d, hn::Sub(b, base))), Exp(d, hn::Sub(c, base)));
    return hn::Add(hn::Add(Log(d, sum), base), load(probs));
  };
  map_vectors(d, next, states, step);
}

void Terms(double* term, const double* alpha, const double* beta, const double* probs, double likelihood,
           int64_t states) {
  const hn::ScalableTag<double> d;
  const auto base = hn::Set(d, likelihood);
  map_vectors(d, term, states, [&](auto load) HWY_ATTR {
    return Exp(d, hn::Sub(hn::Add(hn::Add(load(alpha), load(beta)), base), load(probs)));
  });
}

void Gradient(double* grad, const double* probs, const double* terms, double factor, int64_t classes) {
  const hn::ScalableTag<double> d;
  const auto scale = hn::Set(d, factor);
  map_vectors(d, grad, classes,
              [&](auto load) HWY_ATTR { return hn::Mul(hn::Sub(Exp(d, load(probs)), load(terms)), scale); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(Step);
HWY_EXPORT(Terms);
HWY_EXPORT(Gradient);

void ctc_step(double* next, const double* near, const double* skip, const double* probs, int64_t states, int64_t side) {
  HWY_DYNAMIC_DISPATCH(Step)(next, near, skip, probs, states, side);
}
void ctc_terms(double* term, const double* alpha, const double* beta, const double* probs, double likelihood,
               int64_t states) {
  HWY_DYNAMIC_DISPATCH(Terms)(term, alpha, beta, probs, likelihood, states);
}
void ctc_gradient(double* grad, const double* probs, const double* terms, double factor, int64_t classes) {
  HWY_DYNAMIC_DISPATCH(Gradient)(grad, probs, terms, factor, classes);
}
}  // namespace impl::cpu
#endif
