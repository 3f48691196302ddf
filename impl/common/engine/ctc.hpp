// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for connectionist temporal classification.
#ifndef IMPL_COMMON_ENGINE_CTC_HPP_
#define IMPL_COMMON_ENGINE_CTC_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// N sequences. Families have checked shapes, dtypes and lengths; the vendor checks the labels, as rules/indices.hpp
// says.
struct CtcSequences {
  const TensorView& log_probs;    // [T, N, C], float32 or float64
  const TensorView& targets;      // [N, S], or one dimension
  const int64_t* input_lengths;   // on the host
  const int64_t* target_lengths;  // on the host
  const int64_t* target_begins;   // the position of the first label of each sequence in targets of one dimension
  int64_t blank;
  int64_t sequences() const { return log_probs.shape[1]; }
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::CtcSequences;
using diopi::Status;
using diopi::TensorView;

// out, the likelihoods [N] and log_alpha [N, T, states], with the formulas of the registry; all have one dtype.
Status run_ctc_loss(diopiContextHandle_t ctx, const TensorView& out, const TensorView& likelihood,
                    const TensorView& log_alpha, const CtcSequences& s, diopiReduction_t reduction, bool zero_infinity);
Status run_ctc_loss_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                             const TensorView& likelihood, const TensorView& log_alpha, const CtcSequences& s,
                             diopiReduction_t reduction, bool zero_infinity);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_CTC_HPP_
