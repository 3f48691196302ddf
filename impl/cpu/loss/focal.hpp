// SPDX-License-Identifier: BSD-3-Clause
// Row kernels of focal losses whose targets are classes. Rows are the scores of a sample; targets are int64. params:
// FocalParams.
#ifndef IMPL_CPU_LOSS_FOCAL_HPP_
#define IMPL_CPU_LOSS_FOCAL_HPP_

#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu {

struct FocalParams {
  const double* weight;  // of each class; null: 1
  double gamma, alpha;
};

// logits, target -> losses or gradients, one for each class.
RowFn sigmoid_focal_kernel(diopiDtype_t dtype, bool backward);

// The probabilities of the targets of some samples, with the weights of their classes. `exists` is 0 for a target that
// is no class, and 1 for the others.
struct OwnProbabilities {
  static constexpr int64_t kMost = 256;
  int64_t count = 0;
  double probability[kMost] = {}, weight[kMost] = {}, exists[kMost] = {};
};
// Writes the losses of the samples. `loss` has room for kMost numbers.
void softmax_focal_losses(const FocalParams& params, const OwnProbabilities& own, double* loss);

// probabilities, target -> gradients, slope in the compute dtype, one for each row.
RowFn softmax_focal_backward_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_FOCAL_HPP_
