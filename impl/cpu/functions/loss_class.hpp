// SPDX-License-Identifier: BSD-3-Clause
// Functions shared by the losses over classes: the class dimension, targets, weights and reductions.
#ifndef IMPL_CPU_FUNCTIONS_LOSS_CLASS_HPP_
#define IMPL_CPU_FUNCTIONS_LOSS_CLASS_HPP_

#include "impl/cpu/functions/norm_common.hpp"

namespace impl::cpu {

// A loss with input [C] or [N, C, d1, ...] and targets [] or [N, d1, ...].
struct ClassLoss {
  TensorView input, target;
  diopiDtype_t compute = diopi_dtype_float32;
  int class_dim = 0;
  int64_t classes = 0, samples = 0;
  double* weight = nullptr;          // one number per class; null if the caller gave none
  const int64_t* targets = nullptr;  // class indices, packed in row-major order; null for probabilities
  diopiReduction_t reduction = ReductionMean;
  int64_t ignore_index = -100;

  // The shape of the input with the class dimension as 1: one element per sample.
  Dims sample_shape() const { return diopi::reduced_shape(input.shape, 1u << class_dim, true); }
  Dims target_shape() const { return diopi::reduced_shape(input.shape, 1u << class_dim, false); }
};

// Reads input, target and weight and checks their shapes. Call read_targets() after all other checks.
Status read_class_loss(diopiContextHandle_t ctx, diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                       diopiConstTensorHandle_t weight, diopiReduction_t reduction, int64_t ignore_index,
                       bool allow_probabilities, ClassLoss* loss);

// Packs targets that are class indices. Checks that each is a class or `ignore_index`.
Status read_targets(diopiContextHandle_t ctx, ClassLoss* loss);

// Whether targets are probabilities of every class instead of class indices.
bool has_probabilities(const ClassLoss& loss);

// Returns a view of one element per sample, with the class dimension inserted as 1.
TensorView per_sample(const TensorView& view, const ClassLoss& loss);

// Checks the shape of a loss, or of its gradient: the shape of the targets, or no dimensions if the loss is reduced.
Status require_loss_shape(TensorView* view, const ClassLoss& loss);

// Writes the losses of the samples (packed doubles), or their sum divided by `divisor`.
Status write_loss(diopiContextHandle_t ctx, const TensorView& out, const ClassLoss& loss, double* sample_losses,
                  double divisor);

// Sums values pairwise. The order depends only on n.
double pairwise_sum(const double* values, int64_t n);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_LOSS_CLASS_HPP_
