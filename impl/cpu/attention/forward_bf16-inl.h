/* SPDX-License-Identifier: BSD-3-Clause */
// The forward pass of attention in bfloat16 by AMX. Sums, scores and weights are those of forward.cpp, in float32.
#if defined(IMPL_CPU_ATTENTION_FORWARD_BF16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_FORWARD_BF16_INL_H_
#undef IMPL_CPU_ATTENTION_FORWARD_BF16_INL_H_
#else
#define IMPL_CPU_ATTENTION_FORWARD_BF16_INL_H_
#endif

#include "impl/cpu/attention/bf16_tiles-inl.h"
#include "impl/cpu/attention/forward_row-inl.h"

#if IMPL_CPU_ATTENTION_AMX
HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

struct Bf16ForwardMemory {
  Bf16ForwardMemory(char* memory, int64_t head_size, int64_t queries)
      : size(padded(head_size, kAmxDepth)), rows(padded(queries, kAmxRows)) {
    Carver carver(memory);
    q = carver.take<uint16_t>(rows * size);
    lines = carver.take<uint16_t>(kKeyTile * size);
    keys = carver.take<uint32_t>(size / 2 * kKeyTile);
    values = carver.take<uint32_t>(kKeyTile / 2 * size);
    scores = carver.take<float>(kAmxQueries * kKeyTile);
    weights = carver.take<uint16_t>(kAmxParts * kAmxQueries * kKeyTile);
    factors = carver.take<float>(kKeyTile);
    sums = carver.take<float>(rows * size);
    max = carver.take<float>(rows);
    total = carver.take<float>(rows);
    bytes = carver.bytes();
  }
  int64_t size, rows;         // of a head and of the queries, with zeros
  uint16_t *q, *lines;        // in panels, and [kKeyTile][size]
  uint32_t *keys, *values;    // in panels: pairs along the head and along the keys
  float* scores;              // [kAmxQueries][kKeyTile]
  uint16_t* weights;          // parts in panels of kAmxQueries rows
  float* factors;             // of dropout, for each key
  float *sums, *max, *total;  // as in forward.cpp
  int64_t bytes;
};

struct Bf16ForwardTile {
  const AttentionCall& c;
  const ForwardItem& item;
  const Bf16ForwardMemory& m;

  // Queries [first, first + rows) of the item with the keys [key, key + n).
  void run(int64_t first, int64_t rows, int64_t key, int64_t n) const {
    const int64_t i = item.query + first, padded_rows = padded(rows, kAmxRows);
    const KeyRange low = visible_keys(c, item.b, i), high = visible_keys(c, item.b, i + rows - 1);
    Seen used = seen_in_tile({low.begin, high.end}, key, n);
    if (used.begin >= used.end) return;
    used = {used.begin / kAmxDepth * kAmxDepth, padded(used.end, kAmxDepth)};
    multiply_keys(first, padded_rows, used);
    for (int64_t r = 0; r < rows; ++r) {
      const Seen seen = seen_in_tile(visible_keys(c, item.b, i + r), key, n);
      weigh_row(c, ScoreRow{item.b, item.head, i + r, key}, used, seen, m.scores + r * kKeyTile, m.max + first + r,
                m.total + first + r, m.sums + (first + r) * m.size, m.factors);
    }
    if (add_values<Weights::kOrdinary>(first, padded_rows, used)) add_values<Weights::kTiny>(first, padded_rows, used);
  }

  void multiply_keys(int64_t first, int64_t rows, const Seen& used) const {
    AmxProduct p;
    p.a = m.q + first * kAmxDepth;
    p.a_panel = m.rows * kAmxDepth;
    p.b = m.keys + used.begin * m.size / 2;
    p.b_panel = kAmxCols * m.size / 2;
    p.out = m.scores + used.begin;
    p.out_row = kKeyTile;
    p.rows = rows;
    p.depth = m.size;
    p.cols = used.end - used.begin;
    amx_product(p);
  }

  // Returns whether tiny weights were left out.
  template <Weights kWeights>
  bool add_values(int64_t first, int64_t rows, const Seen& used) const {
    bool has_tiny = false;
    for (int64_t r = 0; r < rows; ++r) {
      has_tiny |= split_numbers<kWeights>(m.scores + r * kKeyTile + used.begin, used.end - used.begin,
                                          m.weights + used.begin * kAmxQueries + r * kAmxDepth, kAmxQueries * kKeyTile,
                                          kAmxQueries * kAmxDepth);
    }
    AmxProduct p;
    p.a = m.weights + used.begin * kAmxQueries;
    p.a_panel = kAmxQueries * kAmxDepth;
    p.a_part = kAmxQueries * kKeyTile;
    p.b = m.values + used.begin / 2 * kAmxCols;
    p.b_panel = kAmxCols * kKeyTile / 2;
    p.out = m.sums + first * m.size;
    p.out_row = m.size;
    p.rows = rows;
    p.depth = used.end - used.begin;
    p.cols = m.size;
    p.parts = kAmxParts;
    p.accumulate = true;
    p.scale = product_scale(kWeights);
    amx_product(p);
    return has_tiny;
  }
};

// Returns false if an element of an operand is no normal number.
HWY_INLINE bool sum_values_bf16(const AttentionCall& c, const ForwardItem& item, const Bf16ForwardMemory& m) {
  const AmxTiles tiles;
  const Bf16ForwardTile tile{c, item, m};
  const int64_t keys = c.key_length[item.b], key_head = item.head / c.group();
  const KeyRange first = visible_keys(c, item.b, item.query);
  const KeyRange last = visible_keys(c, item.b, item.query + item.queries - 1);
  for (int64_t key = first.begin / kKeyTile * kKeyTile; key < std::min(keys, last.end); key += kKeyTile) {
    const int64_t n = std::min(kKeyTile, keys - key), rows = padded(n, kAmxDepth);
    copy_keys(c, c.k, item.b, key_head, key, n, m.lines, m.size, rows);
    if (!all_normal(m.lines, n * m.size)) return false;
    pair_columns(m.lines, m.size, rows, m.keys);
    copy_keys(c, c.v, item.b, key_head, key, n, m.lines, m.size, rows);
    if (!all_normal(m.lines, n * m.size)) return false;
    pair_rows(m.lines, m.size, rows, m.values, kAmxCols * kKeyTile / 2);
    for (int64_t r = 0; r < item.queries; r += kAmxQueries)
      tile.run(r, std::min(kAmxQueries, item.queries - r), key, n);
  }
  return true;
}

bool attention_forward_bf16(const AttentionCall& c, const ForwardOutputs& outputs, const ForwardItem& item,
                            char* memory) {
  const Bf16ForwardMemory m(memory, c.head_size, item.queries);
  std::fill_n(m.sums, m.rows * m.size, 0.0f);
  std::fill_n(m.max, m.rows, -std::numeric_limits<float>::infinity());
  std::fill_n(m.total, m.rows, 0.0f);
  const auto* q = reinterpret_cast<const diopi::bfloat16*>(c.q.data) + item.b * c.q.batch +
                  (c.query_start[item.b] + item.query) * c.q.row + item.head * c.q.head;
  pack_rows_bf16(q, c.q.row, item.queries, c.head_size, m.q, m.rows);
  if (!all_normal(m.q, m.rows * m.size) || !sum_values_bf16(c, item, m)) return false;
  for (int64_t r = 0; r < item.queries; ++r) {
    write_result<diopi::bfloat16>(c, outputs, item.b, item.head, item.query + r, m.max[r], m.total[r],
                                  m.sums + r * m.size);
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();
#endif  // IMPL_CPU_ATTENTION_AMX

#endif  // include guard
