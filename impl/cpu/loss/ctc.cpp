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

// out[i] = f(load) for each vector of a row. load(p) returns the vector of the row at `p`.
template <class F>
HWY_INLINE void MapRow(double* out, int64_t n, F f) {
  const hn::ScalableTag<double> d;
  static_assert(hn::MaxLanes(d) <= kCtcLanes, "a row is not long enough for its last vector");
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < n; i += lanes) {
    hn::StoreU(f([&](const double* p) HWY_ATTR { return hn::LoadU(d, p + i); }), d, out + i);
  }
}

// log(1 + e^x + e^y) for x, y <= 0.
struct LogSum {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return Log(d, hn::Add(hn::Set(d, 1.0), hn::Add(Exp(d, x), Exp(d, y))));
  }
};
// The same with an error of 2^-34, which is far below the rounding error of results in float.
struct LogSumForFloat {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V log2_e = hn::Set(d, ExpConstants<double>::kLog2E);
    const V sum = hn::Add(Exp2ForFloat(d, hn::Mul(x, log2_e)), Exp2ForFloat(d, hn::Mul(y, log2_e)));
    const V log = hn::Mul(Log2ForFloat(d, hn::Add(hn::Set(d, 1.0), sum)), hn::Set(d, kLog2));
    return hn::IfThenElse(hn::IsNaN(sum), sum, log);
  }
};

template <class Sum>
HWY_INLINE void StepWith(double* next, const double* near, const double* skip, const double* probs, int64_t states,
                         int64_t side) {
  const hn::ScalableTag<double> d;
  const auto lowest = hn::Set(d, -HUGE_VAL);
  MapRow(next, states, [&](auto load) HWY_ATTR {
    const auto a = load(near), b = load(near + side), c = hn::Add(load(near + 2 * side), load(skip));
    // Of two numbers, AtLeast and AtMost return the second one if one is NaN. Each number is the second one of one of
    // them, so a NaN stays.
    const auto high = AtLeast(a, b), low = AtMost(b, a);
    const auto most = AtLeast(high, c), middle = AtMost(c, high);
    const auto base = hn::IfThenElse(hn::Eq(most, lowest), hn::Zero(d), most);
    const auto more = Sum{}(d, hn::Sub(middle, base), hn::Sub(low, base));
    return hn::Add(hn::Add(more, most), load(probs));
  });
}

void Step(double* next, const double* near, const double* skip, const double* probs, int64_t states, int64_t side) {
  StepWith<LogSum>(next, near, skip, probs, states, side);
}
void StepForFloat(double* next, const double* near, const double* skip, const double* probs, int64_t states,
                  int64_t side) {
  StepWith<LogSumForFloat>(next, near, skip, probs, states, side);
}

void Terms(double* term, const double* alpha, const double* beta, const double* probs, double likelihood,
           int64_t states) {
  const hn::ScalableTag<double> d;
  const auto base = hn::Set(d, likelihood);
  MapRow(term, states, [&](auto load) HWY_ATTR {
    return Exp(d, hn::Sub(hn::Add(hn::Add(load(alpha), load(beta)), base), load(probs)));
  });
}

void Gradient(double* grad, const double* probs, const double* terms, double factor, int64_t classes) {
  const hn::ScalableTag<double> d;
  const auto scale = hn::Set(d, factor);
  MapRow(grad, classes, [&](auto load) HWY_ATTR { return hn::Mul(hn::Sub(Exp(d, load(probs)), load(terms)), scale); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(Step);
HWY_EXPORT(StepForFloat);
HWY_EXPORT(Terms);
HWY_EXPORT(Gradient);

void ctc_step(double* next, const double* near, const double* skip, const double* probs, int64_t states, int64_t side,
              bool for_float) {
  if (for_float) {
    HWY_DYNAMIC_DISPATCH(StepForFloat)(next, near, skip, probs, states, side);
  } else {
    HWY_DYNAMIC_DISPATCH(Step)(next, near, skip, probs, states, side);
  }
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
