// SPDX-License-Identifier: BSD-3-Clause
// The forward pass of attention by tiles, with the running maximum and sum of Milakov and Gimelshein, "Online
// normalizer calculation for softmax" (2018), and Dao, "FlashAttention-2" (2023). A tile of keys is packed once and
// multiplied with all queries of the item.
#include <cmath>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/attention/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/forward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/attention/softmax_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
struct ForwardMemory {
  using T = ComputeOf<S>;
  ForwardMemory(char* memory, int64_t size, int64_t queries) {
    Carver carver(memory);
    keys = carver.take<T>(size * kKeyTile);
    values = carver.take<T>(size * kKeyTile);
    scores = carver.take<T>(kQueryTile * kKeyTile);
    factors = carver.take<T>(kKeyTile);
    sums = carver.take<T>(queries * size);
    max = carver.take<T>(queries);
    total = carver.take<T>(queries);
    if (!std::is_same_v<S, T>) widened = carver.take<T>(std::max(queries, kKeyTile) * size);
    bytes = carver.bytes();
  }
  T *keys, *values;       // [size][kKeyTile] and [kKeyTile][size]
  T *scores, *factors;    // [kQueryTile][kKeyTile], [kKeyTile]
  T *sums, *max, *total;  // of each query: the weighted sum of values, the largest score, the sum of exponentials
  T* widened = nullptr;
  int64_t bytes;
};

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

// One row of a tile: scores become weights, and the sums of the row are scaled to the new maximum.
template <typename T>
HWY_INLINE void weigh_row(const AttentionCall& c, const ScoreRow& row, const Seen& used, const Seen& seen, T* s, T* max,
                          T* total, T* sums, T* factors) {
  T factor = static_cast<T>(c.scale);
  if (has_score_operands(c)) {
    finish_scores(c, row, seen, s);
    factor = 1;
  }
  const T here = largest(s, seen, factor), before = *max;
  T most = here > before ? here : before;
  if (most == -std::numeric_limits<T>::infinity() && has_nan(s, seen)) most = std::numeric_limits<T>::quiet_NaN();
  if (most == -std::numeric_limits<T>::infinity()) {
    std::fill(s + used.begin, s + used.end, T{0});
    return;
  }
  const T sum = exponentials(s, used, seen, factor, most);
  if (most != before) {
    const T shrink = exp_of<T>(before - most);
    *total *= shrink;
    multiply_row(sums, c.head_size, shrink);
    *max = most;
  }
  *total += sum;
  if (!c.drops) return;
  drop_factors(c, row, used.end, factors);
  for (int64_t j = used.begin; j < used.end; ++j) s[j] *= factors[j];
}

template <typename S>
struct ForwardTile {
  using T = ComputeOf<S>;
  const AttentionCall& c;
  const ForwardItem& item;
  ForwardMemory<S>& memory;
  TileProduct<T> product;
  const T* q;
  int64_t q_row;

  // Queries [first, first + rows) of the item with the keys [key, key + n).
  HWY_INLINE void run(int64_t first, int64_t rows, int64_t key, int64_t n) const {
    const int64_t i = item.query + first, size = c.head_size;
    // The range of a later row neither begins nor ends before that of an earlier one.
    const KeyRange low = visible_keys(c, item.b, i), high = visible_keys(c, item.b, i + rows - 1);
    Seen used = seen_in_tile({low.begin, high.end}, key, n);
    if (used.begin >= used.end) return;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
    used.begin = used.begin / lanes * lanes;
    const int64_t count = used.end - used.begin;
    T* scores = memory.scores;
    product.run(q + first * q_row, q_row, 1, memory.keys + used.begin, kKeyTile, scores + used.begin, kKeyTile, rows,
                size, count, false);
    for (int64_t r = 0; r < rows; ++r) {
      const Seen seen = seen_in_tile(visible_keys(c, item.b, i + r), key, n);
      weigh_row(c, ScoreRow{item.b, item.head, i + r, key}, used, seen, scores + r * kKeyTile, memory.max + first + r,
                memory.total + first + r, memory.sums + (first + r) * size, memory.factors);
    }
    product.run(scores + used.begin, kKeyTile, 1, memory.values + used.begin * size, size, memory.sums + first * size,
                size, rows, count, size, true);
  }
};

template <typename S>
HWY_INLINE void write_rows(const AttentionCall& c, const ForwardOutputs& o, const ForwardItem& item,
                           const ForwardMemory<S>& memory) {
  using T = ComputeOf<S>;
  const hn::ScalableTag<T> d;
  const int64_t size = c.head_size, lanes = static_cast<int64_t>(hn::Lanes(d)), start = c.query_start[item.b];
  for (int64_t r = 0; r < item.queries; ++r) {
    const int64_t row = item.query + r, packed = start + row;
    const T max = memory.max[r], total = memory.total[r];
    const bool empty = max == -std::numeric_limits<T>::infinity();
    const auto inverse = hn::Set(d, empty ? T{0} : T{1} / total);
    const T* sums = memory.sums + r * size;
    S* out = reinterpret_cast<S*>(o.out.data) + item.b * o.out.batch + packed * o.out.row + item.head * o.out.head;
    int64_t i = 0;
    for (; i + lanes <= size; i += lanes) store_vector<S>(hn::Mul(hn::LoadU(d, sums + i), inverse), out + i);
    if (i < size) store_some<S>(hn::Mul(load_some(sums + i, size - i), inverse), out + i, size - i);
    const float infinity = std::numeric_limits<float>::infinity();
    const auto write = [&](const RowNumbers& x, float value) {
      write_number(x, item.b, item.head, x.packed ? packed : row, value);
    };
    write(o.lse, empty ? infinity : static_cast<float>(max + std::log(total)));
    write(o.max, static_cast<float>(std::isnan(total) ? total : max));
    write(o.sum, static_cast<float>(total));
  }
}

template <typename S>
void attention_forward(const AttentionCall& c, const ForwardOutputs& outputs, const ForwardItem& item, char* memory) {
  using T = ComputeOf<S>;
  const int64_t size = c.head_size, keys = c.key_length[item.b];
  ForwardMemory<S> m(memory, size, item.queries);
  std::fill_n(m.sums, item.queries * size, T{0});
  std::fill_n(m.max, item.queries, -std::numeric_limits<T>::infinity());
  std::fill_n(m.total, item.queries, T{0});
  const S* q = reinterpret_cast<const S*>(c.q.data) + item.b * c.q.batch +
               (c.query_start[item.b] + item.query) * c.q.row + item.head * c.q.head;
  const T* queries = m.widened;
  int64_t q_row = size;
  if constexpr (std::is_same_v<S, T>) {
    queries = q;
    q_row = c.q.row;
  } else {
    widen_rows(q, c.q.row, item.queries, size, m.widened);
  }
  const ForwardTile<S> tile{c, item, m, TileProduct<T>(small_kernel(diopi::dtype_of<T>)), queries, q_row};
  const int64_t key_head = item.head / c.group();
  const KeyRange first = visible_keys(c, item.b, item.query);
  const KeyRange last = visible_keys(c, item.b, item.query + item.queries - 1);
  for (int64_t key = first.begin / kKeyTile * kKeyTile; key < std::min(keys, last.end); key += kKeyTile) {
    const int64_t n = std::min(kKeyTile, keys - key);
    // The widened keys lie where the values are written next.
    pack_keys<S>(c, c.k, item.b, key_head, key, n, std::is_same_v<S, T> ? nullptr : m.values, m.keys);
    pack_keys<S>(c, c.v, item.b, key_head, key, n, m.values, nullptr);
    for (int64_t r = 0; r < item.queries; r += kQueryTile) tile.run(r, std::min(kQueryTile, item.queries - r), key, n);
  }
  write_rows(c, outputs, item, m);
}

AttentionForwardFn GetAttentionForward(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return attention_forward<diopi::tagged<decltype(tag)>>; });
}

int64_t AttentionForwardBytes(diopiDtype_t dtype, int64_t head_size, int64_t queries) {
  int64_t bytes = 0;
  (void)diopi::visit_dtype<diopi::FloatingTypes>(dtype, [&](auto tag) {
    bytes = ForwardMemory<diopi::tagged<decltype(tag)>>(nullptr, head_size, queries).bytes;
    return diopi::Status();
  });
  return bytes;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetAttentionForward);
HWY_EXPORT(AttentionForwardBytes);

AttentionForwardFn attention_forward_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetAttentionForward)(dtype);
}
int64_t attention_forward_bytes(diopiDtype_t dtype, int64_t head_size, int64_t queries) {
  return HWY_DYNAMIC_DISPATCH(AttentionForwardBytes)(dtype, head_size, queries);
}
}  // namespace impl::cpu
#endif
