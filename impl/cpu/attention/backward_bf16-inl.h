/* SPDX-License-Identifier: BSD-3-Clause */
// The backward pass of attention in bfloat16 by AMX. Its steps are those of backward.cpp; the gradients of keys and
// values are summed transposed, so that the products read tiles as they are.
#if defined(IMPL_CPU_ATTENTION_BACKWARD_BF16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_BACKWARD_BF16_INL_H_
#undef IMPL_CPU_ATTENTION_BACKWARD_BF16_INL_H_
#else
#define IMPL_CPU_ATTENTION_BACKWARD_BF16_INL_H_
#endif

#include "impl/cpu/attention/backward_rows-inl.h"
#include "impl/cpu/attention/bf16_tiles-inl.h"

#if IMPL_CPU_ATTENTION_AMX
HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

struct Bf16BackwardMemory {
  Bf16BackwardMemory(char* memory, int64_t head_size, int64_t queries) : size_row(padded(head_size, kAmxDepth)) {
    const int64_t size = size_row;
    Carver carver(memory);
    lines = carver.take<uint16_t>(kKeyTile * size);
    keys_t = carver.take<uint32_t>(size / 2 * kKeyTile);
    values_t = carver.take<uint32_t>(size / 2 * kKeyTile);
    keys = carver.take<uint32_t>(kKeyTile / 2 * size);
    q = carver.take<uint16_t>(size * kAmxQueries);
    q_t = carver.take<uint16_t>(size * kAmxQueries);
    grad_out = carver.take<uint16_t>(size * kAmxQueries);
    grad_out_t = carver.take<uint16_t>(size * kAmxQueries);
    weights = carver.take<float>(kAmxQueries * kKeyTile);
    grad_scores = carver.take<float>(kAmxQueries * kKeyTile);
    pairs = carver.take<uint32_t>(kAmxParts * kAmxQueries / 2 * kKeyTile);
    parts = carver.take<uint16_t>(kAmxParts * kAmxQueries * kKeyTile);
    grad_k_t = carver.take<float>(size * kKeyTile);
    grad_v_t = carver.take<float>(size * kKeyTile);
    rows = carver.take<float>(size * kKeyTile);
    factors = carver.take<float>(kKeyTile);
    delta = carver.take<float>(queries);
    of_row = carver.take<RowWeights<float>>(queries);
    grad_q = carver.take<float>((queries + kAmxRows) * size);
    bytes = carver.bytes();
  }
  int64_t size_row;              // the size of a head, with zeros
  uint16_t* lines;               // [kKeyTile][size_row]
  uint32_t *keys_t, *values_t;   // pairs along the head, in panels
  uint32_t* keys;                // pairs along the keys, in panels
  uint16_t *q, *grad_out;        // kAmxQueries rows, in panels
  uint16_t *q_t, *grad_out_t;    // [size_row][kAmxQueries]
  float *weights, *grad_scores;  // [kAmxQueries][kKeyTile]
  uint32_t* pairs;               // parts of weights, or of grad_scores, as pairs along the queries, in panels
  uint16_t* parts;               // parts of grad_scores, in panels of kAmxQueries rows
  float *grad_k_t, *grad_v_t;    // [size_row][kKeyTile]
  float* rows;                   // [kKeyTile][size_row]
  float *factors, *delta;        // as in backward.cpp
  RowWeights<float>* of_row;
  float* grad_q;
  int64_t bytes;
};

// The parts of the numbers of kAmxQueries rows for the keys `used`, as pairs along the rows, in panels of kAmxCols
// keys. Returns whether tiny numbers were left out.
template <Weights kWeights>
HWY_NOINLINE bool pair_parts(const float* x, const Seen& used, uint32_t* pairs) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  WeightFilter<kWeights> filter(kTinyPart);
  for (int64_t r = 0; r < kAmxQueries; r += 2, x += 2 * kKeyTile, pairs += kAmxCols) {
    for (int64_t i = used.begin; i < used.end; i += kAmxCols) {
      auto even = filter(hn::Load(d, x + i)), odd = filter(hn::Load(d, x + kKeyTile + i));
      for (int64_t p = 0; p < kAmxParts; ++p) {
        const auto low = hn::ShiftRight<16>(hn::BitCast(du, next_part(&even)));
        hn::Store(hn::Or(low, hn::BitCast(du, next_part(&odd))), du,
                  pairs + p * (kAmxQueries / 2 * kKeyTile) + i * (kAmxQueries / 2));
      }
    }
  }
  return filter.has_tiny();
}

// Transposes panels of kAmxQueries rows.
HWY_INLINE void transpose_panels(const uint16_t* panels, int64_t size, uint16_t* transposed) {
  constexpr int64_t kRow = kAmxDepth * sizeof(uint16_t);
  static_assert(kAmxQueries == kAmxDepth);
  const TransposeFn transpose = transpose_function(sizeof(uint16_t));
  for (int64_t d = 0; d < size * kAmxQueries; d += kAmxDepth * kAmxQueries) {
    transpose(reinterpret_cast<char*>(transposed + d), kRow, reinterpret_cast<const char*>(panels + d), kRow,
              kAmxQueries, kAmxDepth, false);
  }
}

struct Bf16BackwardPass : BackwardRows<diopi::bfloat16, Bf16BackwardMemory> {
  using S = diopi::bfloat16;

  // rows [kAmxQueries, size] @ the keys or values `used`.
  void multiply_head(const uint16_t* rows, const uint32_t* pairs, const Seen& used, float* out) const {
    AmxProduct p;
    p.a = rows;
    p.a_panel = kAmxQueries * kAmxDepth;
    p.b = pairs + used.begin * m.size_row / 2;
    p.b_panel = kAmxCols * m.size_row / 2;
    p.out = out + used.begin;
    p.out_row = kKeyTile;
    p.rows = kAmxQueries;
    p.depth = m.size_row;
    p.cols = used.end - used.begin;
    amx_product(p);
  }
  // Adds transposed rows [size, kAmxQueries] @ weights to transposed gradients of the keys `used`. Returns whether tiny
  // weights were left out.
  template <Weights kWeights>
  bool add_of_keys(const uint16_t* transposed, const float* weights, const Seen& used, float* gradient) const {
    const bool has_tiny = pair_parts<kWeights>(weights, used, m.pairs);
    AmxProduct p;
    p.a = transposed;
    p.b = m.pairs + used.begin * (kAmxQueries / 2);
    p.b_panel = kAmxQueries / 2 * kAmxCols;
    p.b_part = kAmxQueries / 2 * kKeyTile;
    p.out = gradient + used.begin;
    p.out_row = kKeyTile;
    p.rows = m.size_row;
    p.depth = kAmxQueries;
    p.cols = used.end - used.begin;
    p.parts = kAmxParts;
    p.accumulate = true;
    p.scale = product_scale(kWeights);
    amx_product(p);
    return has_tiny;
  }
  // Adds m.grad_scores @ the keys `used` to gradients of queries. Returns whether tiny numbers were left out.
  template <Weights kWeights>
  bool add_of_queries(int64_t first_row, int64_t rows, const Seen& used) const {
    bool has_tiny = false;
    for (int64_t r = 0; r < kAmxQueries; ++r) {
      has_tiny |= split_numbers<kWeights>(m.grad_scores + r * kKeyTile + used.begin, used.end - used.begin,
                                          m.parts + used.begin * kAmxQueries + r * kAmxDepth, kAmxQueries * kKeyTile,
                                          kAmxQueries * kAmxDepth);
    }
    AmxProduct p;
    p.a = m.parts + used.begin * kAmxQueries;
    p.a_panel = kAmxQueries * kAmxDepth;
    p.a_part = kAmxQueries * kKeyTile;
    p.b = m.keys + used.begin / 2 * kAmxCols;
    p.b_panel = kAmxCols * kKeyTile / 2;
    p.out = m.grad_q + first_row * m.size_row;
    p.out_row = m.size_row;
    p.rows = padded(rows, kAmxRows);
    p.depth = used.end - used.begin;
    p.cols = m.size_row;
    p.parts = kAmxParts;
    p.accumulate = true;
    p.scale = product_scale(kWeights);
    amx_product(p);
    return has_tiny;
  }

  // These functions return false if an element of an operand is no normal number.
  bool take_queries(int64_t head, int64_t i, int64_t rows) const {
    pack_rows_bf16(query_row<S>(c, c.q, item, head, i), c.q.row, rows, c.head_size, m.q, kAmxQueries);
    pack_rows_bf16(query_row<S>(c, o.grad_out, item, head, i), o.grad_out.row, rows, c.head_size, m.grad_out,
                   kAmxQueries);
    if (!all_normal(m.q, m.size_row * kAmxQueries) || !all_normal(m.grad_out, m.size_row * kAmxQueries)) return false;
    if (item.wants_kv) {
      transpose_panels(m.q, m.size_row, m.q_t);
      transpose_panels(m.grad_out, m.size_row, m.grad_out_t);
    }
    return true;
  }

  // Queries [first, first + rows) of the item, of one head, with the packed keys [key, key + n).
  bool run_tile(int64_t g, int64_t first, int64_t rows, int64_t key, int64_t n) const {
    const int64_t i = item.query + first, head = item.key_head * c.group() + g, first_row = g * item.queries + first;
    const KeyRange low = visible_keys(c, item.b, i), high = visible_keys(c, item.b, i + rows - 1);
    Seen used = seen_in_tile({low.begin, high.end}, key, n);
    if (used.begin >= used.end) return true;
    used = {used.begin / kAmxDepth * kAmxDepth, padded(used.end, kAmxDepth)};
    if (!take_queries(head, i, rows)) return false;
    multiply_head(m.q, m.keys_t, used, m.weights);
    multiply_head(m.grad_out, m.values_t, used, m.grad_scores);
    differentiate(head, i, rows, first_row, key, n, used);
    for (float* x : {m.weights, m.grad_scores}) {
      std::fill_n(x + rows * kKeyTile, (kAmxQueries - rows) * kKeyTile, 0.0f);
    }
    if (add_products<Weights::kOrdinary>(first_row, rows, used)) add_products<Weights::kTiny>(first_row, rows, used);
    return true;
  }

  template <Weights kWeights>
  bool add_products(int64_t first_row, int64_t rows, const Seen& used) const {
    bool has_tiny = false;
    if (item.wants_kv) {
      has_tiny |= add_of_keys<kWeights>(m.grad_out_t, m.weights, used, m.grad_v_t);
      has_tiny |= add_of_keys<kWeights>(m.q_t, m.grad_scores, used, m.grad_k_t);
    }
    if (item.wants_q) has_tiny |= add_of_queries<kWeights>(first_row, rows, used);
    return has_tiny;
  }

  bool run_key_tile(int64_t key, int64_t n) const {
    const int64_t rows = padded(n, kAmxDepth);
    copy_keys(c, c.v, item.b, item.key_head, key, n, m.lines, m.size_row, rows);
    if (!all_normal(m.lines, n * m.size_row)) return false;
    pair_columns(m.lines, m.size_row, rows, m.values_t);
    copy_keys(c, c.k, item.b, item.key_head, key, n, m.lines, m.size_row, rows);
    if (!all_normal(m.lines, n * m.size_row)) return false;
    pair_columns(m.lines, m.size_row, rows, m.keys_t);
    if (item.wants_q) pair_rows(m.lines, m.size_row, rows, m.keys, kAmxCols * kKeyTile / 2);
    if (item.wants_kv) {
      std::fill_n(m.grad_k_t, m.size_row * kKeyTile, 0.0f);
      std::fill_n(m.grad_v_t, m.size_row * kKeyTile, 0.0f);
    }
    for (int64_t g = 0; g < c.group(); ++g) {
      for (int64_t r = 0; r < item.queries; r += kAmxQueries) {
        if (!run_tile(g, r, std::min(kAmxQueries, item.queries - r), key, n)) return false;
      }
    }
    if (!item.wants_kv) return true;
    store_transposed(o.grad_k, key, n, m.grad_k_t);
    store_transposed(o.grad_v, key, n, m.grad_v_t);
    return true;
  }

  void store_transposed(const HeadRows& x, int64_t key, int64_t n, const float* transposed) const {
    constexpr int64_t kNumber = sizeof(float);
    transpose_function(kNumber)(reinterpret_cast<char*>(m.rows), m.size_row * kNumber,
                                reinterpret_cast<const char*>(transposed), kKeyTile * kNumber, m.size_row, n, false);
    store_keys(x, key, n, m.rows);
  }
};

bool attention_backward_bf16(const AttentionCall& c, const BackwardOperands& operands, const BackwardItem& item,
                             char* memory) {
  const AmxTiles tiles;
  Bf16BackwardMemory m(memory, c.head_size, c.group() * item.queries);
  const Bf16BackwardPass pass{{c, operands, item, m}};
  pass.prepare_rows();
  const int64_t end = item.key + item.keys;
  for (int64_t key = item.key; key < end; key += kKeyTile) {
    if (!pass.run_key_tile(key, std::min(kKeyTile, end - key))) return false;
  }
  if (item.wants_q) pass.store_queries();
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();
#endif  // IMPL_CPU_ATTENTION_AMX

#endif  // include guard
