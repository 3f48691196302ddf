// SPDX-License-Identifier: BSD-3-Clause
// Negative log likelihood: one element of each sample's row of classes, and its gradient.
#pragma once

#include "impl/cpu/kernels/nest.hpp"

namespace impl::cpu {

// Samples are numbered in row-major order. Targets are checked with find_bad_class before anything else.
struct NllSamples {
  Nest nest;               // where each sample's class 0 is
  int64_t class_step = 0;  // bytes from one class to the next
  int64_t classes = 0, samples = 0;
  const int64_t* targets = nullptr;  // packed
  const double* weight = nullptr;    // one per class; null: 1 each
  int64_t ignore_index = -100;
};

// The number of the first target that is neither in [0, classes) nor `ignore_index`; -1 if there is none.
int64_t find_bad_class(const int64_t* targets, int64_t samples, int64_t classes, int64_t ignore_index);

struct NllTotal {
  double loss, weight;
};

// Doubles of temporary memory that nll_total needs.
int64_t nll_parts(int64_t samples);
// The sums of all losses and of the targets' weights, in an order that depends on the number of samples alone.
NllTotal nll_total(const NllSamples& s, diopiDtype_t dtype, const char* input, double* parts);
// The sum of the targets' weights alone.
double nll_weight_total(const NllSamples& s, double* parts);

// losses[i] = -weight * input[target], zero if the target is ignored.
void nll_losses(const NllSamples& s, diopiDtype_t dtype, const char* input, double* losses);

// grad[target] = -weight * scale * g, zero elsewhere; `grads` has one g per sample, or one for all.
void nll_gradient(const NllSamples& s, diopiDtype_t dtype, char* grad, const double* grads, bool one_for_all,
                  double scale);

}  // namespace impl::cpu
