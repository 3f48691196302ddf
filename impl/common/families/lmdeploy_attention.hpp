// SPDX-License-Identifier: BSD-3-Clause
// The attention layers of TurboMind's decoder: projection, rotation, cache and attention.
#ifndef IMPL_COMMON_FAMILIES_LMDEPLOY_ATTENTION_HPP_
#define IMPL_COMMON_FAMILIES_LMDEPLOY_ATTENTION_HPP_

#include <cmath>

#include "arguments/lmdeploy_layer.hpp"
#include "impl/common/engine/attention.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/decode.hpp"
#include "impl/common/engine/matmul.hpp"
#include "impl/common/engine/rotary.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/families/workspace_size.hpp"
#include "impl/common/rules/values.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"

namespace impl::DIOPI_VENDOR {

// The new tokens of a call: queries [batch, tokens, heads, size], and the caches of the layer as [batch, places, key
// heads, size].
struct NewTokens {
  TensorView queries, keys, values, key_cache, value_cache, out;
};

// The position of token t of sequence b is first + t - padding[b].
struct Positions {
  int64_t first;
  const TensorView* padding;  // null: 0
};

// Rotates the heads of `tokens` [batch, tokens, heads, size].
template <typename Args>
Status rotate_tokens(diopiContextHandle_t ctx, const Args& args, const Positions& at, const TensorView& tokens) {
  if (args.rotary_embedding <= 0) return diopiSuccess;
  const TensorView turned = tokens.narrow(3, 0, args.rotary_embedding);
  diopi::Dims shape = turned.shape;
  shape[2] = 1;
  shape[3] = args.rotary_embedding / 2;
  TensorView cos, sin;
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi::compute_dtype(turned.dtype), "cos", &cos));
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi::compute_dtype(turned.dtype), "sin", &sin));
  DIOPI_TRY(make_rope_angles(ctx, {cos, sin, args.rope_theta, at.first, at.padding}));
  shape[2] = turned.shape[2];
  return run_rotary(ctx, {turned, turned, cos.expand(shape), sin.expand(shape), false, true});
}

// Computes queries, keys and values of `count` tokens of each sequence. Nothing of the caller is written.
template <typename Args>
Status project_tokens(diopiContextHandle_t ctx, const Args& args, int64_t count, const Positions& at, NewTokens* made) {
  const int64_t heads = args.local_head_num, key_heads = args.local_kv_head_num, size = args.size_per_head;
  const TensorView &x = args.inoutput, &weight = *args.qkv_weight;
  diopi::Dims shape = x.shape;
  shape[1] = weight.shape[1];
  TensorView qkv;
  DIOPI_TRY(diopi::make_temporary(ctx, shape, x.dtype, "qkv", &qkv));
  MatmulOptions options;
  if (args.qkv_bias) {
    options.c = &*args.qkv_bias;
    options.beta = Factor{1, 1};
  }
  DIOPI_TRY(run_matmul(ctx, qkv, x, weight, options));
  qkv.shape = diopi::Dims();
  for (int64_t extent : {args.key_cache.shape[1], count, heads + 2 * key_heads, size}) qkv.shape.push_back(extent);
  qkv.stride = diopi::contiguous_strides(qkv.shape);
  DIOPI_TRY(rotate_tokens(ctx, args, at, qkv.narrow(2, 0, heads + key_heads)));
  made->queries = qkv.narrow(2, 0, heads);
  made->keys = qkv.narrow(2, heads, key_heads);
  made->values = qkv.narrow(2, heads + key_heads, key_heads);
  made->key_cache = args.key_cache.select(0, args.layer_id).transposed(1, 2);
  made->value_cache = args.value_cache.select(0, args.layer_id).transposed(1, 2);
  return diopi::make_temporary(ctx, made->queries.shape, x.dtype, "attention", &made->out);
}

template <typename Args>
Status check_layer(const Args& args) {
  DIOPI_REQUIRE(args.qkv_weight.has_value(), diopiErrorOccurred,
                "qkv_weight is null, but not only sizes are asked for");
  return diopi::require_writable({&args.inoutput, &args.key_cache, &args.value_cache});
}

// `out` in the shape of inoutput.
inline TensorView as_rows_of(const TensorView& inoutput, const TensorView& out) {
  TensorView rows = out;
  rows.shape = inoutput.shape;
  rows.stride = diopi::contiguous_strides(rows.shape);
  return rows;
}

inline Status run(diopiContextHandle_t ctx, diopi::FusedContextAttentionInpArgs& args) {
  if (stores_sizes({args.pre_work_size, args.workspace_size})) return diopiSuccess;
  DIOPI_TRY(check_layer(args));
  if (!args.is_prepared || args.inoutput.numel == 0) return diopiSuccess;
  const int64_t count = args.max_q_len, before = args.max_kv_len - count;
  NewTokens t;
  DIOPI_TRY(project_tokens(ctx, args, count, {before, nullptr}, &t));
  const TensorView keys = t.key_cache.narrow(1, 0, args.max_kv_len);
  const TensorView values = t.value_cache.narrow(1, 0, args.max_kv_len);
  AttentionProblem problem{t.queries, keys, values, t.queries.shape[0]};
  problem.scale = 1 / std::sqrt(static_cast<double>(args.size_per_head));
  problem.window.right = 0;
  const auto store = [&]() -> Status {
    DIOPI_TRY(copy(ctx, keys.narrow(1, before, count), t.keys));
    return copy(ctx, values.narrow(1, before, count), t.values);
  };
  const auto attend = [&]() -> Status {
    DIOPI_TRY(run_attention(ctx, problem, t.out, {}));
    if (diopi::in_dry_run()) return diopiSuccess;
    return copy(ctx, args.inoutput, as_rows_of(args.inoutput, t.out));
  };
  return diopi::run_steps(store, attend);
}

inline Status run(diopiContextHandle_t ctx, diopi::FusedDecoderAttentionInpArgs& args) {
  if (stores_sizes({args.workspace_size})) return diopiSuccess;
  DIOPI_TRY(check_layer(args));
  DIOPI_TRY(diopi::require_at_least("step", args.step, 1));
  const int64_t batch = args.inoutput.shape[0];
  if (batch == 0) return diopiSuccess;
  int64_t *places = nullptr, *counts = nullptr;
  DIOPI_TRY(diopi::host_workspace(ctx).take(batch, &places));
  DIOPI_TRY(diopi::host_workspace(ctx).take(batch, &counts));
  DIOPI_TRY(read_ring(ctx, args.sequence_lengths, diopi::address_of(args.finished), args.max_seq_len, places, counts));
  NewTokens t;
  DIOPI_TRY(project_tokens(ctx, args, 1, {args.step - 1, diopi::address_of(args.total_padding_tokens)}, &t));
  AttentionProblem problem{t.queries, t.key_cache, t.value_cache, batch};
  problem.key_rows.length = counts;
  problem.scale = 1 / std::sqrt(static_cast<double>(args.size_per_head));
  const auto store = [&]() -> Status {
    DIOPI_TRY(store_tokens(ctx, t.key_cache, t.keys, places));
    return store_tokens(ctx, t.value_cache, t.values, places);
  };
  const auto attend = [&]() -> Status {
    DIOPI_TRY(run_attention(ctx, problem, t.out, {}));
    if (diopi::in_dry_run()) return diopiSuccess;
    return replace_rows(ctx, args.inoutput, as_rows_of(args.inoutput, t.out), places);
  };
  return diopi::run_steps(store, attend);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_LMDEPLOY_ATTENTION_HPP_
