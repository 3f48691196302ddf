// SPDX-License-Identifier: BSD-3-Clause
// Negative log likelihood: selects one element of each sample's row of classes; and its gradient.
#ifndef IMPL_CPU_LOSS_NLL_HPP_
#define IMPL_CPU_LOSS_NLL_HPP_

#include "impl/common/plan/loop_nest.hpp"

namespace impl::cpu {

// The samples, numbered in row-major order. The caller checks targets with find_bad_class first.
struct NllSamples {
  diopi::LoopNest<1> nest;  // address of each sample's class 0, in bytes
  int64_t class_step = 0;   // bytes from one class to the next
  int64_t classes = 0, samples = 0;
  const int64_t* targets = nullptr;  // packed
  const double* weight = nullptr;    // one per class; null: 1 each
  int64_t ignore_index = -100;
};

// Returns the number of the first target that is neither in [0, classes) nor `ignore_index`; -1 if there is none.
int64_t find_bad_class(const int64_t* targets, int64_t samples, int64_t classes, int64_t ignore_index);

struct NllTotal {
  double loss, weight;
};

// The number of doubles of temporary memory that nll_total needs.
int64_t nll_partials(int64_t samples);
// Returns the sums of all losses and of the targets' weights. The order of summation depends only on the number of
// samples.
NllTotal nll_total(const NllSamples& s, diopiDtype_t dtype, const char* input, double* partials);
// Returns the sum of the targets' weights.
double nll_weight_total(const NllSamples& s, double* partials);

// Sums values pairwise. The order depends only on n.
double pairwise_sum(const double* values, int64_t n);

// losses[i] = -weight * input[target], zero if the target is ignored.
void nll_losses(const NllSamples& s, diopiDtype_t dtype, const char* input, double* losses);

// grad[target] = -weight * scale * g, zero elsewhere. `grads` has one g per sample, or one for all samples.
void nll_gradient(const NllSamples& s, diopiDtype_t dtype, char* grad, const double* grads, bool one_for_all,
                  double scale);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_NLL_HPP_
