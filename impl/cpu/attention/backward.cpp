// SPDX-License-Identifier: BSD-3-Clause
// The gradients of attention by tiles, after Dao, "FlashAttention-2" (2023). The weights are computed again from the
// scores and the statistics of the forward pass.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/attention/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/attention/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// P = exp(score - shift) * factor.
template <typename T>
struct RowWeights {
  T shift, factor;
};

template <typename S>
struct BackwardMemory {
  using T = ComputeOf<S>;
  BackwardMemory(char* memory, int64_t size, int64_t queries) {
    Carver carver(memory);
    keys_t = carver.take<T>(size * kKeyTile);
    values_t = carver.take<T>(size * kKeyTile);
    keys = carver.take<T>(size * kKeyTile);
    rows = carver.take<T>(size * kKeyTile);
    grad_k = carver.take<T>(size * kKeyTile);
    grad_v = carver.take<T>(size * kKeyTile);
    q = carver.take<T>(size * kQueryTile);
    grad_out = carver.take<T>(size * kQueryTile);
    weights = carver.take<T>(kQueryTile * kKeyTile);
    grad_scores = carver.take<T>(kQueryTile * kKeyTile);
    factors = carver.take<T>(kKeyTile);
    delta = carver.take<T>(queries);
    of_row = carver.take<RowWeights<T>>(queries);
    grad_q = carver.take<T>(queries * size);
    bytes = carver.bytes();
  }
  T *keys_t, *values_t;      // [size][kKeyTile]
  T *keys, *rows;            // [kKeyTile][size]; `rows` holds the values while they are transposed
  T *grad_k, *grad_v;        // [kKeyTile][size]
  T *q, *grad_out;           // [kQueryTile][size]
  T *weights, *grad_scores;  // [kQueryTile][kKeyTile]
  T *factors, *delta;        // of dropout, for each key; the sum of grad_out * out of each query
  RowWeights<T>* of_row;
  T* grad_q;  // of each query of each head of the group
  int64_t bytes;
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
// `grad_scores` holds grad_weights before.
template <typename T>
HWY_NOINLINE void differentiate_row(const AttentionCall& c, const Seen& used, const Seen& seen,
                                    const RowWeights<T>& of_row, T delta, T score_factor, const T* dropped, T* weights,
                                    T* grad_scores) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, score_factor), shift = hn::Set(d, of_row.shift), factor = hn::Set(d, of_row.factor);
  const auto less = hn::Set(d, delta), scale = hn::Set(d, static_cast<T>(c.scale));
  for (int64_t at = used.begin; at < used.end; at += lanes) {
    if (at + lanes > seen.begin && at < seen.end) continue;
    hn::Store(hn::Zero(d), d, weights + at);
    hn::Store(hn::Zero(d), d, grad_scores + at);
  }
  const auto step = [&](int64_t at, auto keep) HWY_ATTR {
    const auto p = hn::Mul(Exp(d, hn::Sub(hn::Mul(hn::Load(d, weights + at), by), shift)), factor);
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

template <typename S>
struct BackwardPass {
  using T = ComputeOf<S>;
  const AttentionCall& c;
  const BackwardOperands& o;
  const BackwardItem& item;
  BackwardMemory<S>& m;
  TileProduct<T> product;

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
    if (item.wants_q) std::fill_n(m.grad_q, c.group() * item.queries * c.head_size, T{0});
  }

  // Queries [first, first + rows) of the item, of one head, with the packed keys [key, key + n).
  void run_tile(int64_t g, int64_t first, int64_t rows, int64_t key, int64_t n) const {
    const int64_t i = item.query + first, size = c.head_size, head = item.key_head * c.group() + g;
    const KeyRange low = visible_keys(c, item.b, i), high = visible_keys(c, item.b, i + rows - 1);
    Seen used = seen_in_tile({low.begin, high.end}, key, n);
    if (used.begin >= used.end) return;
    used.begin = used.begin / lanes_of<S>() * lanes_of<S>();
    const int64_t count = used.end - used.begin, first_row = g * item.queries + first;
    widen_rows(query_row<S>(c, c.q, item, head, i), c.q.row, rows, size, m.q);
    widen_rows(query_row<S>(c, o.grad_out, item, head, i), o.grad_out.row, rows, size, m.grad_out);
    T *const p = m.weights + used.begin, *const gs = m.grad_scores + used.begin;
    product.run(m.q, size, 1, m.keys_t + used.begin, kKeyTile, p, kKeyTile, rows, size, count, false);
    product.run(m.grad_out, size, 1, m.values_t + used.begin, kKeyTile, gs, kKeyTile, rows, size, count, false);
    for (int64_t r = 0; r < rows; ++r) {
      const ScoreRow row{item.b, head, i + r, key};
      const Seen seen = seen_in_tile(visible_keys(c, item.b, i + r), key, n);
      T* scores = m.weights + r * kKeyTile;
      if (has_score_operands(c)) finish_scores(c, row, seen, scores);
      if (c.drops) drop_factors(c, row, n, m.factors);
      differentiate_row(c, used, seen, m.of_row[first_row + r], m.delta[first_row + r],
                        has_score_operands(c) ? T{1} : static_cast<T>(c.scale), c.drops ? m.factors : nullptr, scores,
                        m.grad_scores + r * kKeyTile);
    }
    if (item.wants_kv) {
      product.run(p, 1, kKeyTile, m.grad_out, size, m.grad_v + used.begin * size, size, count, rows, size, true);
      product.run(gs, 1, kKeyTile, m.q, size, m.grad_k + used.begin * size, size, count, rows, size, true);
    }
    if (item.wants_q) {
      product.run(gs, kKeyTile, 1, m.keys + used.begin * size, size, m.grad_q + first_row * size, size, rows, count,
                  size, true);
    }
  }

  void run_key_tile(int64_t key, int64_t n) const {
    const int64_t size = c.head_size;
    pack_keys<S>(c, c.k, item.b, item.key_head, key, n, m.keys, m.keys_t);
    pack_keys<S>(c, c.v, item.b, item.key_head, key, n, m.rows, m.values_t);
    if (item.wants_kv) {
      std::fill_n(m.grad_k, n * size, T{0});
      std::fill_n(m.grad_v, n * size, T{0});
    }
    for (int64_t g = 0; g < c.group(); ++g) {
      for (int64_t r = 0; r < item.queries; r += kQueryTile) {
        run_tile(g, r, std::min(kQueryTile, item.queries - r), key, n);
      }
    }
    if (!item.wants_kv) return;
    store_keys(o.grad_k, key, n, m.grad_k);
    store_keys(o.grad_v, key, n, m.grad_v);
  }

  void store_keys(const HeadRows& x, int64_t key, int64_t n, const T* rows) const {
    for_key_runs<S>(c, x, item.b, item.key_head, key, n, [&](int64_t first, int64_t count, const S* at) HWY_ATTR {
      for (int64_t r = 0; r < count; ++r) store_row(rows + (first + r) * c.head_size, const_cast<S*>(at) + r * x.row);
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
        store_row(m.grad_q + (g * item.queries + r) * c.head_size, const_cast<S*>(at));
      }
    }
  }
};

template <typename S>
void attention_backward(const AttentionCall& c, const BackwardOperands& operands, const BackwardItem& item,
                        char* memory) {
  using T = ComputeOf<S>;
  BackwardMemory<S> m(memory, c.head_size, c.group() * item.queries);
  const BackwardPass<S> pass{c, operands, item, m, TileProduct<T>(small_kernel(diopi::dtype_of<T>))};
  pass.prepare_rows();
  const int64_t end = item.key + item.keys;
  for (int64_t key = item.key; key < end; key += kKeyTile) pass.run_key_tile(key, std::min(kKeyTile, end - key));
  if (item.wants_q) pass.store_queries();
}

const AttentionBackwardKernel* GetAttentionBackward(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return &kKernel<AttentionBackwardFn, attention_backward<S>, BackwardMemory<S>>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetAttentionBackward);

const AttentionBackwardKernel& attention_backward_kernel(diopiDtype_t dtype) {
  return *HWY_DYNAMIC_DISPATCH(GetAttentionBackward)(dtype);
}
}  // namespace impl::cpu
#endif
