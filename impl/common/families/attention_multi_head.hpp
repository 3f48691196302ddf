// SPDX-License-Identifier: BSD-3-Clause
// diopiMultiHeadAttention and diopiMultiHeadAttentionVarLen, and their gradients.
#ifndef IMPL_COMMON_FAMILIES_ATTENTION_MULTI_HEAD_HPP_
#define IMPL_COMMON_FAMILIES_ATTENTION_MULTI_HEAD_HPP_

#include "arguments/attention.hpp"
#include "impl/common/families/attention_setup.hpp"

namespace impl::DIOPI_VENDOR {

// The tensor for the weights, if the call asks for them.
template <typename Args>
const TensorView* wanted_weights(const Args& args) {
  return args.return_debug_mask ? &*args.debug_attn_mask : nullptr;
}

inline Status run(diopiContextHandle_t ctx, diopi::MultiHeadAttentionArgs& args) {
  const TensorView* const weights = wanted_weights(args);
  DIOPI_TRY(diopi::require_writable({&args.out, &args.softmax_lse, weights}));
  AttentionProblem problem{args.q, args.k, args.v, args.q.shape[0]};
  problem.scale = args.scale;
  problem.window = attention_window(args.is_causal, -1, -1);
  DIOPI_TRY(set_dropout(ctx, args.dropout_p, args.gen, args.q.shape[1], args.k.shape[1], &problem));
  const auto attend = [&] { return run_attention(ctx, problem, args.out, {&args.softmax_lse}); };
  if (weights == nullptr) return attend();
  return diopi::run_steps(attend, [&] { return run_attention_weights(ctx, problem, *weights); });
}

inline Status run(diopiContextHandle_t ctx, diopi::MultiHeadAttentionBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_q, &args.grad_k, &args.grad_v}));
  AttentionProblem problem{args.q, args.k, args.v, args.q.shape[0]};
  problem.scale = args.scale;
  problem.window = attention_window(args.is_causal, -1, -1);
  DIOPI_TRY(set_dropout(ctx, args.dropout_p, args.gen, args.q.shape[1], args.k.shape[1], &problem));
  return run_attention_backward(ctx, problem, {&args.softmax_lse},
                                {args.grad_out, args.out, args.grad_q, args.grad_k, args.grad_v});
}

// What forward and backward of packed sequences share. The views have a batch of one entry.
struct PackedHeads {
  TensorView q, k, v;
  PackedSequences queries, keys;

  template <typename Args>
  Status read(diopiContextHandle_t ctx, const Args& args) {
    q = args.q.unsqueeze(0);
    k = args.k.unsqueeze(0);
    v = args.v.unsqueeze(0);
    DIOPI_TRY(queries.read(ctx, args.cum_seq_q, q.shape[1], "max_q", args.max_q));
    return keys.read(ctx, args.cum_seq_k, k.shape[1], "max_k", args.max_k);
  }

  template <typename Args>
  AttentionProblem problem(const Args& args) const {
    AttentionProblem p{q, k, v, queries.count(), queries.rows(), keys.rows()};
    p.scale = args.scale;
    p.window = attention_window(args.is_causal, -1, -1);
    return p;
  }
};

inline Status run(diopiContextHandle_t ctx, diopi::MultiHeadAttentionVarLenArgs& args) {
  const TensorView* const weights = wanted_weights(args);
  DIOPI_TRY(diopi::require_writable({&args.out, &args.softmax_lse, weights}));
  PackedHeads packed;
  DIOPI_TRY(packed.read(ctx, args));
  AttentionProblem problem = packed.problem(args);
  DIOPI_TRY(set_dropout(ctx, args.dropout_p, args.gen, args.max_q, args.max_k, &problem));
  const TensorView out = args.out.unsqueeze(0);
  const auto attend = [&] { return run_packed_attention(ctx, problem, packed.queries, out, args.softmax_lse); };
  if (weights == nullptr) return attend();
  return diopi::run_steps(
      attend, [&] { return fill_number(ctx, *weights, 0); },
      [&] { return run_attention_weights(ctx, problem, *weights); });
}

inline Status run(diopiContextHandle_t ctx, diopi::MultiHeadAttentionVarLenBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_q, &args.grad_k, &args.grad_v}));
  PackedHeads packed;
  DIOPI_TRY(packed.read(ctx, args));
  AttentionProblem problem = packed.problem(args);
  DIOPI_TRY(set_dropout(ctx, args.dropout_p, args.gen, args.max_q, args.max_k, &problem));
  const TensorView grad_out = args.grad_out.unsqueeze(0), out = args.out.unsqueeze(0);
  const TensorView grad_q = args.grad_q.unsqueeze(0), grad_k = args.grad_k.unsqueeze(0);
  const TensorView grad_v = args.grad_v.unsqueeze(0);
  return run_packed_backward(ctx, problem, packed.queries, packed.keys, {&args.softmax_lse},
                             {grad_out, out, grad_q, grad_k, grad_v});
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_ATTENTION_MULTI_HEAD_HPP_
