// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for losses of classes: negative log likelihood, cross entropy, and their gradients.
#ifndef IMPL_COMMON_ENGINE_LOSS_NLL_HPP_
#define IMPL_COMMON_ENGINE_LOSS_NLL_HPP_

#include "impl/common/dtype.hpp"
#include "impl/common/shape.hpp"

namespace diopi {

// The operands of a loss of classes. `input` has shape [C] or [N, C, d1, ...]; `target` has one integer for each
// sample, of shape [] or [N, d1, ...], or, for cross entropy, probabilities of the shape of `input`.
struct ClassLoss {
  const TensorView& input;
  const TensorView& target;
  const TensorView* weight = nullptr;  // one number for each class; null: 1 each
  int class_dim = 0;
  int64_t classes = 0, samples = 0;
  diopiReduction_t reduction = ReductionMean;
  int64_t ignore_index = -100;
  double label_smoothing = 0;

  bool has_probabilities() const { return is_floating(target.dtype); }
  // The shape of the losses before a reduction.
  Dims target_shape() const { return reduced_shape(input.shape, 1u << class_dim, false); }
  // The shape of the input with the class dimension as 1.
  Dims sample_shape() const { return reduced_shape(input.shape, 1u << class_dim, true); }
  // A view of one element for each sample, with the class dimension inserted as 1.
  TensorView per_sample(const TensorView& view) const { return view.unsqueeze(class_dim); }
};

// The error for a target that is neither a class nor `ignore_index`.
inline Status refuse_class(const ClassLoss& loss, int64_t target) {
  return fail(diopiErrorOccurred, "target contains class %lld, expected a class in [0, %lld) or ignore_index = %lld",
              static_cast<long long>(target), static_cast<long long>(loss.classes),
              static_cast<long long>(loss.ignore_index));
}

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::ClassLoss;
using diopi::Status;
using diopi::TensorView;

// All functions: a target that is an integer must be a class or `ignore_index`. The vendor makes this check and returns
// refuse_class() before it writes, or reports at synchronisation; it never reads out of bounds. `out` and `grad_output`
// have the shape of the losses if the reduction is ReductionNone, otherwise one element. Sums over samples are
// pairwise, in float64.

// Writes losses, or their sum, or the quotient of it and the sum of the targets' weights. Samples whose target is
// `ignore_index` count as zero. `total_weight` may be null; it has one element and gets the sum of the weights, or 0 if
// nothing is reduced.
Status run_nll(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& out, const TensorView* total_weight);

// Writes the gradient of all elements of the input. `total_weight`: the divisor of a mean; null: to be computed.
Status run_nll_backward(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& grad_input,
                        const TensorView& grad_output, const TensorView* total_weight);

// Log-softmax of the input, then run_nll with a part `label_smoothing` of each target divided among all classes. With
// probabilities, a mean divides by the number of samples, or is NaN if there are no classes.
Status run_cross_entropy(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& out);

Status run_cross_entropy_backward(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& grad_input,
                                  const TensorView& grad_output);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_LOSS_NLL_HPP_
