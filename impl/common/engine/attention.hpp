// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for attention: the forward pass, its gradients, and the dropout mask as bits.
//
// For each sequence b and query head h, with key head floor(h / (query heads / key heads)):
//   s[i, j] = scale * sum over d of q[i, d] k[j, d] + bias - slope * |i + shift - j|, or -infinity if j is hidden
//   P = softmax of s over j; out[i] = sum over j of P[i, j] v[j]
// A row whose scores are all -infinity has out = 0, and P = 0 in the gradients. Where a score is -infinity, the pair
// of the query and the key changes nothing, also if they have NaN: 0 is not multiplied by it.
//
// All views have the dimensions [batch, rows, heads, head size] and any strides. If the sequences are packed, the batch
// of the view has one entry, and `start` says where a sequence begins.
#ifndef IMPL_COMMON_ENGINE_ATTENTION_HPP_
#define IMPL_COMMON_ENGINE_ATTENTION_HPP_

#include "impl/common/generator.hpp"
#include "impl/common/engine/host_numbers.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// The rows of each sequence, as arrays of the host with one entry for each sequence.
struct SequenceRows {
  const int64_t* start = nullptr;   // the first row; null: 0
  const int64_t* length = nullptr;  // null: all rows of the view
};

// Keys and values in blocks: row t of sequence b is row table[b, first[b] + t / block_size] * block_size +
// t % block_size of entry 0 of the views of k and v. The caller has checked the entries that are used.
struct BlockTable {
  const TensorView* table = nullptr;  // [batch, blocks] of int32 or int64; null: no table
  const int64_t* first = nullptr;     // an array of the host; null: 0
  int64_t block_size = 1;
};

// Which keys a query sees. With shift = (number of keys) - (number of queries), or 0 if `top_left`, query i sees key j
// if i + shift - left <= j <= i + shift + right. A negative number leaves the side open.
struct AttentionWindow {
  int64_t left = -1, right = -1;
  bool top_left = false;
};

struct AttentionProblem {
  const TensorView &q, &k, &v;  // of one floating dtype; k and v have the same shape
  int64_t batch;                // the number of sequences
  SequenceRows query_rows = {}, key_rows = {};
  BlockTable blocks = {};
  double scale = 1;
  AttentionWindow window = {};
  // Each has four dimensions, [batch, query heads, query rows, keys], of which any may be 1: then it broadcasts.
  const TensorView* mask = nullptr;    // real or bool; an element that is not 0 hides the key
  const TensorView* bias = nullptr;    // floating; added to the scaled product
  const TensorView* slopes = nullptr;  // [batch or 1, query heads], floating
  // The weights that dropout keeps. Word (or bit) ((b heads + h) word_rows + i) word_columns + j of the stream belongs
  // to P[i, j]. Bits have instead first_bit[b] + (h queries + i) keys + j, with the lengths of the sequence.
  double dropout_p = 0;
  RandomStream stream = {};
  int64_t word_rows = 0, word_columns = 0;
  const TensorView* keep_bits = nullptr;  // uint8, packed; if it is given, the stream is not read
  const int64_t* first_bit = nullptr;     // an array of the host
};

// Numbers of each query row, of float32 and any strides. `lse`: log(sum of exp(s)), [batch, query heads, rows];
// +infinity for a row that sees no key. `max` and `sum` have the layout [batch of q, query heads, rows of q, copies],
// with every value repeated along the last dimension; a row that sees no key has -infinity and 0.
struct AttentionStatistics {
  const TensorView *lse = nullptr, *max = nullptr, *sum = nullptr;  // null: not wanted
};

struct AttentionGradients {
  const TensorView &grad_out, &out;
  const TensorView &grad_q, &grad_k, &grad_v;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::AttentionGradients;
using diopi::AttentionProblem;
using diopi::AttentionStatistics;
using diopi::Status;
using diopi::TensorView;

// Writes the rows of `out` and of the statistics that belong to sequences; other rows keep their values. `out` has the
// dtype of q and overlaps nothing.
Status run_attention(diopiContextHandle_t ctx, const AttentionProblem& p, const TensorView& out,
                     const AttentionStatistics& statistics);

// Writes the gradients of the rows that belong to sequences. The statistics hold lse, or max and sum. All tensors have
// the dtype of q, and the gradients overlap nothing.
Status run_attention_backward(diopiContextHandle_t ctx, const AttentionProblem& p,
                              const AttentionStatistics& statistics, const AttentionGradients& gradients);

// Writes the weights of a forward pass to `weights`, [batch, query heads, rows, keys]: P if it is floating point,
// with the sign bit set where dropout drops the weight; if it is bool, whether dropout keeps the weight. Elements
// outside of the sequences keep their values.
Status run_attention_weights(diopiContextHandle_t ctx, const AttentionProblem& p, const TensorView& weights);

// Bit i % 8 of byte i / 8 of `bits`, a packed tensor of uint8, is 1 if word i of `stream`, times 2^-32, is less than
// 1 - p, for i < count. The remaining bits are 0.
Status fill_keep_bits(diopiContextHandle_t ctx, const TensorView& bits, int64_t count, double p,
                      const diopi::RandomStream& stream);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_ATTENTION_HPP_
