// SPDX-License-Identifier: BSD-3-Clause
// Kernels of LightLLM-style inference. impl/<vendor>/functions/attention_llm.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_ATTENTION_LLM_HPP_
#define IMPL_COMMON_FAMILIES_ATTENTION_LLM_HPP_

#include <algorithm>
#include <cmath>

#include "arguments/attention_llm.hpp"
#include "impl/common/engine/attention.hpp"
#include "impl/common/engine/decode.hpp"
#include "impl/common/engine/index.hpp"
#include "impl/common/engine/matmul.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/families/overlap.hpp"
#include "impl/common/workspace.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::ApplyPenaltyArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.logits));
  return subtract_penalties(ctx, {args.logits, args.p_token_ids, args.p_token_counts, args.presence_penalty,
                                  args.frequency_penalty, nullptr, &args.p_cumsum_seq_len});
}

inline Status run(diopiContextHandle_t ctx, diopi::ApplyPenaltyV2Args& args) {
  DIOPI_TRY(diopi::require_writable(args.logits));
  const diopi::Dims& shape = args.p_token_ids.shape;
  const TensorView presence = args.presence_penalty.expand(shape), frequency = args.frequency_penalty.expand(shape);
  const TensorView repetition = args.repetition_penalty.expand(shape);
  return subtract_penalties(
      ctx, {args.logits, args.p_token_ids, args.p_token_counts, presence, frequency, &repetition, nullptr});
}

inline Status run(diopiContextHandle_t ctx, diopi::DestIndexCopyKVArgs& args) {
  TensorView &k = args.k, index = args.dest_loc;
  DIOPI_TRY(diopi::require_writable(args.out));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &k));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &index));
  while (index.ndim() < k.ndim()) index = index.unsqueeze(index.ndim());
  return scatter(ctx, ScatterOp::kReplace, args.out, ScatterBase::kept(), 0, k, index.expand(k.shape));
}

inline Status run(diopiContextHandle_t ctx, diopi::TokenAttentionInferenceArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.token_attention_out));
  return score_tokens(ctx, {args.b_loc, args.b_start_loc, args.b_seq_len, args.max_input_len}, args.token_attention_out,
                      args.q, args.k);
}

inline Status run(diopiContextHandle_t ctx, diopi::TokenSoftmaxReduceVInferenceArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &args.logics));
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &args.v));
  return sum_tokens(ctx, {args.b_loc, args.b_start_loc, args.b_seq_len, args.max_input_len}, args.out, args.logics,
                    args.v);
}

// An input as [1 or batch, rows, heads, dim], with `lead` as the first two extents.
inline Status view_in_heads(diopiContextHandle_t ctx, int64_t batch, int64_t rows, int64_t heads, int64_t dim,
                            TensorView* view) {
  if (!view->is_contiguous()) DIOPI_TRY(replace_by_copy(ctx, view));
  view->shape = diopi::Dims();
  for (int64_t extent : {batch, rows, heads, dim}) view->shape.push_back(extent);
  view->stride = diopi::contiguous_strides(view->shape);
  return diopiSuccess;
}

// Checks the slots that are used. The message names the entry of the table.
inline Status check_slots(diopiContextHandle_t ctx, const TensorView& table, const diopiSize_t& lengths,
                          int64_t block_size, int64_t slots) {
  int64_t* blocks = nullptr;
  for (int64_t b = 0; b < lengths.len; ++b) {
    DIOPI_REQUIRE(lengths.data[b] == 0 || (lengths.data[b] - 1) / block_size < table.shape[1], diopiErrorOccurred,
                  "actual_seq_lengths holds %lld at position %lld, more than %lld blocks of %lld slots have",
                  static_cast<long long>(lengths.data[b]), static_cast<long long>(b),
                  static_cast<long long>(table.shape[1]), static_cast<long long>(block_size));
  }
  DIOPI_TRY(diopi::host_workspace(ctx).take(table.numel, &blocks));
  DIOPI_TRY(read_integers(ctx, table, blocks));
  for (int64_t b = 0; b < lengths.len; ++b) {
    for (int64_t first = 0, i = 0; first < lengths.data[b]; first += block_size, ++i) {
      const int64_t block = blocks[b * table.shape[1] + i], used = std::min(block_size, lengths.data[b] - first);
      DIOPI_REQUIRE(block >= 0 && block <= (slots - used) / block_size && used <= slots, diopiErrorOccurred,
                    "%s holds %lld for block %lld of sequence %lld, which is not among the %lld slots of the cache",
                    table.name, static_cast<long long>(block), static_cast<long long>(i), static_cast<long long>(b),
                    static_cast<long long>(slots));
    }
  }
  return diopiSuccess;
}

// The mask as [batch or 1, 1, 1, keys].
inline Status view_of_mask(const TensorView& mask, const diopiSize_t& lengths, TensorView* view) {
  int64_t longest = 0;
  for (int64_t b = 0; b < lengths.len; ++b) longest = std::max(longest, lengths.data[b]);
  const bool fits = (mask.shape[0] == 1 || mask.shape[0] == lengths.len) && (mask.ndim() == 2 || mask.shape[1] == 1) &&
                    mask.shape[mask.ndim() - 1] >= longest;
  DIOPI_REQUIRE(fits, diopiErrorOccurred, "attenMask has shape %s, expected [%lld or 1, at least %lld]",
                diopi::Text(mask.shape).c_str(), static_cast<long long>(lengths.len), static_cast<long long>(longest));
  *view = mask;
  while (view->ndim() < 4) *view = view->unsqueeze(1);
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::PagedAttentionArgs& args) {
  const diopiSize_t& lengths = args.actual_seq_lengths;
  const int64_t slots = args.k.numel / (args.num_kv_heads * args.dim);
  TensorView q = args.q, k = args.k, v = args.v, out = args.out, mask;
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(check_slots(ctx, args.block_table, lengths, args.block_size, slots));
  if (args.attenMask) DIOPI_TRY(view_of_mask(*args.attenMask, lengths, &mask));
  if (out.numel == 0) return diopiSuccess;
  DIOPI_TRY(view_in_heads(ctx, lengths.len, 1, args.num_heads, args.dim, &q));
  DIOPI_TRY(view_in_heads(ctx, 1, slots, args.num_kv_heads, args.dim, &k));
  DIOPI_TRY(view_in_heads(ctx, 1, slots, args.num_kv_heads, args.dim, &v));
  if (!out.is_contiguous()) DIOPI_TRY(diopi::make_temporary(ctx, out.shape, out.dtype, out.name, &out));
  const TensorView written = out;
  DIOPI_TRY(view_in_heads(ctx, lengths.len, 1, args.num_heads, args.dim, &out));
  AttentionProblem problem{q, k, v, lengths.len};
  problem.key_rows.length = lengths.data;
  problem.blocks = {&args.block_table, nullptr, args.block_size};
  problem.scale = 1 / std::sqrt(static_cast<double>(args.dim));
  problem.mask = args.attenMask ? &mask : nullptr;
  DIOPI_TRY(run_attention(ctx, problem, out, {}));
  return written.data == args.out.data ? Status(diopiSuccess) : copy(ctx, args.out, written);
}

// Checks that the sequences lie in `rows` rows, one behind the other.
inline Status check_sequences(const TensorView& start, const TensorView& length, const int64_t* starts,
                              const int64_t* lengths, int64_t rows) {
  int64_t end = 0;
  for (int64_t b = 0; b < start.numel; ++b) {
    DIOPI_REQUIRE(lengths[b] >= 0, diopiErrorOccurred, "%s holds %lld at position %lld, expected at least 0",
                  length.name, static_cast<long long>(lengths[b]), static_cast<long long>(b));
    if (lengths[b] == 0) continue;
    DIOPI_REQUIRE(
        starts[b] >= end && lengths[b] <= rows && starts[b] <= rows - lengths[b], diopiErrorOccurred,
        "%s holds %lld at position %lld, where %s holds %lld; expected a row from %lld on, and all rows below "
        "%lld",
        start.name, static_cast<long long>(starts[b]), static_cast<long long>(b), length.name,
        static_cast<long long>(lengths[b]), static_cast<long long>(end), static_cast<long long>(rows));
    end = starts[b] + lengths[b];
  }
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::ContextAttentionInferenceArgs& args) {
  const int64_t batch = args.b_start_loc.numel;
  int64_t *starts = nullptr, *lengths = nullptr;
  DIOPI_TRY(diopi::require_writable(args.context_attention_out));
  DIOPI_TRY(diopi::host_workspace(ctx).take(batch, &starts));
  DIOPI_TRY(diopi::host_workspace(ctx).take(batch, &lengths));
  DIOPI_TRY(read_integers(ctx, args.b_start_loc, starts));
  DIOPI_TRY(read_integers(ctx, args.b_seq_len, lengths));
  DIOPI_TRY(check_sequences(args.b_start_loc, args.b_seq_len, starts, lengths, args.q.shape[0]));
  if (batch == 0 || args.q.numel == 0) return diopiSuccess;
  for (int64_t b = 0; b < batch; ++b) {
    if (lengths[b] == 0) starts[b] = 0;
  }
  const TensorView q = args.q.unsqueeze(0), k = args.k.unsqueeze(0), v = args.v.unsqueeze(0);
  AttentionProblem problem{q, k, v, batch, {starts, lengths}, {starts, lengths}};
  problem.scale = 1 / std::sqrt(static_cast<double>(args.q.shape[2]));
  problem.window.right = 0;
  return run_attention(ctx, problem, args.context_attention_out.unsqueeze(0), {});
}

inline Status run(diopiContextHandle_t ctx, diopi::MatmulAllReduceArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  diopi::Dims batched = args.x1.shape;
  batched[batched.n - 2] = args.x2.shape[0];
  batched[batched.n - 1] = args.x2.shape[1];
  MatmulOptions options;
  if (args.bias) {
    options.c = &*args.bias;
    options.beta = Factor{1, 1};
  }
  return run_matmul(ctx, args.out, args.x1, args.x2.expand(batched), options);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/attention_llm.hpp"

#endif  // IMPL_COMMON_FAMILIES_ATTENTION_LLM_HPP_
