/* SPDX-License-Identifier: BSD-3-Clause */
// One query row of a forward pass: its scores of a tile of keys become weights, and its sums become the result.
#if defined(IMPL_CPU_ATTENTION_FORWARD_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_FORWARD_ROW_INL_H_
#undef IMPL_CPU_ATTENTION_FORWARD_ROW_INL_H_
#else
#define IMPL_CPU_ATTENTION_FORWARD_ROW_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

#include "impl/cpu/attention/softmax_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
HWY_INLINE void multiply_row(T* x, int64_t n, T factor) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, x + i), by), d, x + i);
  for (; i < n; ++i) x[i] *= factor;
}

template <typename T>
HWY_INLINE T exp_of(T x) {
  const hn::ScalableTag<T> d;
  return hn::GetLane(Exp(d, hn::Set(d, x)));
}

// One row of a tile: scores, which lack `factor`, become weights, and the sums of the row are scaled to the new
// maximum.
template <typename T>
HWY_INLINE void weigh_scores(const AttentionCall& c, const ScoreRow& row, const Seen& used, const Seen& seen, T factor,
                             T* s, T* max, T* total, T* sums, T* factors) {
  const T here = largest(s, seen) * factor, before = *max;
  T most = here > before ? here : before;
  if (most == -std::numeric_limits<T>::infinity() && has_nan(s, seen)) most = std::numeric_limits<T>::quiet_NaN();
  if (most == -std::numeric_limits<T>::infinity()) {
    std::fill(s + used.begin, s + used.end, T{0});
    return;
  }
  const T sum = exponentials(s, used, seen, factor, most);
  if (most != before) {
    if (before != -std::numeric_limits<T>::infinity()) {  // otherwise the sums are 0
      const T shrink = exp_of<T>(before - most);
      *total *= shrink;
      multiply_row(sums, c.head_size, shrink);
    }
    *max = most;
  }
  *total += sum;
  if (!c.drops) return;
  drop_factors(c, row, seen.end, factors);
  for (int64_t j = seen.begin; j < seen.end; ++j) s[j] *= factors[j];
}

// The same for the products of q and k.
template <typename T>
HWY_INLINE void weigh_row(const AttentionCall& c, const ScoreRow& row, const Seen& used, const Seen& seen, T* s, T* max,
                          T* total, T* sums, T* factors) {
  const T factor = finish_but_factor(c, row, seen, s);
  weigh_scores(c, row, used, seen, factor, s, max, total, sums, factors);
}

// The same, and add(begin, end) is called for the runs of keys that the row sees. A hidden value that is NaN or
// infinite must not be multiplied by the weight 0.
template <typename T, class Add>
HWY_INLINE void weigh_and_add(const AttentionCall& c, const ScoreRow& row, const Seen& used, const Seen& seen, T* s,
                              T* max, T* total, T* sums, T* factors, Add add) {
  uint8_t hidden[kKeyTile];
  const T factor = finish_but_factor(c, row, seen, s);
  note_hidden(s, used, seen, hidden);
  weigh_scores(c, row, used, seen, factor, s, max, total, sums, factors);
  for_seen_runs(
      seen.begin, seen.end, [&](int64_t j) { return hidden[j] != 0; }, add);
}

// Writes the output and the statistics of a row.
template <typename S>
HWY_INLINE void write_result(const AttentionCall& c, const ForwardOutputs& o, int64_t b, int64_t head, int64_t row,
                             ComputeOf<S> max, ComputeOf<S> total, const ComputeOf<S>* sums) {
  using T = ComputeOf<S>;
  const hn::ScalableTag<T> d;
  const int64_t size = c.head_size, lanes = static_cast<int64_t>(hn::Lanes(d)), packed = c.query_start[b] + row;
  const bool empty = max == -std::numeric_limits<T>::infinity();
  const auto inverse = hn::Set(d, empty ? T{0} : T{1} / total);
  S* out = reinterpret_cast<S*>(o.out.data) + b * o.out.batch + packed * o.out.row + head * o.out.head;
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes) store_vector<S>(hn::Mul(hn::LoadU(d, sums + i), inverse), out + i);
  if (i < size) store_some<S>(hn::Mul(load_some(sums + i, size - i), inverse), out + i, size - i);
  const float infinity = std::numeric_limits<float>::infinity();
  const auto write = [&](const RowNumbers& x, float value) {
    write_number(x, b, head, x.packed ? packed : row, value);
  };
  write(o.lse, empty ? infinity : static_cast<float>(max + std::log(total)));
  write(o.max, static_cast<float>(std::isnan(total) ? total : max));
  write(o.sum, static_cast<float>(total));
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
