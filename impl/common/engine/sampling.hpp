// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for the sampling of ids from logits, penalties and stop criteria. B is the number of
// sequences; tensors of the shape [B] have an element for each. Families have checked shapes and dtypes; the vendor
// checks elements, before it writes.
#ifndef IMPL_COMMON_ENGINE_SAMPLING_HPP_
#define IMPL_COMMON_ENGINE_SAMPLING_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// k and p of each sequence: elements of top_ks and top_ps, or numbers for all sequences. The results are written to
// these tensors. `for_top_p`: those of diopiSetupToppRuntimeArgsInp, otherwise of diopiSetupTopkRuntimeArgsInp.
struct SamplingArguments {
  const TensorView &top_ks, &top_ps, &skip_decode;
  bool reads_ks, reads_ps;
  int64_t top_k;
  float top_p;
  bool for_top_p;
};

// Draws an id for each sequence; the registry has the formula. Elements that need a check: 0 <= end_ids < vocabulary, 0
// <= top_k, 0 <= top_p <= 1, and, if `finished` and sequence_lengths are given, 0 <= sequence_lengths < the greatest
// number of its dtype. Null: no top-k (all ids), and tensors that the caller did not give.
struct SamplingProblem {
  const TensorView &output_ids, &logits, &end_ids;
  const TensorView *finished, *sequence_lengths;
  const TensorView* top_k;
  const TensorView& top_p;
  const TensorView *skip_decode, *cum_log_probs, *output_log_probs;
  diopiGeneratorHandle_t* generators;
  int64_t step;
};

// The words of each sequence, [B, 2, W], or of all sequences, [2, W]. The vendor checks that no end exceeds W.
struct WordsProblem {
  const TensorView &output_ids, &words;
  int64_t id_offset, batch, step;
};

// The vendor checks that no element of input_lengths is negative.
struct RepetitionProblem {
  const TensorView &logits, &penalties, &output_ids, &input_lengths;
  int64_t max_input_length, step;
  bool divides;  // penalty type 2, otherwise 1
};

struct TemperatureProblem {
  const TensorView& logits;
  const TensorView* bias;  // null: 0
  const TensorView& temperatures;
  int64_t vocab_size;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::RepetitionProblem;
using diopi::SamplingArguments;
using diopi::SamplingProblem;
using diopi::Status;
using diopi::TemperatureProblem;
using diopi::TensorView;
using diopi::WordsProblem;

Status run_sampling_arguments(diopiContextHandle_t ctx, const SamplingArguments& p);
Status run_sampling(diopiContextHandle_t ctx, const SamplingProblem& p);
Status ban_words(diopiContextHandle_t ctx, const WordsProblem& p, const TensorView& logits);
Status stop_at_words(diopiContextHandle_t ctx, const WordsProblem& p, const TensorView& finished);
// finished = finished or step >= limits; count = the number of finished sequences; all = whether that is all of them.
// The vendor checks that no limit is negative.
Status stop_at_length(diopiContextHandle_t ctx, const TensorView& finished, const TensorView& all,
                      const TensorView& count, const TensorView& limits, int64_t step);
Status penalise_repetition(diopiContextHandle_t ctx, const RepetitionProblem& p);
Status apply_temperature(diopiContextHandle_t ctx, const TemperatureProblem& p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_SAMPLING_HPP_
