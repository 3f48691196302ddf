// SPDX-License-Identifier: BSD-3-Clause
// Row kernels of cross entropy. A row holds the logits of all classes for one sample, in float32 or float64.
#ifndef IMPL_CPU_LOSS_CROSS_ENTROPY_HPP_
#define IMPL_CPU_LOSS_CROSS_ENTROPY_HPP_

#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu {

enum class CrossEntropyOp {
  kIndex,                // x, target (int64, one per row) [, weight] -> loss, target's weight (float64, one per row)
  kIndexBackward,        // x, target, g (one per row) [, weight] -> dx
  kProbability,          // x, target (a row) [, weight] -> loss (float64, one per row)
  kProbabilityBackward,  // x, target, g (one per row) [, weight] -> dx
};

struct CrossEntropyParams {
  bool has_weight = false;
  double label_smoothing = 0;
  double share = 0;  // label_smoothing / the number of classes
  int64_t ignore_index = -100;
  double scale = 1;       // factor of gradients: the inverse of the divisor of a mean
  double weight_sum = 0;  // sum over all classes
};

// Sets the functions of a kernel that reads logits in `dtype`, float32 or float64. The caller has checked that each
// target is a class or `ignore_index`.
void set_cross_entropy(CrossEntropyOp op, diopiDtype_t dtype, RowKernel* kernel);

// Sets the form for several rows of few classes, if the operation has one.
void set_cross_entropy_of_few_classes(CrossEntropyOp op, diopiDtype_t dtype, RowKernel* kernel);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_CROSS_ENTROPY_HPP_
