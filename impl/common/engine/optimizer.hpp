// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for steps of optimisers and for the joint norm of gradients.
#ifndef IMPL_COMMON_ENGINE_OPTIMIZER_HPP_
#define IMPL_COMMON_ENGINE_OPTIMIZER_HPP_

#include <cmath>

#include "impl/common/tensor_view.hpp"
#include "impl/common/view_list.hpp"

namespace diopi {

// Tensors are param, grad and the state tensors in the order given. A step changes all of them but grad.
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

struct StepTensors {
  static constexpr int kMost = 5, kGrad = 1;
  const TensorView* views[kMost];
  int count = 0;

  StepTensors() = default;
  StepTensors(std::initializer_list<const TensorView*> tensors) {
    for (const TensorView* tensor : tensors) add(*tensor);
  }
  void add(const TensorView& view) { views[count++] = &view; }
  const TensorView& operator[](int i) const { return *views[i]; }
};

// What the steps of Adam for several parameters have in common.
struct AdamSettings {
  double lr, beta1, beta2, eps, weight_decay;
  bool decoupled;  // weight decay shrinks the parameter, instead of adding to the gradient
  bool maximize;
};

// The parameters of the step with this number.
inline AdamParams adam_params(const AdamSettings& s, double number) {
  AdamParams params{};
  params.step_size = s.lr / (1 - std::pow(s.beta1, number));
  params.root_of_correction = std::sqrt(1 - std::pow(s.beta2, number));
  params.beta2 = s.beta2;
  params.one_minus_beta1 = 1 - s.beta1;
  params.one_minus_beta2 = 1 - s.beta2;
  params.eps = s.eps;
  params.weight_decay = s.decoupled ? 0 : s.weight_decay;
  params.shrink = s.decoupled ? 1 - s.lr * s.weight_decay : 1;
  params.maximize = s.maximize;
  return params;
}

// Steps of Adam for a list of parameters.
struct AdamSteps {
  OptimizerStep step;          // kAdam or kAdamAmsgrad
  const StepTensors* tensors;  // of each parameter
  const ViewList& numbers;     // of the step of each parameter: tensors of one element of a real dtype
  AdamSettings settings;
};

// Whether steps have this number. Kernels call it, too.
constexpr bool is_step(double number) { return number >= 1; }

// The error for a number of a step.
inline Status refuse_step(double number) {
  return fail(diopiErrorOccurred, "state_steps has %g, but steps are counted from 1", number);
}

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::AdamSettings;
using diopi::AdamSteps;
using diopi::OptimizerStep;
using diopi::Status;
using diopi::StepTensors;
using diopi::TensorView;
using diopi::ViewList;

// Makes a step in a single pass. All tensors have one shape and floating point dtypes. The step is computed in the
// promoted dtype; float16 and bfloat16 are computed in float32 and rounded once. `params`: see OptimizerStep. No tensor
// that the step changes shares memory with another one, except that the gradient may be the same view.
Status run_step(diopiContextHandle_t ctx, OptimizerStep step, const StepTensors& tensors, const void* params);

// Makes a step as run_step() for each parameter. A vendor returns refuse_step() for the first number that is not
// is_step() before it writes, or reports it at synchronisation; then parameters with such numbers are left as they are.
Status run_adam_steps(diopiContextHandle_t ctx, const AdamSteps& steps);

// The norm of order p of the norms of the tensors, which may be a list without tensors: for infinity the largest
// magnitude, for minus infinity the smallest, for 0 the number of tensors that are not all zero.
Status norm_of_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double p, double* norm);

// Multiplies floating point tensors, whose elements share no memory, by a number.
Status scale_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double factor);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_OPTIMIZER_HPP_
