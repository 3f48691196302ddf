// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/loss_ctc.hpp"

#include "impl/common/engine/copy.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/index_refusal.hpp"
#include "impl/cuda/kernels/loss/ctc.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

namespace {

// Reads the labels. A label that is no class is an error, which is deferred.
Status checked_labels(diopiContextHandle_t ctx, const CtcSequences& s, const TensorView& log_alpha, CtcLabels* labels) {
  DeferredCheck check;
  DIOPI_TRY(check.begin(ctx, Refusal(IndexRefusal(s.targets, s.log_probs, 2, false))));
  DIOPI_TRY(read_labels(ctx, s, log_alpha.shape[2] / 2, check.bad(), labels));
  return check.end();
}

CtcReduction reduction_of(diopiReduction_t reduction, bool zero_infinity) {
  return {reduction == ReductionMean ? 1 : 0, zero_infinity ? 1 : 0};
}

}  // namespace

Status run_ctc_loss(diopiContextHandle_t ctx, const TensorView& out, const TensorView& likelihood,
                    const TensorView& log_alpha, const CtcSequences& s, diopiReduction_t reduction,
                    bool zero_infinity) {
  CtcLabels labels;
  FoldCall fold;
  TensorView losses;
  fold.shape.push_back(s.sequences());
  DIOPI_TRY(diopi::make_temporary(ctx, fold.shape, diopi_dtype_float64, "losses", &losses));
  if (s.sequences() > 0) {
    DIOPI_TRY(checked_labels(ctx, s, log_alpha, &labels));
    DIOPI_TRY(
        compute_ctc_losses(ctx, s, labels, reduction_of(reduction, zero_infinity), likelihood, log_alpha, losses));
  }
  if (reduction == ReductionNone) return copy_apart(ctx, out, losses);
  fold.mask = 1;
  fold.in[0] = losses;
  fold.out[0] = out;
  const diopi::ReduceOp op = reduction == ReductionMean ? diopi::ReduceOp::kMean : diopi::ReduceOp::kSum;
  return fold_sum(ctx, op, diopi_dtype_float64, fold);
}

Status run_ctc_loss_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                             const TensorView& likelihood, const TensorView& log_alpha, const CtcSequences& s,
                             diopiReduction_t reduction, bool zero_infinity) {
  CtcLabels labels;
  DIOPI_TRY(checked_labels(ctx, s, log_alpha, &labels));
  if (grad_input.numel == 0) return diopiSuccess;
  const double divisor = reduction == ReductionMean ? static_cast<double>(s.sequences()) : 1;
  return compute_ctc_gradients(ctx, s, labels, reduction_of(reduction, zero_infinity), grad_input, grad_output,
                               likelihood, log_alpha, divisor);
}

}  // namespace impl::cuda
