// SPDX-License-Identifier: BSD-3-Clause
// diopiCustomizedFlashAttentionVarLen and its gradients: the sequences are packed, and the host knows where they end.
#ifndef IMPL_COMMON_FAMILIES_ATTENTION_CUSTOMIZED_PACKED_HPP_
#define IMPL_COMMON_FAMILIES_ATTENTION_CUSTOMIZED_PACKED_HPP_

#include <limits>
#include <vector>

#include "arguments/attention.hpp"
#include "impl/common/families/attention_customized.hpp"

namespace impl::DIOPI_VENDOR {

// The views have a batch of one entry.
struct PackedCustomized {
  TensorView q, k, v, mask, slopes;
  bool has_mask = false, has_slopes = false;
  diopi::AttentionWindow window;
  PackedSequences queries, keys;
  std::vector<int64_t> first_bits;  // of each sequence
  int64_t weights = 0;

  int64_t rows() const { return q.shape[1]; }
  int64_t heads() const { return q.shape[2]; }

  template <typename Args>
  Status read(const Args& args) {
    q = args.q.unsqueeze(0);
    k = args.k.unsqueeze(0);
    v = args.v.unsqueeze(0);
    DIOPI_TRY(queries.read("cum_seq_q", args.cum_seq_q, rows(), "max_seqlen_q", args.max_seqlen_q));
    DIOPI_TRY(keys.read("cum_seq_kv", args.cum_seq_kv, k.shape[1], "max_seqlen_kv", args.max_seqlen_kv));
    for (int64_t b = 0; b < queries.count(); ++b) {
      first_bits.push_back(weights);
      const int64_t pairs = diopi::product_of(queries.length(b), keys.length(b));
      weights = diopi::sum_of(weights, diopi::product_of(heads(), pairs));
    }
    has_slopes = args.alibi_slopes.has_value();
    if (has_slopes) slopes = slopes_by_batch(*args.alibi_slopes);
    has_mask = customized_mask(args, args.max_seqlen_q, args.max_seqlen_kv, &window);
    if (!has_mask) return diopiSuccess;
    diopi::Dims longest;
    longest.push_back(args.max_seqlen_q);
    longest.push_back(args.max_seqlen_kv);
    DIOPI_TRY(diopi::require_broadcasts_to(*args.attention_mask, longest));
    mask = args.attention_mask->unsqueeze(0).unsqueeze(0);
    return diopiSuccess;
  }

  template <typename Args>
  AttentionProblem problem(const Args& args) const {
    AttentionProblem p{q, k, v, queries.count(), queries.rows(), keys.rows()};
    p.scale = args.softmax_scale;
    p.window = window;
    p.mask = has_mask ? &mask : nullptr;
    p.slopes = has_slopes ? &slopes : nullptr;
    p.dropout_p = args.p_dropout;
    return p;
  }

  // [rows, heads, copies] as the engine wants the statistics.
  static TensorView statistics(const TensorView& x) { return x.transposed(0, 1).unsqueeze(0); }
};

inline Status run(diopiContextHandle_t ctx, diopi::CustomizedFlashAttentionVarLenArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.attention_out));
  PackedCustomized a;
  DIOPI_TRY(a.read(args));
  const bool drops = args.p_dropout > 0;
  CustomizedOutputs made;
  DIOPI_TRY(made.make(ctx, {a.rows(), a.heads()}, drops, a.weights, args.q.dtype));
  AttentionProblem problem = a.problem(args);
  if (drops) {
    problem.keep_bits = &made.bits;
    problem.first_bit = a.first_bits.data();
  }
  const TensorView out = args.attention_out.unsqueeze(0);
  const auto draw = [&]() -> Status {
    if (!drops) return diopiSuccess;
    diopi::RandomStream stream;
    DIOPI_TRY(diopi::reserve_random(ctx, args.gen, a.weights, &stream));
    return fill_keep_bits(ctx, made.bits, a.weights, args.p_dropout, stream);
  };
  const auto fill_rest = [&]() -> Status {
    if (a.queries.covers(a.rows())) return diopiSuccess;
    DIOPI_TRY(fill_number(ctx, out, 0));
    DIOPI_TRY(fill_number(ctx, made.largest, -std::numeric_limits<double>::infinity()));
    return fill_number(ctx, made.total, 0);
  };
  const TensorView largest = a.statistics(made.largest), total = a.statistics(made.total);
  const auto attend = [&] { return run_attention(ctx, problem, out, {nullptr, &largest, &total}); };
  DIOPI_TRY(diopi::run_steps(draw, fill_rest, attend));
  made.store(args);
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::CustomizedFlashAttentionVarLenBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_q, &args.grad_k, &args.grad_v}));
  PackedCustomized a;
  DIOPI_TRY(a.read(args));
  AttentionProblem problem = a.problem(args);
  TensorView bits;
  if (args.p_dropout > 0) {
    DIOPI_TRY(read_keep_bits(ctx, *args.dropout_mask, a.weights, &bits));
    problem.keep_bits = &bits;
    problem.first_bit = a.first_bits.data();
  }
  const TensorView grad_out = args.grad_output.unsqueeze(0), out = args.attention_out.unsqueeze(0);
  const TensorView grad_q = args.grad_q.unsqueeze(0), grad_k = args.grad_k.unsqueeze(0);
  const TensorView grad_v = args.grad_v.unsqueeze(0);
  const TensorView largest = a.statistics(args.softmax_max), total = a.statistics(args.softmax_sum);
  return run_packed_backward(ctx, problem, a.queries, a.keys, {nullptr, &largest, &total},
                             {grad_out, out, grad_q, grad_k, grad_v});
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_ATTENTION_CUSTOMIZED_PACKED_HPP_
