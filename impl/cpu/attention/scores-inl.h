/* SPDX-License-Identifier: BSD-3-Clause */
// What the forward and the backward pass share: packed tiles of operands, products of tiles, and the scores of a row.
#if defined(IMPL_CPU_ATTENTION_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ATTENTION_SCORES_INL_H_
#undef IMPL_CPU_ATTENTION_SCORES_INL_H_
#else
#define IMPL_CPU_ATTENTION_SCORES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "impl/cpu/attention/attention.hpp"
#include "impl/cpu/engine/carver.hpp"
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/matmul/pack_panels-inl.h"
#include "impl/cpu/matmul/small.hpp"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Calls f(first, count, rows) for the keys [key, key + n) in runs whose rows are a stride apart; `first` counts from
// `key`.
template <typename S, class F>
HWY_INLINE void for_key_runs(const AttentionCall& c, const HeadRows& x, int64_t b, int64_t head, int64_t key, int64_t n,
                             F f) {
  const S* base = reinterpret_cast<const S*>(x.data) + head * x.head;
  if (c.table == nullptr) return f(int64_t{0}, n, base + b * x.batch + (c.key_start[b] + key) * x.row);
  const int64_t* blocks = c.table + b * c.table_row + (c.table_first == nullptr ? 0 : c.table_first[b]);
  for (int64_t i = 0; i < n;) {
    const int64_t in_block = (key + i) % c.block_size, count = std::min(n - i, c.block_size - in_block);
    f(i, count, base + (blocks[(key + i) / c.block_size] * c.block_size + in_block) * x.row);
    i += count;
  }
}

template <typename S>
HWY_INLINE void widen_rows(const S* src, int64_t stride, int64_t rows, int64_t n, ComputeOf<S>* dst) {
  for (int64_t r = 0; r < rows; ++r) widen_line(src + r * stride, n, dst + r * n);
}

// rows[i][d] and, if wanted, transposed[d][i] of a tile of keys or values. The rows of `transposed` have kKeyTile
// elements.
template <typename S>
HWY_NOINLINE void pack_keys(const AttentionCall& c, const HeadRows& x, int64_t b, int64_t head, int64_t key, int64_t n,
                            ComputeOf<S>* rows, ComputeOf<S>* transposed) {
  using T = ComputeOf<S>;
  const int64_t size = c.head_size;
  for_key_runs<S>(c, x, b, head, key, n, [&](int64_t first, int64_t count, const S* src) HWY_ATTR {
    if (rows != nullptr) widen_rows(src, x.row, count, size, rows + first * size);
    if (transposed == nullptr) return;
    if (rows != nullptr) {
      transpose_lines(static_cast<const T*>(rows + first * size), size, count, size, transposed + first, kKeyTile);
    } else if constexpr (std::is_same_v<S, T>) {
      transpose_lines(src, x.row, count, size, transposed + first, kKeyTile);
    }
  });
}

// The longest sums of an accumulated product that are computed in one piece. Equal terms are rounded in the same
// direction: n of them, added one after another, give an error of up to n/3 ULP of the sum.
inline constexpr int64_t kTermsTogether = 32;

// out [rows, cols] (+)= a [rows, depth] @ b [depth, cols], all packed along their rows.
template <typename T>
struct TileProduct {
  explicit TileProduct(SmallFn function) : function(function) {}
  HWY_INLINE void run(const T* a, int64_t a_row, int64_t a_col, const T* b, int64_t b_row, T* out, int64_t out_row,
                      int64_t rows, int64_t depth, int64_t cols, bool accumulate) const {
    if (depth == 0 && !accumulate) {
      for (int64_t r = 0; r < rows; ++r) std::fill_n(out + r * out_row, cols, T{0});
    }
    if (depth == 0 || cols == 0) return;
    SmallMatmul g;
    g.out = out;
    g.cols = cols;
    g.a_row = a_row;
    g.a_col = a_col;
    g.b_row = b_row;
    g.out_row = out_row;
    g.accumulate = accumulate;
    const int64_t together = accumulate ? kTermsTogether : depth;
    for (int64_t k = 0; k < depth; k += together) {
      g.a = a + k * a_col;
      g.b = b + k * b_row;
      g.depth = std::min(together, depth - k);
      function(g, 0, rows);
    }
  }
  SmallFn function;
};

// Whether n numbers are finite.
template <typename T>
HWY_NOINLINE bool all_finite(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  // 0 * x is 0, or NaN. Four sums, because each waits for its last addition.
  const auto zero = hn::Zero(d);
  auto a = zero, b = zero, e = zero, f = zero;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = hn::MulAdd(zero, hn::LoadU(d, x + i), a);
    b = hn::MulAdd(zero, hn::LoadU(d, x + i + lanes), b);
    e = hn::MulAdd(zero, hn::LoadU(d, x + i + 2 * lanes), e);
    f = hn::MulAdd(zero, hn::LoadU(d, x + i + 3 * lanes), f);
  }
  T rest{0};
  for (; i < n; ++i) rest += T{0} * x[i];
  return hn::AllTrue(d, hn::Eq(hn::Add(hn::Add(a, b), hn::Add(e, f)), zero)) && rest == T{0};
}

// Calls f(begin, end) for each longest run of numbers in [begin, end) for which hidden(i) is false.
template <class Hidden, class F>
HWY_INLINE void for_seen_runs(int64_t begin, int64_t end, Hidden hidden, F f) {
  for (int64_t i = begin; i < end; ++i) {
    if (hidden(i)) continue;
    const int64_t first = i;
    while (i < end && !hidden(i)) ++i;
    f(first, i);
  }
}

// The keys of a tile that a row sees; they count from the begin of the tile.
struct Seen {
  int64_t begin, end;
};
HWY_INLINE Seen seen_in_tile(const KeyRange& range, int64_t key, int64_t n) {
  const int64_t begin = std::clamp<int64_t>(range.begin - key, 0, n);
  return {begin, std::max(begin, std::clamp<int64_t>(range.end - key, 0, n))};
}

// The lanes of a vector at `at` that are seen.
template <class D>
HWY_INLINE auto seen_lanes(D d, const Seen& seen, int64_t at) {
  const auto before_end = hn::FirstN(d, static_cast<size_t>(std::max<int64_t>(0, seen.end - at)));
  const auto before_begin = hn::FirstN(d, static_cast<size_t>(std::max<int64_t>(0, seen.begin - at)));
  return hn::AndNot(before_begin, before_end);
}

// Calls whole(at) for each vector of a row that is seen entirely, and part(at, mask) for the others that have keys.
template <typename T, class Whole, class Part>
HWY_INLINE void for_seen(const Seen& seen, Whole whole, Part part) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t at = seen.begin / lanes * lanes;
  if (at < seen.begin && at < seen.end) {
    part(at, seen_lanes(d, seen, at));
    at += lanes;
  }
  for (; at + lanes <= seen.end; at += lanes) whole(at);
  if (at < seen.end) part(at, seen_lanes(d, seen, at));
}

// A row of scores: query i of a head of a sequence, with keys from `key` on.
struct ScoreRow {
  int64_t b, head, i, key;
};

template <typename T>
HWY_INLINE const T* operand_at(const ScoreOperand& x, const ScoreRow& row) {
  return static_cast<const T*>(x.data) + row.b * x.batch + row.head * x.head + row.i * x.row + row.key * x.key;
}

inline bool has_score_operands(const AttentionCall& c) {
  return c.mask.data != nullptr || c.bias.data != nullptr || c.slopes.data != nullptr;
}

// Turns products of q and k into scores: scale, bias, ALiBi and mask.
template <typename T>
HWY_NOINLINE void finish_scores(const AttentionCall& c, const ScoreRow& row, const Seen& seen, T* s) {
  const T scale = static_cast<T>(c.scale);
  for (int64_t j = seen.begin; j < seen.end; ++j) s[j] *= scale;
  if (c.bias.data != nullptr) {
    const T* bias = operand_at<T>(c.bias, row);
    for (int64_t j = seen.begin; j < seen.end; ++j) s[j] += bias[j * c.bias.key];
  }
  if (c.slopes.data != nullptr) {
    const T slope = *operand_at<T>(c.slopes, ScoreRow{row.b, row.head, 0, 0});
    const int64_t diagonal = row.i + c.shift(row.b) - row.key;
    for (int64_t j = seen.begin; j < seen.end; ++j) {
      s[j] -= slope * static_cast<T>(diagonal < j ? j - diagonal : diagonal - j);
    }
  }
  if (c.mask.data != nullptr) {
    const uint8_t* mask = operand_at<uint8_t>(c.mask, row);
    for (int64_t j = seen.begin; j < seen.end; ++j) {
      if (mask[j * c.mask.key] != 0) s[j] = -std::numeric_limits<T>::infinity();
    }
  }
}

// hidden[j] = whether key j of a tile changes nothing in a row with these scores. Without a mask, a score is -infinity
// only if q or k is huge; such a key counts as hidden, too.
template <typename T>
HWY_INLINE void note_hidden(const T* s, const Seen& used, const Seen& seen, uint8_t* hidden) {
  for (int64_t j = used.begin; j < used.end; ++j) {
    hidden[j] = j < seen.begin || j >= seen.end || s[j] == -std::numeric_limits<T>::infinity();
  }
}

// Writes the factors that dropout gives to the weights of n keys: 0, or 1 / (1 - p).
template <typename T>
HWY_NOINLINE void drop_factors(const AttentionCall& c, const ScoreRow& row, int64_t n, T* factors) {
  const T kept = static_cast<T>(c.kept_scale);
  if (c.keep_bits != nullptr) {
    const int64_t in_head = row.head * c.query_length[row.b] + row.i;
    const int64_t bit = c.first_bit[row.b] + in_head * c.key_length[row.b] + row.key;
    for (int64_t j = 0; j < n; ++j) factors[j] = (c.keep_bits[(bit + j) / 8] >> ((bit + j) % 8) & 1) != 0 ? kept : T{0};
    return;
  }
  uint32_t words[kKeyTile + 2 * kPhiloxLanes];
  const int64_t word_row = (row.b * c.heads + row.head) * c.word_rows + row.i;
  const uint64_t word = static_cast<uint64_t>(word_row) * static_cast<uint64_t>(c.word_columns) + row.key;
  const auto first = static_cast<int64_t>(word / kPhiloxLanes), skipped = static_cast<int64_t>(word % kPhiloxLanes);
  philox_words(c.stream, first, (skipped + n + kPhiloxLanes - 1) / kPhiloxLanes, words);
  for (int64_t j = 0; j < n; ++j) factors[j] = c.keep.any && words[skipped + j] <= c.keep.last ? kept : T{0};
}

// The bytes of a memory that Memory(memory, head_size, rows) divides among its arrays.
template <class Memory>
int64_t bytes_of(int64_t head_size, int64_t rows) {
  return Memory(nullptr, head_size, rows).bytes;
}

// Room for either of two kinds of memory.
template <class A, class B>
struct LargerMemory {
  LargerMemory(char* /*memory*/, int64_t size, int64_t rows)
      : bytes(std::max(bytes_of<A>(size, rows), bytes_of<B>(size, rows))) {}
  int64_t bytes;
};

template <typename Fn, Fn kRun, class Memory>
inline constexpr AttentionKernel<Fn> kKernel{kRun, bytes_of<Memory>};

HWY_INLINE void write_number(const RowNumbers& x, int64_t b, int64_t head, int64_t row, float value) {
  if (x.data == nullptr) return;
  float* at = x.data + b * x.batch + head * x.head + row * x.row;
  for (int64_t i = 0; i < x.copies; ++i) at[i * x.copy] = value;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
