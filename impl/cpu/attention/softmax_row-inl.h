/* SPDX-License-Identifier: BSD-3-Clause */
// The largest score of a row, and the exponentials of its scores.
#if defined(IMPL_CPU_ATTENTION_SOFTMAX_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_SOFTMAX_ROW_INL_H_
#undef IMPL_CPU_ATTENTION_SOFTMAX_ROW_INL_H_
#else
#define IMPL_CPU_ATTENTION_SOFTMAX_ROW_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

#include "impl/cpu/attention/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
HWY_NOINLINE bool has_nan(const T* s, const Seen& seen) {
  return std::any_of(s + seen.begin, s + seen.end, [](T x) { return std::isnan(x); });
}

// Finishes the scores of a row but for a positive factor, which it returns: multiplications by it keep their order.
template <typename T>
HWY_INLINE T finish_but_factor(const AttentionCall& c, const ScoreRow& row, const Seen& seen, T* s) {
  const T scale = static_cast<T>(c.scale);
  const bool is_positive = scale > 0 && scale <= std::numeric_limits<T>::max();
  if (is_positive && !has_score_operands(c)) return scale;
  finish_scores(c, row, seen, s);
  return 1;
}

template <typename T>
HWY_INLINE T largest(const T* s, const Seen& seen) {
  const hn::ScalableTag<T> d;
  const auto lowest = hn::Set(d, -std::numeric_limits<T>::infinity());
  auto most = lowest;
  for_seen<T>(
      seen, [&](int64_t at) HWY_ATTR { most = hn::Max(most, hn::Load(d, s + at)); },
      [&](int64_t at, auto mask) HWY_ATTR { most = hn::Max(most, hn::IfThenElse(mask, hn::Load(d, s + at), lowest)); });
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

// Replaces scores by exp(score * factor - max), and the others by 0; returns the sum.
template <typename T>
HWY_INLINE T exponentials(T* s, const Seen& used, const Seen& seen, T factor, T max) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, factor), shift = hn::Set(d, max);
  auto sum = hn::Zero(d);
  for (int64_t at = used.begin; at < used.end; at += lanes) {
    if (at + lanes > seen.begin && at < seen.end) continue;
    hn::Store(hn::Zero(d), d, s + at);
  }
  // Rounded before the maximum is subtracted: the error of a huge product must not make the difference positive.
  const auto power = [&](int64_t at)
                         HWY_ATTR { return ExpAtMostOne(d, hn::Sub(hn::Mul(hn::Load(d, s + at), by), shift)); };
  for_seen<T>(
      seen,
      [&](int64_t at) HWY_ATTR {
        const auto p = power(at);
        sum = hn::Add(sum, p);
        hn::Store(p, d, s + at);
      },
      [&](int64_t at, auto mask) HWY_ATTR {
        const auto p = hn::IfThenElseZero(mask, power(at));
        sum = hn::Add(sum, p);
        hn::Store(p, d, s + at);
      });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
