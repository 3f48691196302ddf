// SPDX-License-Identifier: BSD-3-Clause
// Cross entropy of samples that are adjacent in memory, as the positions of images are: vectors hold one class of many
// samples. Logits have any floating point dtype; there is no label smoothing.
#ifndef IMPL_CPU_LOSS_CROSS_ENTROPY_COLUMNS_HPP_
#define IMPL_CPU_LOSS_CROSS_ENTROPY_COLUMNS_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// Some adjacent samples, at most kMaxColumns of them.
struct ClassColumns {
  int64_t classes, width;
  const void* x;          // logit 0 of the first sample
  int64_t x_step;         // bytes from class to class
  const int64_t* target;  // a class or `ignore_index` for each sample
  const double* weight;   // of each class; null: 1
  int64_t ignore_index;
};

// Writes the loss of each sample and the weight of its target; both are 0 for ignored samples.
using LossColumnsFn = void (*)(const ClassColumns& columns, double* loss, double* target_weight);
LossColumnsFn loss_columns_kernel(diopiDtype_t dtype);

// Writes the gradient dx of the sum of the losses times `g`, which is `g_step` numbers from sample to sample.
using LossGradientColumnsFn = void (*)(const ClassColumns& columns, const double* g, int64_t g_step, double scale,
                                       void* dx, int64_t dx_step);
LossGradientColumnsFn loss_gradient_columns_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_CROSS_ENTROPY_COLUMNS_HPP_
