// SPDX-License-Identifier: BSD-3-Clause
// What the losses of classes share: packed targets and weights, and the reduction of the samples' losses.
#ifndef IMPL_CPU_ENGINE_CLASS_LOSS_CLASS_LOSS_HPP_
#define IMPL_CPU_ENGINE_CLASS_LOSS_CLASS_LOSS_HPP_

#include "impl/common/engine/loss_nll.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/loss/nll.hpp"

namespace impl::cpu {

// The operands of a loss as its kernels read them.
struct PackedClasses {
  const int64_t* targets = nullptr;  // in row-major order; null for probabilities
  const double* weight = nullptr;    // one number for each class; null if the caller gave none
};

// Reads weights, packs targets, and checks that each target is a class or `ignore_index`.
Status pack_classes(diopiContextHandle_t ctx, const ClassLoss& loss, PackedClasses* packed);

// The samples without their elements.
NllSamples samples_of(const ClassLoss& loss, const PackedClasses& packed);

// Memory for nll_partials doubles, on the stack if it is large enough.
class Partials {
 public:
  Status reserve(diopiContextHandle_t ctx, int64_t samples) {
    const int64_t count = nll_partials(samples);
    if (count <= kOnStack) return diopiSuccess;
    return diopi::Workspace(ctx).take(count, &data_);
  }
  double* data() { return data_; }

 private:
  static constexpr int64_t kOnStack = 64;
  double stack_[kOnStack];
  double* data_ = stack_;
};

// Writes the losses of the samples (packed doubles), or their sum divided by `divisor`.
Status write_loss(diopiContextHandle_t ctx, const TensorView& out, const ClassLoss& loss, double* sample_losses,
                  double divisor);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_CLASS_LOSS_CLASS_LOSS_HPP_
