// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "impl/cpu/sampling/draw.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/math-inl.h"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

Extremes PrepareLogits(double* logits, int64_t n) {
  const TagOf<double> d;
  const double inf = std::numeric_limits<double>::infinity();
  const auto lowest = hn::Set(d, -inf), highest = hn::Set(d, inf);
  auto most = lowest, least = highest;
  const int64_t lanes = lanes_of<double>();
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, logits + i);
    const auto clean = hn::IfThenElse(hn::IsNaN(v), lowest, v);
    hn::StoreU(clean, d, logits + i);
    most = hn::Max(most, clean);
    least = hn::Min(least, hn::IfThenElse(hn::Gt(clean, lowest), clean, highest));
  }
  Extremes found{hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most))};
  for (; i < n; ++i) {
    if (logits[i] != logits[i]) logits[i] = -inf;
    if (logits[i] > found.most) found.most = logits[i];
    if (logits[i] > -inf && logits[i] < found.least) found.least = logits[i];
  }
  return found;
}

void MakeWeights(const double* logits, int64_t n, double top, double* weights) {
  const TagOf<double> d;
  const auto most = hn::Set(d, top), one = hn::Set(d, 1.0);
  for_vectors<double>(n, [&](int64_t i, auto load, auto store, auto) {
    const auto v = load(logits + i);
    const auto equal = hn::Eq(v, most);
    store(hn::IfThenElse(equal, one, Exp(d, hn::IfThenZeroElse(equal, hn::Sub(v, most)))), weights + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(PrepareLogits);
HWY_EXPORT(MakeWeights);

Extremes prepare_logits(double* logits, int64_t n) { return HWY_DYNAMIC_DISPATCH(PrepareLogits)(logits, n); }
void make_weights(const double* logits, int64_t n, double top, double* weights) {
  HWY_DYNAMIC_DISPATCH(MakeWeights)(logits, n, top, weights);
}
}  // namespace impl::cpu
#endif
