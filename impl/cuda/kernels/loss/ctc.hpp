// SPDX-License-Identifier: BSD-3-Clause
// Kernels of connectionist temporal classification. A label is surrounded by blanks, so a target of L labels has
// 2 L + 1 states. All numbers are computed in float64 and rounded once.
#ifndef IMPL_CUDA_KERNELS_LOSS_CTC_HPP_
#define IMPL_CUDA_KERNELS_LOSS_CTC_HPP_

#include "impl/common/engine/ctc.hpp"
#include "impl/cuda/kernels/first_bad.hpp"

namespace impl::cuda {

// What kernels know of the sequences, in memory of the device.
struct CtcLabels {
  int64_t* labels;   // [sequences, longest]; the blank behind the end of a target, and for a label that is no class
  int64_t* lengths;  // of the input and of the target of each sequence
  int32_t* next;     // for each label the next equal one of its target, or -1
  uint8_t* repeats;  // for each label whether an equal one stands before it
  int64_t longest;
};

// Reads the labels of all sequences, and reports those that are no class. `longest` is the length of the longest
// target.
Status read_labels(diopiContextHandle_t ctx, const CtcSequences& s, int64_t longest, const FirstBad& bad,
                   CtcLabels* labels);

// Parameters of kernels, of which none has unused bytes: 0 or 1.
struct CtcReduction {
  int64_t per_label;      // divides each loss by the number of labels, of which there is at least one
  int64_t zero_infinity;  // infinite losses are 0
};

// Writes the forward variables and the likelihoods, and `losses`, packed numbers of float64: the rounded likelihoods.
// There is at least one sequence.
Status compute_ctc_losses(diopiContextHandle_t ctx, const CtcSequences& s, const CtcLabels& labels,
                          const CtcReduction& reduction, const TensorView& likelihood, const TensorView& log_alpha,
                          const TensorView& losses);

// grad_input is not empty. The gradient of a sequence is that of `grad_output`, which broadcasts to [N], divided by
// `divisor`.
Status compute_ctc_gradients(diopiContextHandle_t ctx, const CtcSequences& s, const CtcLabels& labels,
                             const CtcReduction& reduction, const TensorView& grad_input, const TensorView& grad_output,
                             const TensorView& likelihood, const TensorView& log_alpha, double divisor);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LOSS_CTC_HPP_
