/* SPDX-License-Identifier: BSD-3-Clause */
// What the backward passes share: the rows of the gradients, and the gradients of the scores of a row.
#if defined(IMPL_CPU_ATTENTION_BACKWARD_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_BACKWARD_ROWS_INL_H_
#undef IMPL_CPU_ATTENTION_BACKWARD_ROWS_INL_H_
#else
#define IMPL_CPU_ATTENTION_BACKWARD_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

#include "impl/cpu/attention/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// P = exp(score - shift) * factor.
template <typename T>
struct RowWeights {
  T shift, factor;
  bool sees_no_key() const { return shift == std::numeric_limits<T>::infinity(); }
};

template <typename S>
HWY_INLINE const S* query_row(const AttentionCall& c, const HeadRows& x, const BackwardItem& item, int64_t head,
                              int64_t i) {
  return reinterpret_cast<const S*>(x.data) + item.b * x.batch + (c.query_start[item.b] + i) * x.row + head * x.head;
}

HWY_INLINE float read_number(const AttentionCall& c, const RowNumbers& x, int64_t b, int64_t head, int64_t i) {
  return x.data[b * x.batch + head * x.head + (x.packed ? c.query_start[b] + i : i) * x.row];
}

template <typename T>
HWY_INLINE RowWeights<T> weights_of_row(const AttentionCall& c, const BackwardOperands& o, int64_t b, int64_t head,
                                        int64_t i) {
  if (o.lse.data != nullptr) return {static_cast<T>(read_number(c, o.lse, b, head, i)), T{1}};
  const T sum = static_cast<T>(read_number(c, o.sum, b, head, i));
  // A row that sees no key has the weights 0.
  if (sum == T{0}) return {std::numeric_limits<T>::infinity(), T{1}};
  return {static_cast<T>(read_number(c, o.max, b, head, i)), T{1} / sum};
}

template <typename S>
HWY_INLINE ComputeOf<S> dot(const S* a, const S* b, int64_t n) {
  const TagOf<S> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = hn::MulAdd(load_vector(a + i), load_vector(b + i), sum);
  if (i < n) sum = hn::MulAdd(load_some(a + i, n - i), load_some(b + i, n - i), sum);
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// For the keys that a row sees: weights = P and grad_scores = scale * P * (grad_weights * factor - delta), where
// `grad_scores` holds grad_weights before. kHides: both are 0 where a score is -infinity, whatever the other numbers
// are.
template <bool kHides, typename T>
HWY_NOINLINE void differentiate_row(const AttentionCall& c, const Seen& used, const Seen& seen,
                                    const RowWeights<T>& of_row, T delta, T score_factor, const T* dropped, T* weights,
                                    T* grad_scores) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, score_factor), shift = hn::Set(d, of_row.shift), factor = hn::Set(d, of_row.factor);
  const auto less = hn::Set(d, delta), scale = hn::Set(d, static_cast<T>(c.scale));
  const auto hidden = hn::Set(d, -std::numeric_limits<T>::infinity());
  for (int64_t at = used.begin; at < used.end; at += lanes) {
    if (at + lanes > seen.begin && at < seen.end) continue;
    hn::Store(hn::Zero(d), d, weights + at);
    hn::Store(hn::Zero(d), d, grad_scores + at);
  }
  const auto step = [&](int64_t at, auto keep_seen) HWY_ATTR {
    const auto score = hn::Mul(hn::Load(d, weights + at), by);
    const auto keep = [&](auto v) HWY_ATTR {
      if constexpr (kHides) v = hn::IfThenZeroElse(hn::Eq(score, hidden), v);
      return keep_seen(v);
    };
    const auto p = hn::Mul(Exp(d, hn::Sub(score, shift)), factor);
    auto used_p = p, grad = hn::Load(d, grad_scores + at);
    if (dropped != nullptr) {
      const auto m = hn::Load(d, dropped + at);
      used_p = hn::Mul(p, m);
      grad = hn::Mul(grad, m);
    }
    hn::Store(keep(used_p), d, weights + at);
    hn::Store(keep(hn::Mul(hn::Mul(p, hn::Sub(grad, less)), scale)), d, grad_scores + at);
  };
  for_seen<T>(
      seen, [&](int64_t at) HWY_ATTR { step(at, [](auto v) HWY_ATTR { return v; }); },
      [&](int64_t at, auto mask) HWY_ATTR { step(at, [&](auto v) HWY_ATTR { return hn::IfThenElseZero(mask, v); }); });
}

// The rows of an item. `m` has for each query of each head of the group of_row, delta and, size_row elements apart,
// grad_q.
template <typename S, class Memory>
struct BackwardRows {
  using T = ComputeOf<S>;
  const AttentionCall& c;
  const BackwardOperands& o;
  const BackwardItem& item;
  Memory& m;

  void prepare_rows() const {
    for (int64_t g = 0; g < c.group(); ++g) {
      const int64_t head = item.key_head * c.group() + g;
      for (int64_t r = 0; r < item.queries; ++r) {
        const int64_t i = item.query + r;
        m.of_row[g * item.queries + r] = weights_of_row<T>(c, o, item.b, head, i);
        m.delta[g * item.queries + r] =
            dot(query_row<S>(c, o.grad_out, item, head, i), query_row<S>(c, o.out, item, head, i), c.head_size);
      }
    }
    if (item.wants_q) std::fill_n(m.grad_q, c.group() * item.queries * m.size_row, T{0});
  }

  // For queries [i, i + rows) of a head, the first of which is row `first_row` of the item, and keys [key, key + n):
  // replaces the products in m.weights and m.grad_scores by weights and gradients of scores. If `hidden` is given, it
  // gets whether a key changes nothing in a row, kKeyTile numbers for each row.
  void differentiate(int64_t head, int64_t i, int64_t rows, int64_t first_row, int64_t key, int64_t n, const Seen& used,
                     uint8_t* hidden = nullptr) const {
    const bool finishes = has_score_operands(c) || hidden != nullptr;
    for (int64_t r = 0; r < rows; ++r) {
      const ScoreRow row{item.b, head, i + r, key};
      const RowWeights<T>& of_row = m.of_row[first_row + r];
      const Seen seen = of_row.sees_no_key() ? Seen{0, 0} : seen_in_tile(visible_keys(c, item.b, i + r), key, n);
      T* scores = m.weights + r * kKeyTile;
      if (finishes) finish_scores(c, row, seen, scores);
      if (hidden != nullptr) note_hidden(scores, used, seen, hidden + r * kKeyTile);
      if (c.drops) drop_factors(c, row, n, m.factors);
      const T delta = m.delta[first_row + r];
      const bool hides =
          finishes || !std::isfinite(of_row.shift) || !std::isfinite(of_row.factor) || !std::isfinite(delta);
      const auto run = hides ? differentiate_row<true, T> : differentiate_row<false, T>;
      run(c, used, seen, of_row, delta, finishes ? T{1} : static_cast<T>(c.scale), c.drops ? m.factors : nullptr,
          scores, m.grad_scores + r * kKeyTile);
    }
  }

  void store_keys(const HeadRows& x, int64_t key, int64_t n, const T* rows) const {
    for_key_runs<S>(c, x, item.b, item.key_head, key, n, [&](int64_t first, int64_t count, const S* at) HWY_ATTR {
      for (int64_t r = 0; r < count; ++r) store_row(rows + (first + r) * m.size_row, const_cast<S*>(at) + r * x.row);
    });
  }

  void store_row(const T* sums, S* out) const {
    int64_t i = 0;
    for (; i + lanes_of<S>() <= c.head_size; i += lanes_of<S>()) store_vector<S>(load_vector(sums + i), out + i);
    if (i < c.head_size) store_some<S>(load_some(sums + i, c.head_size - i), out + i, c.head_size - i);
  }

  void store_queries() const {
    for (int64_t g = 0; g < c.group(); ++g) {
      for (int64_t r = 0; r < item.queries; ++r) {
        const S* at = query_row<S>(c, o.grad_q, item, item.key_head * c.group() + g, item.query + r);
        store_row(m.grad_q + (g * item.queries + r) * m.size_row, const_cast<S*>(at));
      }
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
