/* SPDX-License-Identifier: BSD-3-Clause */
// The forward pass of attention in bfloat16 by AMX. Sums, scores and weights are those of forward.cpp, in float32; for
// the product with the values, weights are rounded to bfloat16, as the contract allows.
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
    for (float*& x : scores) x = carver.take<float>(kAmxQueries * kKeyTile);
    for (uint16_t*& x : weights) x = carver.take<uint16_t>(kAmxQueries * kKeyTile);
    factors = carver.take<float>(kKeyTile);
    sums = carver.take<float>(rows * size);
    max = carver.take<float>(rows);
    total = carver.take<float>(rows);
    bytes = carver.bytes();
  }
  int64_t size, rows;         // of a head and of the queries, with zeros
  uint16_t *q, *lines;        // in panels, and [kKeyTile][size]
  uint32_t *keys, *values;    // in panels: pairs along the head and along the keys
  float* scores[2];           // [kAmxQueries][kKeyTile], of two blocks of queries
  uint16_t* weights[2];       // rounded, in panels of kAmxQueries rows
  float* factors;             // of dropout, for each key
  float *sums, *max, *total;  // as in forward.cpp
  int64_t bytes;
};

// At most kAmxQueries queries, which see the keys `used` of a tile. Neighbouring blocks have different slots.
struct Bf16Block {
  int64_t first = 0, rows = 0, slot = 0;
  Seen used{0, 0};
};

// The keys [key, key + n), which are packed, with all queries of an item. While the scores of a block become weights,
// the matrix unit multiplies the weights of the block before, and the keys for the block after it.
struct Bf16ForwardTile {
  const AttentionCall& c;
  const ForwardItem& item;
  const Bf16ForwardMemory& m;
  int64_t key, n;

  void run() const {
    Bf16Block before, block = next_block(0, 0);
    if (block.rows > 0) amx_product(keys_product(block));
    while (block.rows > 0) {
      const Bf16Block after = next_block(block.first + kAmxQueries, 1 - block.slot);
      AmxQueue queue;
      if (before.rows > 0) queue.add(values_product(before, 1));
      if (after.rows > 0) queue.add(keys_product(after));
      const bool has_tiny = weigh_block(block, &queue);
      before = block;
      if (has_tiny) {
        amx_product(values_product(block, 1));
        for (int64_t r = 0; r < padded(block.rows, kAmxRows); ++r) round_row<Weights::kTiny>(block, r);
        amx_product(values_product(block, 1 / kTinyScale));
        before.rows = 0;
      }
      block = after;
    }
    if (before.rows > 0) amx_product(values_product(before, 1));
  }

  // The first block from query `first` of the item on that sees a key; without rows if there is none.
  Bf16Block next_block(int64_t first, int64_t slot) const {
    for (; first < item.queries; first += kAmxQueries) {
      const int64_t i = item.query + first, rows = std::min(kAmxQueries, item.queries - first);
      const KeyRange low = visible_keys(c, item.b, i), high = visible_keys(c, item.b, i + rows - 1);
      const Seen used = seen_in_tile({low.begin, high.end}, key, n);
      if (used.begin >= used.end) continue;
      return {first, rows, slot, {used.begin / kAmxDepth * kAmxDepth, padded(used.end, kAmxDepth)}};
    }
    return {};
  }

  // Returns whether tiny weights were left out.
  HWY_INLINE bool weigh_block(const Bf16Block& block, AmxQueue* queue) const {
    const int64_t rows = padded(block.rows, kAmxRows);
    bool has_tiny = false;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = block.first + r, i = item.query + at;
      if (r < block.rows) {
        const Seen seen = seen_in_tile(visible_keys(c, item.b, i), key, n);
        weigh_row(c, ScoreRow{item.b, item.head, i, key}, block.used, seen, m.scores[block.slot] + r * kKeyTile,
                  m.max + at, m.total + at, m.sums + at * m.size, m.factors);
      }
      has_tiny |= round_row<Weights::kOrdinary>(block, r);
      queue->run(r + 1, rows);
    }
    return has_tiny;
  }

  template <Weights kWeights>
  HWY_INLINE bool round_row(const Bf16Block& block, int64_t r) const {
    return round_numbers<kWeights>(
        m.scores[block.slot] + r * kKeyTile + block.used.begin, block.used.end - block.used.begin,
        m.weights[block.slot] + block.used.begin * kAmxQueries + r * kAmxDepth, kAmxQueries * kAmxDepth);
  }

  AmxProduct keys_product(const Bf16Block& block) const {
    AmxProduct p;
    p.a = m.q + block.first * kAmxDepth;
    p.a_panel = m.rows * kAmxDepth;
    p.b = m.keys + block.used.begin * m.size / 2;
    p.b_panel = kAmxCols * m.size / 2;
    p.out = m.scores[block.slot] + block.used.begin;
    p.out_row = kKeyTile;
    p.rows = padded(block.rows, kAmxRows);
    p.depth = m.size;
    p.cols = block.used.end - block.used.begin;
    return p;
  }

  AmxProduct values_product(const Bf16Block& block, float scale) const {
    AmxProduct p;
    p.a = m.weights[block.slot] + block.used.begin * kAmxQueries;
    p.a_panel = kAmxQueries * kAmxDepth;
    p.b = m.values + block.used.begin / 2 * kAmxCols;
    p.b_panel = kAmxCols * kKeyTile / 2;
    p.out = m.sums + block.first * m.size;
    p.out_row = m.size;
    p.rows = padded(block.rows, kAmxRows);
    p.depth = block.used.end - block.used.begin;
    p.cols = m.size;
    p.accumulate = true;
    p.scale = scale;
    return p;
  }
};

// Returns false if an element of an operand is no normal number.
HWY_INLINE bool sum_values_bf16(const AttentionCall& c, const ForwardItem& item, const Bf16ForwardMemory& m) {
  const AmxTiles tiles;
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
    Bf16ForwardTile{c, item, m, key, n}.run();
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
