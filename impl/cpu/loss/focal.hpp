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
// probabilities, target -> loss in the compute dtype, one for each row.
RowFn softmax_focal_kernel(diopiDtype_t dtype);
// probabilities, target -> gradients, slope in the compute dtype, one for each row.
RowFn softmax_focal_backward_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_FOCAL_HPP_
