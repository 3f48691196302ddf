// SPDX-License-Identifier: BSD-3-Clause
// The forward pass of attention by tiles, with the running maximum and sum of Milakov and Gimelshein, "Online
// normalizer calculation for softmax" (2018), and Dao, "FlashAttention-2" (2023). A tile of keys is packed once and
// multiplied with all queries of the item.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/attention/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/forward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/attention/bf16_dots-inl.h"
#include "impl/cpu/attention/forward_bf16-inl.h"
#include "impl/cpu/attention/forward_row-inl.h"

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
    key_dots.carve(&carver, size);
    q_dots.carve(&carver, size);
    bytes = carver.bytes();
  }
  T *keys, *values;       // [size][kKeyTile] and [kKeyTile][size]
  T *scores, *factors;    // [kQueryTile][kKeyTile], [kKeyTile]
  T *sums, *max, *total;  // of each query: the weighted sum of values, the largest score, the sum of exponentials
  T* widened = nullptr;
  DotTile<S> key_dots;
  DotRows<S> q_dots;
  bool knows_values = false, finite_values = false;  // whether `values` are known to be finite or not, and which
  int64_t bytes;
};

template <typename S>
struct ForwardTile {
  using T = ComputeOf<S>;
  const AttentionCall& c;
  const ForwardItem& item;
  ForwardMemory<S>& memory;
  TileProduct<T> product;
  const S* rows_of_q;
  const T* q;  // the same as float32 numbers
  int64_t q_row;

  // The keys [key, key + n), transposed, and the values.
  void pack(int64_t key, int64_t n, bool only_values) const {
    const int64_t key_head = item.head / c.group();
    // The widened keys lie where the values are written next.
    T* const widened = std::is_same_v<S, T> ? nullptr : memory.values;
    if (!only_values) pack_keys<S>(c, c.k, item.b, key_head, key, n, widened, memory.keys);
    pack_keys<S>(c, c.v, item.b, key_head, key, n, memory.values, nullptr);
    memory.knows_values = false;
  }

  // Whether hidden values among `n` packed ones may be multiplied by the weight 0.
  bool has_finite_values(int64_t n) const {
    if (!memory.knows_values) memory.finite_values = all_finite(memory.values, n * c.head_size);
    memory.knows_values = true;
    return memory.finite_values;
  }

  // memory.scores = the queries @ the keys `used`. `dots`: the keys are in key_dots, and only there.
  HWY_INLINE void multiply(int64_t first, int64_t rows, int64_t key, int64_t n, const Seen& used, bool dots) const {
    if (dots && memory.q_dots.take(rows_of_q + first * c.q.row, c.q.row, rows)) {
      memory.key_dots.multiply(memory.q_dots, used, memory.scores);
      return;
    }
    if (dots) pack(key, n, false);
    product.run(q + first * q_row, q_row, 1, memory.keys + used.begin, kKeyTile, memory.scores + used.begin, kKeyTile,
                rows, c.head_size, used.end - used.begin, false);
  }

  // Queries [first, first + rows) of the item with the packed keys [key, key + n).
  HWY_INLINE void run(int64_t first, int64_t rows, int64_t key, int64_t n, bool dots) const {
    const int64_t i = item.query + first, size = c.head_size;
    // The range of a later row neither begins nor ends before that of an earlier one.
    const KeyRange low = visible_keys(c, item.b, i), high = visible_keys(c, item.b, i + rows - 1);
    Seen used = seen_in_tile({low.begin, high.end}, key, n);
    if (used.begin >= used.end) return;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
    used.begin = used.begin / lanes * lanes;
    const int64_t count = used.end - used.begin;
    T* scores = memory.scores;
    multiply(first, rows, key, n, used, dots);
    const bool hides = has_score_operands(c) || seen_in_tile(low, key, n).end < used.end ||
                       seen_in_tile(high, key, n).begin > used.begin;
    if (hides && !has_finite_values(n)) return add_seen_values(first, rows, key, n, used);
    for (int64_t r = 0; r < rows; ++r) {
      const Seen seen = seen_in_tile(visible_keys(c, item.b, i + r), key, n);
      weigh_row(c, ScoreRow{item.b, item.head, i + r, key}, used, seen, scores + r * kKeyTile, memory.max + first + r,
                memory.total + first + r, memory.sums + (first + r) * size, memory.factors);
    }
    product.run(scores + used.begin, kKeyTile, 1, memory.values + used.begin * size, size, memory.sums + first * size,
                size, rows, count, size, true);
  }

  // The rest of run() where hidden values may be NaN or infinite.
  HWY_NOINLINE void add_seen_values(int64_t first, int64_t rows, int64_t key, int64_t n, const Seen& used) const {
    const int64_t size = c.head_size;
    for (int64_t r = 0; r < rows; ++r) {
      const ScoreRow row{item.b, item.head, item.query + first + r, key};
      const Seen seen = seen_in_tile(visible_keys(c, item.b, row.i), key, n);
      T *const scores = memory.scores + r * kKeyTile, *const sums = memory.sums + (first + r) * size;
      weigh_and_add(c, row, used, seen, scores, memory.max + first + r, memory.total + first + r, sums, memory.factors,
                    [&](int64_t begin, int64_t end) HWY_ATTR {
                      product.run(scores + begin, kKeyTile, 1, memory.values + begin * size, size, sums, size, 1,
                                  end - begin, size, true);
                    });
    }
  }
};

template <typename S>
HWY_INLINE void write_rows(const AttentionCall& c, const ForwardOutputs& o, const ForwardItem& item,
                           const ForwardMemory<S>& memory) {
  for (int64_t r = 0; r < item.queries; ++r) {
    write_result<S>(c, o, item.b, item.head, item.query + r, memory.max[r], memory.total[r],
                    memory.sums + r * c.head_size);
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
  const ForwardTile<S> tile{c, item, m, TileProduct<T>(small_kernel(diopi::dtype_of<T>)), q, queries, q_row};
  const KeyRange first = visible_keys(c, item.b, item.query);
  const KeyRange last = visible_keys(c, item.b, item.query + item.queries - 1);
  for (int64_t key = first.begin / kKeyTile * kKeyTile; key < std::min(keys, last.end); key += kKeyTile) {
    const int64_t n = std::min(kKeyTile, keys - key);
    const bool dots = m.key_dots.take(c, c.k, item.b, item.head / c.group(), key, n);
    tile.pack(key, n, dots);
    for (int64_t r = 0; r < item.queries; r += kQueryTile) {
      tile.run(r, std::min(kQueryTile, item.queries - r), key, n, dots);
    }
  }
  write_rows(c, outputs, item, m);
}

#if IMPL_CPU_ATTENTION_AMX
// Without AMX where an element is no normal number. Such an item is computed again in the smallest items that there
// are, so that the number of threads does not decide which queries are computed without AMX.
void attention_forward_amx(const AttentionCall& c, const ForwardOutputs& outputs, const ForwardItem& item,
                           char* memory) {
  if (c.head_size > 0 && attention_forward_bf16(c, outputs, item, memory)) return;
  for (int64_t first = 0; first < item.queries; first += kLeastQueries) {
    const ForwardItem part{item.b, item.head, item.query + first, std::min(kLeastQueries, item.queries - first)};
    const bool is_new = c.head_size > 0 && part.queries < item.queries;
    if (is_new && attention_forward_bf16(c, outputs, part, memory)) continue;
    attention_forward<diopi::bfloat16>(c, outputs, part, memory);
  }
}
#endif

const AttentionForwardKernel* GetAttentionForward(diopiDtype_t dtype) {
#if IMPL_CPU_ATTENTION_AMX
  if (dtype == diopi_dtype_bfloat16 && has_amx_bf16()) {
    return &kKernel<AttentionForwardFn, attention_forward_amx,
                    LargerMemory<Bf16ForwardMemory, ForwardMemory<diopi::bfloat16>>>;
  }
#endif
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return &kKernel<AttentionForwardFn, attention_forward<S>, ForwardMemory<S>>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetAttentionForward);

const AttentionForwardKernel& attention_forward_kernel(diopiDtype_t dtype) {
  return *HWY_DYNAMIC_DISPATCH(GetAttentionForward)(dtype);
}
}  // namespace impl::cpu
#endif
