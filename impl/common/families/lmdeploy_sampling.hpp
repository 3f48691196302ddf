// SPDX-License-Identifier: BSD-3-Clause
// Sampling of ids, penalties and stop criteria of TurboMind. impl/<vendor>/functions/lmdeploy_sampling.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_LMDEPLOY_SAMPLING_HPP_
#define IMPL_COMMON_FAMILIES_LMDEPLOY_SAMPLING_HPP_

#include "arguments/lmdeploy_sampling.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/engine/sampling.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/families/overlap.hpp"
#include "impl/common/families/workspace_size.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::address_of;

inline Status run(diopiContextHandle_t ctx, diopi::SetupTopkRuntimeArgsInpArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.top_ks, &args.top_ps, &args.skip_decode}));
  return run_sampling_arguments(ctx, {args.top_ks, args.top_ps, args.skip_decode, args.top_ks_size > 1,
                                      args.top_ps_size > 1, args.top_k, args.top_p, false});
}

inline Status fill_with(diopiContextHandle_t ctx, const TensorView& out, double value) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_float64;
  scalar.fval = value;
  return fill(ctx, out, scalar);
}

inline Status fill_with(diopiContextHandle_t ctx, const TensorView& out, int64_t value) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_int64;
  scalar.ival = value;
  return fill(ctx, out, scalar);
}

// A share that is not in (0, 1] is replaced.
inline double share_or(float share, double other) {
  return share > 0 && share <= 1 ? static_cast<double>(share) : other;
}

inline Status run(diopiContextHandle_t ctx, diopi::SetupToppRuntimeArgsInpArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.top_ks, &args.top_ps, &args.skip_decode, &args.initial_top_p_buf,
                                     &args.top_p_decay_buf, &args.top_p_min_buf, &args.top_p_reset_ids_buf}));
  const SamplingArguments settled{args.top_ks,          args.top_ps, args.skip_decode, args.top_ks_size > 1,
                                  args.top_ps_size > 1, args.top_k,  args.top_p,       true};
  DIOPI_TRY(run_sampling_arguments(ctx, settled));  // fills and copies take no memory, so only this can fail
  DIOPI_TRY(copy(ctx, args.initial_top_p_buf, args.top_ps));
  DIOPI_TRY(fill_with(ctx, args.top_p_decay_buf, share_or(args.top_p_decay, 1)));
  DIOPI_TRY(fill_with(ctx, args.top_p_min_buf, share_or(args.top_p_min, 0.5)));
  return fill_with(ctx, args.top_p_reset_ids_buf, args.top_p_reset_ids);
}

// The part that both kinds of sampling share; `top_k` is null for top-p sampling.
template <typename Args>
Status sample(diopiContextHandle_t ctx, Args& args, const TensorView* top_k) {
  DIOPI_TRY(diopi::require_writable({&args.output_ids, &args.logits, address_of(args.finished),
                                     address_of(args.sequence_lengths), address_of(args.cum_log_probs),
                                     address_of(args.output_log_probs)}));
  return run_sampling(
      ctx, {args.output_ids, args.logits, args.end_ids, address_of(args.finished), address_of(args.sequence_lengths),
            top_k, args.runtime_top_p, address_of(args.skip_decode), address_of(args.cum_log_probs),
            address_of(args.output_log_probs), args.generators, args.step});
}

inline Status run(diopiContextHandle_t ctx, diopi::TopKSamplingArgs& args) {
  if (stores_sizes({args.workspace_size})) return diopiSuccess;
  return sample(ctx, args, &args.runtime_top_k);
}

inline Status run(diopiContextHandle_t ctx, diopi::TopPSamplingArgs& args) {
  if (stores_sizes({args.persistent_workspace_size, args.workspace_size})) return diopiSuccess;
  return sample(ctx, args, nullptr);
}

inline Status run(diopiContextHandle_t ctx, diopi::BanBadWordsInpArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.logits));
  return ban_words(ctx, {args.output_ids, args.bad_words, args.id_offset, args.batch_size, args.step}, args.logits);
}

inline Status run(diopiContextHandle_t ctx, diopi::StopWordsCriterionArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.finished));
  return stop_at_words(ctx, {args.output_ids, args.stop_words, args.id_offset, args.batch_size, args.step},
                       args.finished);
}

inline Status run(diopiContextHandle_t ctx, diopi::LengthCriterionArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.finished));
  return stop_at_length(ctx, args.finished, args.should_stop, args.finished_sum, args.sequence_limit_length, args.step);
}

inline Status run(diopiContextHandle_t ctx, diopi::BatchApplyRepetitionPenaltyInpArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.logits));
  if (args.penalty_type == 0) return diopiSuccess;
  return penalise_repetition(ctx, {args.logits, args.penalties, args.output_ids, args.input_lengths,
                                   args.max_input_length, args.step, args.penalty_type == 2});
}

inline Status run(diopiContextHandle_t ctx, diopi::BatchApplyTemperaturePenaltyInpArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.logits));
  if (args.bias.has_value()) *args.bias = args.bias->narrow(0, 0, args.vocab_size);  // the rest is not read
  return apply_temperature(ctx, {args.logits, address_of(args.bias), args.temperatures, args.vocab_size});
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/lmdeploy_sampling.hpp"

#endif  // IMPL_COMMON_FAMILIES_LMDEPLOY_SAMPLING_HPP_
