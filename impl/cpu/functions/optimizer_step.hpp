// SPDX-License-Identifier: BSD-3-Clause
// What the optimisers' functions share: the tensors of a step, checked and run as one element-wise pass.
#pragma once

#include "impl/common/shape.hpp"
#include "impl/cpu/kernels/optimizer.hpp"

namespace impl::cpu {

// The tensors of a step: param, grad, then the state in the order of the kernel.
class StepTensors {
 public:
  Status add(diopiConstTensorHandle_t handle, const char* name);
  // add() if the step uses the tensor; otherwise checks only its rank and dtype, and it may be null.
  Status add_if(bool used, diopiConstTensorHandle_t handle, const char* name);
  // What run() demands of the tensors together.
  Status check() const;
  Status run(diopiContextHandle_t ctx, OptimizerStep step, const void* params) const;

 private:
  static constexpr int kGrad = 1;
  // The dtype of the kernel: that of all tensors, or the compute dtype of what they promote to.
  diopiDtype_t dtype() const;
  // Whether all tensors are packed, of one dtype, and apart from each other: then no engine is needed.
  bool is_packed() const;
  void run_packed(BlockFn fn, const void* params) const;

  TensorView views_[kMaxInputs];
  int count_ = 0;
};

// Without weight decay and with no shrinking.
AdamParams adam_params(double lr, double beta1, double beta2, double eps, double step);

}  // namespace impl::cpu
