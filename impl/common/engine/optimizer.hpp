// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for steps of optimisers and for the joint norm of gradients.
#ifndef IMPL_COMMON_ENGINE_OPTIMIZER_HPP_
#define IMPL_COMMON_ENGINE_OPTIMIZER_HPP_

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

// One of several steps.
struct AdamCall {
  StepTensors tensors;
  AdamParams params;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::AdamCall;
using diopi::OptimizerStep;
using diopi::Status;
using diopi::StepTensors;
using diopi::TensorView;
using diopi::ViewList;

// Makes a step in a single pass. All tensors have one shape and floating point dtypes. The step is computed in the
// promoted dtype; float16 and bfloat16 are computed in float32 and rounded once. `params`: see OptimizerStep. The
// function returns an error before it writes if two tensors that it changes share memory, or elements of one do.
Status run_step(diopiContextHandle_t ctx, OptimizerStep step, const StepTensors& tensors, const void* params);

// Makes `count` steps of the kind `step`. An error of any of them is returned before the first one writes.
Status run_adam_steps(diopiContextHandle_t ctx, OptimizerStep step, const AdamCall* calls, int64_t count);

// Reads tensors of one element of a real dtype. A device waits once.
Status read_numbers(diopiContextHandle_t ctx, const ViewList& views, double* values);

// The norm of order p of the norms of the tensors, which may be a list without tensors: for infinity the largest
// magnitude, for minus infinity the smallest, for 0 the number of tensors that are not all zero.
Status norm_of_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double p, double* norm);

// Multiplies floating point tensors, whose elements share no memory, by a number.
Status scale_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double factor);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_OPTIMIZER_HPP_
