// SPDX-License-Identifier: BSD-3-Clause
// Connectionist temporal classification. impl/<vendor>/functions/loss_ctc.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_LOSS_CTC_HPP_
#define IMPL_COMMON_FAMILIES_LOSS_CTC_HPP_

#include <algorithm>

#include "arguments/loss_ctc.hpp"
#include "impl/common/engine/ctc.hpp"
#include "impl/common/engine/host_numbers.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/workspace.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;

// The lengths of sequences and targets on the host.
struct CtcLengths {
  int64_t *input = nullptr, *target = nullptr, *begin = nullptr;
  int64_t longest = 0;  // of the targets
};

inline Status require_lengths(const TensorView& view, const int64_t* values, int64_t n, int64_t most) {
  for (int64_t i = 0; i < n; ++i) {
    DIOPI_REQUIRE(values[i] >= 0 && values[i] <= most, diopiErrorOccurred, "%s[%lld] = %lld is out of range [0, %lld]",
                  view.name, static_cast<long long>(i), static_cast<long long>(values[i]),
                  static_cast<long long>(most));
  }
  return diopiSuccess;
}

template <typename Args>
Status read_lengths(diopiContextHandle_t ctx, const Args& args, CtcLengths* lengths) {
  const TensorView &log_probs = args.log_probs, &targets = args.targets;
  const int64_t n = log_probs.shape[1];
  diopi::Workspace workspace = diopi::host_workspace(ctx);
  for (int64_t** list : {&lengths->input, &lengths->target, &lengths->begin}) DIOPI_TRY(workspace.take(n, list));
  DIOPI_TRY(read_integers(ctx, args.input_lengths, lengths->input));
  DIOPI_TRY(read_integers(ctx, args.target_lengths, lengths->target));
  DIOPI_TRY(require_lengths(args.input_lengths, lengths->input, n, log_probs.shape[0]));
  const bool joined = targets.ndim() == 1;
  DIOPI_TRY(require_lengths(args.target_lengths, lengths->target, n, targets.shape[joined ? 0 : 1]));
  int64_t total = 0;
  for (int64_t i = 0; i < n; ++i) {
    lengths->begin[i] = total;
    total += lengths->target[i];
    lengths->longest = std::max(lengths->longest, lengths->target[i]);
  }
  DIOPI_REQUIRE(!joined || total == targets.numel, diopiErrorOccurred,
                "targets has %lld elements, but target_lengths add up to %lld", static_cast<long long>(targets.numel),
                static_cast<long long>(total));
  return diopiSuccess;
}

template <typename Args>
CtcSequences sequences_of(const Args& args, const CtcLengths& lengths) {
  return {args.log_probs, args.targets, lengths.input, lengths.target, lengths.begin, args.blank};
}

// Requires [N, T, 2 longest + 1].
inline Status require_alpha_shape(const TensorView& log_alpha, const TensorView& log_probs, int64_t longest) {
  Dims expected;
  expected.push_back(log_probs.shape[1]);
  expected.push_back(log_probs.shape[0]);
  expected.push_back(2 * longest + 1);
  return diopi::require_shape(log_alpha, expected);
}

// Requires [N] if nothing is reduced, otherwise one element.
inline Status require_loss_shape(TensorView* view, diopiReduction_t reduction, int64_t sequences) {
  Dims expected;
  if (reduction == ReductionNone) expected.push_back(sequences);
  return diopi::require_result_shape(view, expected);
}

inline Status run(diopiContextHandle_t ctx, diopi::CTCLossArgs& args) {
  CtcLengths lengths;
  DIOPI_TRY(require_loss_shape(&args.out, args.reduction, args.log_probs.shape[1]));
  DIOPI_TRY(read_lengths(ctx, args, &lengths));
  DIOPI_TRY(require_alpha_shape(args.log_alpha, args.log_probs, lengths.longest));
  DIOPI_TRY(diopi::require_writable({&args.out, &args.neg_log_likelihood, &args.log_alpha}));
  return run_ctc_loss(ctx, args.out, args.neg_log_likelihood, args.log_alpha, sequences_of(args, lengths),
                      args.reduction, args.zero_infinity);
}

inline Status run(diopiContextHandle_t ctx, diopi::CTCLossBackwardArgs& args) {
  CtcLengths lengths;
  DIOPI_TRY(require_loss_shape(&args.grad_output, args.reduction, args.log_probs.shape[1]));
  DIOPI_TRY(read_lengths(ctx, args, &lengths));
  DIOPI_TRY(require_alpha_shape(args.log_alpha, args.log_probs, lengths.longest));
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return run_ctc_loss_backward(ctx, args.grad_input, args.grad_output, args.neg_log_likelihood, args.log_alpha,
                               sequences_of(args, lengths), args.reduction, args.zero_infinity);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/loss_ctc.hpp"

#endif  // IMPL_COMMON_FAMILIES_LOSS_CTC_HPP_
