// SPDX-License-Identifier: BSD-3-Clause
// The tensors of an optimiser's step, checked and computed in one element-wise pass.
#ifndef IMPL_CPU_FUNCTIONS_OPTIMIZER_STEP_HPP_
#define IMPL_CPU_FUNCTIONS_OPTIMIZER_STEP_HPP_

#include "impl/common/shape.hpp"
#include "impl/cpu/optimizer/optimizer.hpp"

namespace impl::cpu {

// The tensors of a step: param, grad, then the state tensors in the order of the kernel.
class StepTensors {
 public:
  Status add(diopiConstTensorHandle_t handle, const char* name);
  // Calls add() if the step uses the tensor. Otherwise it checks only rank and dtype, and the handle may be null.
  Status add_if(bool used, diopiConstTensorHandle_t handle, const char* name);
  // Checks that run() can use the tensors together.
  Status check() const;
  Status run(diopiContextHandle_t ctx, OptimizerStep step, const void* params) const;

 private:
  static constexpr int kGrad = 1;
  // The dtype of the kernel: the dtype of all tensors, or the compute dtype of their promotion.
  diopiDtype_t dtype() const;
  // Whether all tensors are packed, have one dtype and do not overlap: then the element-wise engine is not needed.
  bool is_packed() const;
  void run_packed(BlockFn fn, const void* params) const;

  TensorView views_[kMaxInputs];
  int count_ = 0;
};

// The parameters of Adam, without weight decay.
AdamParams adam_params(double lr, double beta1, double beta2, double eps, double step);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_OPTIMIZER_STEP_HPP_
