// SPDX-License-Identifier: BSD-3-Clause
// The forward pass for sequences of one query, as in decoding. It reads keys and values in place, once for all query
// heads that share them, because the speed of memory decides.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/attention/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/decode.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/attention/cache_rows-inl.h"
#include "impl/cpu/attention/forward_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
struct DecodeMemory {
  using T = ComputeOf<S>;
  DecodeMemory(char* memory, int64_t size, int64_t heads) {
    Carver carver(memory);
    q = carver.take<T>(heads * size);
    sums = carver.take<T>(heads * size);
    parts = carver.take<T>(heads * size);
    max = carver.take<T>(heads);
    total = carver.take<T>(heads);
    scores = carver.take<T>(heads * kKeyTile);
    factors = carver.take<T>(kKeyTile);
    again = carver.take<uint8_t>(heads);
    bytes = carver.bytes();
  }
  T *q, *sums, *parts, *max, *total;  // of each head; `parts` are the sums of some keys
  T *scores, *factors;                // [heads][kKeyTile], [kKeyTile]
  uint8_t* again;                     // whether the head is computed again, without hidden values
  int64_t bytes;
};

template <typename S>
struct DecodePass {
  using T = ComputeOf<S>;
  const AttentionCall& c;
  const DecodeItem& item;
  DecodeMemory<S>& m;
  bool only_seen = false;  // whether hidden values are left out; otherwise they are multiplied by the weight 0

  // Finds keys or values of the sequence.
  struct Find {
    const DecodePass& pass;
    const HeadRows& x;
    void operator()(int64_t key, int64_t n, RowBlock<S>* rows) const {
      const DecodeItem& item = pass.item;
      for_key_runs<S>(pass.c, x, item.b, item.key_head, key, n, [&](int64_t at, int64_t count, const S* row) {
        for (int64_t i = 0; i < count; ++i) rows->row[at + i] = row + i * x.row;
      });
    }
  };

  // The number of keys or values in a block of rows.
  int64_t together() const { return rows_together(item.key_heads * c.head_size * static_cast<int64_t>(sizeof(S))); }

  // The products of all queries with the keys [first, end) of a tile, which begins with key `tile`. The values of these
  // keys are used next.
  void score(int64_t tile, int64_t first, int64_t end) const {
    const int64_t size = c.head_size, heads = item.heads;
    const auto multiply = [&](int64_t key, const RowBlock<S>& rows, const RowBlock<S>& next) HWY_ATTR {
      for (int64_t g = 0; g < item.key_heads; ++g) {
        const int64_t offset = g * c.k.head;
        T* const scores = m.scores + g * heads * kKeyTile + (key - tile);
        multiply_all_rows(rows.at_head(offset), next.at_head(offset), size, m.q + g * heads * size, size, heads,
                          [&](int64_t h, int64_t t, T product) HWY_ATTR { scores[h * kKeyTile + t] = product; });
      }
    };
    RowBlock<S> values;
    find_block(first, end, together(), Find{*this, c.v}, &values);
    for_row_blocks(first, end, together(), Find{*this, c.k}, values, multiply);
  }

  // Adds the values [first, end) of a tile, times their weights, to the sums. The keys up to `all` are used next.
  void add_values(int64_t tile, int64_t first, int64_t end, int64_t all) const {
    const int64_t size = c.head_size, heads = item.heads;
    const auto add = [&](int64_t key, const RowBlock<S>& rows, const RowBlock<S>& next) HWY_ATTR {
      for (int64_t g = 0; g < item.key_heads; ++g) {
        const WeightedSums<T> to{m.scores + g * heads * kKeyTile + (key - tile), kKeyTile, m.parts + g * heads * size,
                                 size};
        add_all_weighted_rows(rows.at_head(g * c.v.head), next.at_head(g * c.v.head), size, heads, to);
      }
      const int64_t done = key + rows.count;
      if ((done - first) % kTermsTogether == 0 || done == end) add_parts();
    };
    RowBlock<S> keys;
    find_block(end, all, together(), Find{*this, c.k}, &keys);
    for_row_blocks(first, end, together(), Find{*this, c.v}, keys, add);
  }

  // The same for the values of one head, `first` and `end` of which count from the begin of the tile.
  void add_values_of_head(int64_t h, int64_t tile, int64_t first, int64_t end) const {
    const int64_t size = c.head_size, offset = h / item.heads * c.v.head;
    const auto add = [&](int64_t key, const RowBlock<S>& rows, const RowBlock<S>& next) HWY_ATTR {
      const WeightedSums<T> to{m.scores + h * kKeyTile + (key - tile), kKeyTile, m.parts + h * size, size};
      add_all_weighted_rows(rows.at_head(offset), next.at_head(offset), size, 1, to);
      const int64_t done = key + rows.count - tile;
      if ((done - first) % kTermsTogether == 0 || done == end) add_parts();
    };
    for_row_blocks(tile + first, tile + end, together(), Find{*this, c.v}, RowBlock<S>{}, add);
  }

  // Moves the parts to the sums of all keys.
  void add_parts() const {
    const int64_t lanes = lanes_of<S>(), all = item.key_heads * item.heads * c.head_size;
    int64_t i = 0;
    for (; i + lanes <= all; i += lanes) {
      store_vector<T>(hn::Add(load_vector(m.sums + i), load_vector(m.parts + i)), m.sums + i);
    }
    for (; i < all; ++i) m.sums[i] += m.parts[i];
    std::fill_n(m.parts, all, T{0});
  }

  // `all` is the end of the keys of all tiles.
  void run_tile(int64_t tile, const Seen& seen, int64_t all) const {
    const int64_t lanes = lanes_of<S>();
    const Seen used{seen.begin / lanes * lanes, seen.end};
    score(tile, tile + seen.begin, tile + seen.end);
    for (int64_t h = 0; only_seen && h < item.key_heads * item.heads; ++h) {
      weigh_and_add(c, ScoreRow{item.b, item.head + h, 0, tile}, used, seen, m.scores + h * kKeyTile, m.max + h,
                    m.total + h, m.sums + h * c.head_size, m.factors,
                    [&](int64_t begin, int64_t end) HWY_ATTR { add_values_of_head(h, tile, begin, end); });
    }
    if (only_seen) return;
    for (int64_t h = 0; h < item.key_heads * item.heads; ++h) {
      weigh_row(c, ScoreRow{item.b, item.head + h, 0, tile}, used, seen, m.scores + h * kKeyTile, m.max + h,
                m.total + h, m.sums + h * c.head_size, m.factors);
    }
    add_values(tile, tile + seen.begin, tile + seen.end, all);
  }

  void run() const {
    const int64_t size = c.head_size, heads = item.key_heads * item.heads;
    const S* q = reinterpret_cast<const S*>(c.q.data) + item.b * c.q.batch + c.query_start[item.b] * c.q.row;
    widen_rows(q + item.head * c.q.head, c.q.head, heads, size, m.q);
    std::fill_n(m.sums, heads * size, T{0});
    std::fill_n(m.parts, heads * size, T{0});
    std::fill_n(m.max, heads, -std::numeric_limits<T>::infinity());
    std::fill_n(m.total, heads, T{0});
    const KeyRange range = visible_keys(c, item.b, 0);
    for (int64_t key = range.begin / kKeyTile * kKeyTile; key < range.end; key += kKeyTile) {
      run_tile(key, seen_in_tile(range, key, std::min(kKeyTile, c.key_length[item.b] - key)), range.end);
    }
  }
};

template <typename S>
void attention_decode(const AttentionCall& c, const ForwardOutputs& outputs, const DecodeItem& item, char* memory) {
  const int64_t heads = item.key_heads * item.heads;
  DecodeMemory<S> m(memory, c.head_size, heads);
  const auto write = [&](int64_t h) HWY_ATTR {
    write_result<S>(c, outputs, item.b, item.head + h, 0, m.max[h], m.total[h], m.sums + h * c.head_size);
  };
  DecodePass<S>{c, item, m}.run();
  for (int64_t h = 0; h < heads; ++h) write(h);
  if (!has_score_operands(c)) return;
  // A head whose scores are finite and whose sums are not may have read a hidden value that is NaN or infinite.
  bool any = false;
  for (int64_t h = 0; h < heads; ++h) {
    m.again[h] = all_finite(m.total + h, 1) && !all_finite(m.sums + h * c.head_size, c.head_size);
    any |= m.again[h] != 0;
  }
  if (!any) return;
  DecodePass<S>{c, item, m, true}.run();
  for (int64_t h = 0; h < heads; ++h) {
    if (m.again[h] != 0) write(h);
  }
}

const AttentionDecodeKernel* GetAttentionDecode(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return &kKernel<AttentionDecodeFn, attention_decode<S>, DecodeMemory<S>>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetAttentionDecode);

const AttentionDecodeKernel& attention_decode_kernel(diopiDtype_t dtype) {
  return *HWY_DYNAMIC_DISPATCH(GetAttentionDecode)(dtype);
}
}  // namespace impl::cpu
#endif
