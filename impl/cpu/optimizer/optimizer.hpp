// SPDX-License-Identifier: BSD-3-Clause
// One step of an optimiser as block kernels: each kernel reads and writes each element of its tensors once.
#ifndef IMPL_CPU_OPTIMIZER_OPTIMIZER_HPP_
#define IMPL_CPU_OPTIMIZER_OPTIMIZER_HPP_

#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

// Inputs are param, grad and the state tensors in the order given. Outputs are the inputs without grad.
enum class OptimizerStep {
  kSgd,              // SgdParams
  kSgdBuffer,        // SgdParams; buf
  kAdam,             // AdamParams; exp_avg, exp_avg_sq
  kAdamAmsgrad,      // AdamParams; exp_avg, exp_avg_sq, max_exp_avg_sq
  kAdadelta,         // AdadeltaParams; square_avg, acc_delta
  kRmsprop,          // RmspropParams; square_avg
  kRmspropCentered,  // RmspropParams; square_avg, grad_avg
  kRmspropMomentum,  // RmspropParams; square_avg, momentum_buf
  kRmspropBoth,      // RmspropParams; square_avg, grad_avg, momentum_buf
};

struct SgdParams {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
};

struct AdamParams {
  double step_size;           // lr / (1 - beta1^step)
  double root_of_correction;  // sqrt(1 - beta2^step)
  double beta2, one_minus_beta1, one_minus_beta2, eps;
  double weight_decay;  // added to the gradient
  double shrink;        // factor of the parameter before the step: decoupled weight decay
  bool maximize;        // negates the gradient
};

struct AdadeltaParams {
  double lr, rho, eps, weight_decay;
};

struct RmspropParams {
  double lr, alpha, eps, weight_decay, momentum;
};

// The kernel for tensors of a floating dtype. float16 and bfloat16 are computed in float32 and rounded once.
BlockFn optimizer_kernel(OptimizerStep step, diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_OPTIMIZER_OPTIMIZER_HPP_
