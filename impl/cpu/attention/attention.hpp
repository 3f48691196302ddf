// SPDX-License-Identifier: BSD-3-Clause
// Kernels of attention. Queries and keys are divided into tiles whose limits depend on the sequence alone, and the
// tiles of a row are always taken in the same order, so the bits of a result do not depend on the division of the work
// among threads. Memory is in proportion to the lengths of the sequences.
#ifndef IMPL_CPU_ATTENTION_ATTENTION_HPP_
#define IMPL_CPU_ATTENTION_ATTENTION_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/random_params.hpp"
#include "impl/cpu/random/philox.hpp"

namespace impl::cpu {

// The rows of an operand; strides in elements. The elements of a row are packed.
struct HeadRows {
  char* data = nullptr;
  int64_t batch = 0, row = 0, head = 0;
};

// Numbers of the query rows, in float32; strides in elements.
struct RowNumbers {
  float* data = nullptr;
  int64_t batch = 0, row = 0, head = 0;
  int64_t copies = 1, copy = 0;  // each number is written so many times
  bool packed = false;           // rows are counted as those of q, otherwise from the begin of the sequence
};

// An operand of shape [batch, heads, queries, keys] that broadcasts; strides in elements, that of keys is 0 or 1.
struct ScoreOperand {
  const void* data = nullptr;
  int64_t batch = 0, head = 0, row = 0, key = 0;
};

struct AttentionCall {
  int64_t batch = 0, heads = 0, key_heads = 0, head_size = 0;
  HeadRows q, k, v;
  const int64_t *query_start = nullptr, *query_length = nullptr, *key_start = nullptr, *key_length = nullptr;
  const int64_t *table = nullptr, *table_first = nullptr;
  int64_t table_row = 0, block_size = 1;
  double scale = 1;
  int64_t left = -1, right = -1;
  bool top_left = false;
  ScoreOperand mask;    // uint8
  ScoreOperand bias;    // in the type of the sums
  ScoreOperand slopes;  // in the type of the sums; only batch and head are used
  bool drops = false;
  double kept_scale = 1;  // 1 / (1 - p)
  diopi::BernoulliParams keep{1.0};
  RandomStream stream;
  int64_t word_rows = 0, word_columns = 0;
  const uint8_t* keep_bits = nullptr;
  const int64_t* first_bit = nullptr;

  int64_t group() const { return heads / key_heads; }
  int64_t shift(int64_t b) const { return top_left ? 0 : key_length[b] - query_length[b]; }
};

// Keys [begin, end).
struct KeyRange {
  int64_t begin, end;
};
// The keys that query i of sequence b sees. They lie in [0, keys).
inline KeyRange visible_keys(const AttentionCall& c, int64_t b, int64_t i) {
  const int64_t keys = c.key_length[b], at = i + c.shift(b);
  const int64_t begin = c.left < 0 ? 0 : std::max<int64_t>(0, at - c.left);
  const int64_t end = c.right < 0 ? keys : std::min(keys, at + c.right + 1);
  return {begin, std::max(begin, end)};
}

// The limits of tiles. The tile of scores fits the second-level cache, with the tiles of keys and values.
inline constexpr int64_t kQueryTile = 48, kKeyTile = 192;
// Queries of a tile of the gradients if no key is hidden from them: the sums for keys and values are read and written
// once for kTermsTogether of them.
inline constexpr int64_t kGradientTile = 2 * kQueryTile;
// The queries of the smallest items of a forward pass, and of the items of a backward pass that have a part of them.
inline constexpr int64_t kLeastQueries = 2 * kQueryTile, kGradientQueries = 4 * kQueryTile;
inline int64_t tiles_of(int64_t n, int64_t tile) { return (n + tile - 1) / tile; }

// A kernel for a dtype, and the bytes of the memory that it needs for items of at most so many rows.
template <typename Fn>
struct AttentionKernel {
  Fn run;
  int64_t (*bytes)(int64_t head_size, int64_t rows);
};

// One item of work of a forward pass: queries [query, query + queries) of a head of a sequence.
struct ForwardItem {
  int64_t b, head, query, queries;
};
struct ForwardOutputs {
  HeadRows out;
  RowNumbers lse, max, sum;
};
using AttentionForwardFn = void (*)(const AttentionCall& call, const ForwardOutputs& outputs, const ForwardItem& item,
                                    char* memory);
// The rows are queries.
using AttentionForwardKernel = AttentionKernel<AttentionForwardFn>;
const AttentionForwardKernel& attention_forward_kernel(diopiDtype_t dtype);

// One item of work of a forward pass whose sequences have one query each: `key_heads` key heads from `key_head` on, and
// for each of them `heads` query heads, all behind each other from `head` on.
struct DecodeItem {
  int64_t b, key_head, key_heads, head, heads;
};
using AttentionDecodeFn = void (*)(const AttentionCall& call, const ForwardOutputs& outputs, const DecodeItem& item,
                                   char* memory);
// The rows are the query heads of an item.
using AttentionDecodeKernel = AttentionKernel<AttentionDecodeFn>;
const AttentionDecodeKernel& attention_decode_kernel(diopiDtype_t dtype);

// One item of work of a backward pass: the key tiles that hold [key, key + keys), which begin and end at limits of
// tiles, with the queries [query, query + queries) of all heads of a key head.
struct BackwardItem {
  int64_t b, key_head, query, queries, key, keys;
  bool wants_q, wants_kv;  // grad_q is that of all keys, and grad_k and grad_v are those of all queries
};
struct BackwardOperands {
  HeadRows grad_out, out, grad_q, grad_k, grad_v;
  RowNumbers lse, max, sum;  // lse, or max and sum
};
using AttentionBackwardFn = void (*)(const AttentionCall& call, const BackwardOperands& operands,
                                     const BackwardItem& item, char* memory);
// The rows are queries of all heads that share a key head.
using AttentionBackwardKernel = AttentionKernel<AttentionBackwardFn>;
const AttentionBackwardKernel& attention_backward_kernel(diopiDtype_t dtype);

// A tile of at most kQueryTile rows of weights. `data` has any dtype and strides, in elements.
struct WeightsOutput {
  char* data;
  diopiDtype_t dtype;
  int64_t batch, head, row, key;
};
using AttentionWeightsFn = void (*)(const AttentionCall& call, const WeightsOutput& output, const ForwardItem& item,
                                    char* memory);
// The rows are keys.
using AttentionWeightsKernel = AttentionKernel<AttentionWeightsFn>;
const AttentionWeightsKernel& attention_weights_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ATTENTION_ATTENTION_HPP_
