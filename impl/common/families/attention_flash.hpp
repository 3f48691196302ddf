// SPDX-License-Identifier: BSD-3-Clause
// diopiFlashAttention and diopiFlashAttentionVarLen, and their gradients.
#ifndef IMPL_COMMON_FAMILIES_ATTENTION_FLASH_HPP_
#define IMPL_COMMON_FAMILIES_ATTENTION_FLASH_HPP_

#include "arguments/attention.hpp"
#include "impl/common/families/attention_setup.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::FlashAttentionArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.attention_out, &args.softmax_lse}));
  AttentionProblem problem{args.q, args.k, args.v, args.q.shape[0]};
  problem.scale = args.softmax_scale;
  problem.window = attention_window(args.is_causal, args.window_size_left, args.window_size_right);
  TensorView slopes;
  if (args.alibi_slopes) problem.slopes = &(slopes = slopes_by_batch(*args.alibi_slopes));
  DIOPI_TRY(set_dropout(ctx, args.p_dropout, args.gen, args.q.shape[1], args.k.shape[1], &problem));
  return run_attention(ctx, problem, args.attention_out, {&args.softmax_lse});
}

inline Status run(diopiContextHandle_t ctx, diopi::FlashAttentionBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_q, &args.grad_k, &args.grad_v}));
  AttentionProblem problem{args.q, args.k, args.v, args.q.shape[0]};
  problem.scale = args.softmax_scale;
  problem.window = attention_window(args.is_causal, args.window_size_left, args.window_size_right);
  TensorView slopes;
  if (args.alibi_slopes) problem.slopes = &(slopes = slopes_by_batch(*args.alibi_slopes));
  DIOPI_TRY(set_dropout(ctx, args.p_dropout, args.gen, args.q.shape[1], args.k.shape[1], &problem));
  return run_attention_backward(ctx, problem, {&args.softmax_lse},
                                {args.grad_output, args.attention_out, args.grad_q, args.grad_k, args.grad_v});
}

// What forward and backward of diopiFlashAttentionVarLen share. The views have a batch of one entry.
struct PackedFlash {
  TensorView q, k, v, slopes;
  PackedSequences queries, keys;

  template <typename Args>
  Status read(diopiContextHandle_t ctx, const Args& args) {
    q = args.q.unsqueeze(0);
    k = args.k.unsqueeze(0);
    v = args.v.unsqueeze(0);
    if (args.alibi_slopes) slopes = slopes_by_batch(*args.alibi_slopes);
    DIOPI_TRY(queries.read(ctx, args.cum_seq_q, q.shape[1], "max_seqlen_q", args.max_seqlen_q));
    return keys.read(ctx, args.cum_seq_kv, k.shape[1], "max_seqlen_kv", args.max_seqlen_kv);
  }

  template <typename Args>
  AttentionProblem problem(const Args& args) const {
    AttentionProblem p{q, k, v, queries.count(), queries.rows(), keys.rows()};
    p.scale = args.softmax_scale;
    p.window = attention_window(args.is_causal, args.window_size_left, args.window_size_right);
    p.slopes = args.alibi_slopes ? &slopes : nullptr;
    return p;
  }
};

inline Status run(diopiContextHandle_t ctx, diopi::FlashAttentionVarLenArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.attention_out, &args.softmax_lse}));
  PackedFlash packed;
  DIOPI_TRY(packed.read(ctx, args));
  AttentionProblem problem = packed.problem(args);
  DIOPI_TRY(set_dropout(ctx, args.p_dropout, args.gen, args.max_seqlen_q, args.max_seqlen_kv, &problem));
  return run_packed_attention(ctx, problem, packed.queries, args.attention_out.unsqueeze(0), args.softmax_lse);
}

inline Status run(diopiContextHandle_t ctx, diopi::FlashAttentionVarLenBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_q, &args.grad_k, &args.grad_v}));
  PackedFlash packed;
  DIOPI_TRY(packed.read(ctx, args));
  AttentionProblem problem = packed.problem(args);
  DIOPI_TRY(set_dropout(ctx, args.p_dropout, args.gen, args.max_seqlen_q, args.max_seqlen_kv, &problem));
  const TensorView grad_out = args.grad_output.unsqueeze(0), out = args.attention_out.unsqueeze(0);
  const TensorView grad_q = args.grad_q.unsqueeze(0), grad_k = args.grad_k.unsqueeze(0);
  const TensorView grad_v = args.grad_v.unsqueeze(0);
  return run_packed_backward(ctx, problem, packed.queries, packed.keys, {&args.softmax_lse},
                             {grad_out, out, grad_q, grad_k, grad_v});
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_ATTENTION_FLASH_HPP_
