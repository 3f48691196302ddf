// SPDX-License-Identifier: BSD-3-Clause
// The gradients of attention by tiles, after Dao, "FlashAttention-2" (2023). The weights are computed again from the
// scores and the statistics of the forward pass.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/attention/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/attention/backward_bf16-inl.h"
#include "impl/cpu/attention/backward_rows-inl.h"
#include "impl/cpu/attention/bf16_dots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
struct BackwardMemory {
  using T = ComputeOf<S>;
  BackwardMemory(char* memory, int64_t size, int64_t queries) : size_row(size) {
    Carver carver(memory);
    keys_t = carver.take<T>(size * kKeyTile);
    values_t = carver.take<T>(size * kKeyTile);
    keys = carver.take<T>(size * kKeyTile);
    rows = carver.take<T>(size * kKeyTile);
    grad_k = carver.take<T>(size * kKeyTile);
    grad_v = carver.take<T>(size * kKeyTile);
    q = carver.take<T>(size * kGradientTile);
    grad_out = carver.take<T>(size * kGradientTile);
    weights = carver.take<T>(kGradientTile * kKeyTile);
    grad_scores = carver.take<T>(kGradientTile * kKeyTile);
    factors = carver.take<T>(kKeyTile);
    delta = carver.take<T>(queries);
    of_row = carver.take<RowWeights<T>>(queries);
    grad_q = carver.take<T>(queries * size);
    key_dots.carve(&carver, size);
    value_dots.carve(&carver, size);
    q_dots.carve(&carver, size);
    grad_out_dots.carve(&carver, size);
    hidden = carver.take<uint8_t>(kGradientTile * kKeyTile);
    bytes = carver.bytes();
  }
  int64_t size_row;
  T *keys_t, *values_t;      // [size][kKeyTile]
  T *keys, *rows;            // [kKeyTile][size]; `rows` holds the values while they are transposed
  T *grad_k, *grad_v;        // [kKeyTile][size]
  T *q, *grad_out;           // [kGradientTile][size]
  T *weights, *grad_scores;  // [kGradientTile][kKeyTile]
  T *factors, *delta;        // of dropout, for each key; the sum of grad_out * out of each query
  RowWeights<T>* of_row;
  T* grad_q;  // of each query of each head of the group
  DotTile<S> key_dots, value_dots;
  DotRows<S> q_dots, grad_out_dots;
  uint8_t* hidden;  // [kGradientTile][kKeyTile]: whether a key changes nothing in a row
  bool knows_tile = false,
       is_finite_tile = false;  // whether the keys and values are known to be finite or not, and which
  int64_t bytes;
};

template <typename S>
struct BackwardPass : BackwardRows<S, BackwardMemory<S>> {
  using Rows = BackwardRows<S, BackwardMemory<S>>;
  using Rows::c, Rows::o, Rows::item, Rows::m;
  using typename Rows::T;
  TileProduct<T> product;

  // The keys and values [key, key + n) as float32 numbers, and transposed.
  void pack_tile(int64_t key, int64_t n) const {
    pack_keys<S>(c, c.k, item.b, item.key_head, key, n, m.keys, m.keys_t);
    pack_keys<S>(c, c.v, item.b, item.key_head, key, n, m.rows, m.values_t);
  }

  // Whether a number of a hidden pair of a query and a key may be multiplied by 0: whether all numbers of the tiles are
  // finite. `dots`: those of the keys and values are.
  HWY_NOINLINE bool is_finite(int64_t rows, int64_t n, bool dots) const {
    const int64_t size = c.head_size;
    if (!m.knows_tile) m.is_finite_tile = dots || (all_finite(m.keys, n * size) && all_finite(m.rows, n * size));
    m.knows_tile = true;
    return m.is_finite_tile && all_finite(m.q, rows * size) && all_finite(m.grad_out, rows * size);
  }

  // Whether queries [i, i + rows) of the item's sequence do not see all of the keys `used`.
  bool hides(int64_t i, int64_t rows, int64_t first_row, int64_t key, int64_t n, const Seen& used) const {
    if (has_score_operands(c)) return true;
    if (seen_in_tile(visible_keys(c, item.b, i), key, n).end < used.end) return true;
    if (seen_in_tile(visible_keys(c, item.b, i + rows - 1), key, n).begin > used.begin) return true;
    return std::any_of(m.of_row + first_row, m.of_row + first_row + rows,
                       [](const auto& x) { return x.sees_no_key(); });
  }

  // m.weights = q @ the keys `used`, and m.grad_scores = grad_out @ the values. `dots`: the tile is in key_dots and
  // value_dots, and only there.
  void multiply_heads(const S* q, const S* grad_out, int64_t rows, int64_t key, int64_t n, const Seen& used,
                      bool dots) const {
    if (dots && m.q_dots.take(q, c.q.row, rows) && m.grad_out_dots.take(grad_out, o.grad_out.row, rows)) {
      m.key_dots.multiply(m.q_dots, used, m.weights);
      m.value_dots.multiply(m.grad_out_dots, used, m.grad_scores);
      return;
    }
    if (dots) pack_tile(key, n);
    const int64_t size = c.head_size, count = used.end - used.begin;
    product.run(m.q, size, 1, m.keys_t + used.begin, kKeyTile, m.weights + used.begin, kKeyTile, rows, size, count,
                false);
    product.run(m.grad_out, size, 1, m.values_t + used.begin, kKeyTile, m.grad_scores + used.begin, kKeyTile, rows,
                size, count, false);
  }

  // Queries [first, first + rows) of the item, of one head, with the packed keys [key, key + n).
  void run_tile(int64_t g, int64_t first, int64_t rows, int64_t key, int64_t n, bool dots) const {
    const int64_t i = item.query + first, size = c.head_size, head = item.key_head * c.group() + g;
    const KeyRange low = visible_keys(c, item.b, i), high = visible_keys(c, item.b, i + rows - 1);
    Seen used = seen_in_tile({low.begin, high.end}, key, n);
    if (used.begin >= used.end) return;
    used.begin = used.begin / lanes_of<S>() * lanes_of<S>();
    const int64_t count = used.end - used.begin, first_row = g * item.queries + first;
    const S* const q = query_row<S>(c, c.q, item, head, i);
    const S* const grad_out = query_row<S>(c, o.grad_out, item, head, i);
    widen_rows(q, c.q.row, rows, size, m.q);
    widen_rows(grad_out, o.grad_out.row, rows, size, m.grad_out);
    multiply_heads(q, grad_out, rows, key, n, used, dots);
    if (hides(i, rows, first_row, key, n, used) && !is_finite(rows, n, dots)) {
      this->differentiate(head, i, rows, first_row, key, n, used, m.hidden);
      return add_seen(first_row, rows, used);
    }
    this->differentiate(head, i, rows, first_row, key, n, used);
    T *const p = m.weights + used.begin, *const gs = m.grad_scores + used.begin;
    if (item.wants_kv) {
      product.run(p, 1, kKeyTile, m.grad_out, size, m.grad_v + used.begin * size, size, count, rows, size, true);
      product.run(gs, 1, kKeyTile, m.q, size, m.grad_k + used.begin * size, size, count, rows, size, true);
    }
    if (item.wants_q) {
      product.run(gs, kKeyTile, 1, m.keys + used.begin * size, size, m.grad_q + first_row * size, size, rows, count,
                  size, true);
    }
  }

  // The end of run_tile() where numbers of hidden pairs may be NaN or infinite.
  HWY_NOINLINE void add_seen(int64_t first_row, int64_t rows, const Seen& used) const {
    const int64_t size = c.head_size;
    for (int64_t j = used.begin; item.wants_kv && j < used.end; ++j) {
      for_seen_runs(
          0, rows, [&](int64_t r) { return m.hidden[r * kKeyTile + j] != 0; },
          [&](int64_t r, int64_t end) HWY_ATTR {
            product.run(m.weights + r * kKeyTile + j, 1, kKeyTile, m.grad_out + r * size, size, m.grad_v + j * size,
                        size, 1, end - r, size, true);
            product.run(m.grad_scores + r * kKeyTile + j, 1, kKeyTile, m.q + r * size, size, m.grad_k + j * size, size,
                        1, end - r, size, true);
          });
    }
    for (int64_t r = 0; item.wants_q && r < rows; ++r) {
      for_seen_runs(
          used.begin, used.end, [&](int64_t j) { return m.hidden[r * kKeyTile + j] != 0; },
          [&](int64_t j, int64_t end) HWY_ATTR {
            product.run(m.grad_scores + r * kKeyTile + j, kKeyTile, 1, m.keys + j * size, size,
                        m.grad_q + (first_row + r) * size, size, 1, end - j, size, true);
          });
    }
  }

  void run_key_tile(int64_t key, int64_t n) const {
    const int64_t size = c.head_size;
    m.knows_tile = false;
    const bool dots = m.key_dots.take(c, c.k, item.b, item.key_head, key, n) &&
                      m.value_dots.take(c, c.v, item.b, item.key_head, key, n);
    if (!dots) {
      pack_tile(key, n);
    } else if (item.wants_q) {
      pack_keys<S>(c, c.k, item.b, item.key_head, key, n, m.keys, nullptr);
    }
    if (item.wants_kv) {
      std::fill_n(m.grad_k, n * size, T{0});
      std::fill_n(m.grad_v, n * size, T{0});
    }
    const int64_t tile = c.right < 0 ? kGradientTile : kQueryTile;
    for (int64_t g = 0; g < c.group(); ++g) {
      for (int64_t r = 0; r < item.queries; r += tile) {
        run_tile(g, r, std::min(tile, item.queries - r), key, n, dots);
      }
    }
    if (!item.wants_kv) return;
    this->store_keys(o.grad_k, key, n, m.grad_k);
    this->store_keys(o.grad_v, key, n, m.grad_v);
  }
};

template <typename S>
void attention_backward(const AttentionCall& c, const BackwardOperands& operands, const BackwardItem& item,
                        char* memory) {
  using T = ComputeOf<S>;
  BackwardMemory<S> m(memory, c.head_size, c.group() * item.queries);
  const BackwardPass<S> pass{{c, operands, item, m}, TileProduct<T>(small_kernel(diopi::dtype_of<T>))};
  pass.prepare_rows();
  const int64_t end = item.key + item.keys;
  for (int64_t key = item.key; key < end; key += kKeyTile) pass.run_key_tile(key, std::min(kKeyTile, end - key));
  if (item.wants_q) pass.store_queries();
}

#if IMPL_CPU_ATTENTION_AMX
void attention_backward_amx(const AttentionCall& c, const BackwardOperands& operands, const BackwardItem& item,
                            char* memory) {
  if (c.head_size > 0 && attention_backward_bf16(c, operands, item, memory)) return;
  attention_backward<diopi::bfloat16>(c, operands, item, memory);
}

// An item with all gradients of a key head in which an element is no normal number is computed again in parts, as for
// more threads, so that the number of threads does not decide what is computed without AMX.
void attention_backward_amx_by_parts(const AttentionCall& c, const BackwardOperands& operands, const BackwardItem& item,
                                     char* memory) {
  if (!item.wants_q || !item.wants_kv || c.head_size == 0) return attention_backward_amx(c, operands, item, memory);
  if (attention_backward_bf16(c, operands, item, memory)) return;
  BackwardItem part = item;
  part.wants_q = false;
  for (int64_t first = 0; first < item.keys; first += kKeyTile) {
    part.key = item.key + first;
    part.keys = std::min(kKeyTile, item.keys - first);
    attention_backward_amx(c, operands, part, memory);
  }
  part = item;
  part.wants_kv = false;
  for (int64_t first = 0; first < item.queries; first += kGradientQueries) {
    part.query = item.query + first;
    part.queries = std::min(kGradientQueries, item.queries - first);
    attention_backward_amx(c, operands, part, memory);
  }
}
#endif

const AttentionBackwardKernel* GetAttentionBackward(diopiDtype_t dtype) {
#if IMPL_CPU_ATTENTION_AMX
  if (dtype == diopi_dtype_bfloat16 && has_amx_bf16()) {
    return &kKernel<AttentionBackwardFn, attention_backward_amx_by_parts,
                    LargerMemory<Bf16BackwardMemory, BackwardMemory<diopi::bfloat16>>>;
  }
#endif
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
