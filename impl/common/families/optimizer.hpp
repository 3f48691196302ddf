// SPDX-License-Identifier: BSD-3-Clause
// One step of an optimiser, in place, and the clipping of gradients. impl/<vendor>/functions/optimizer.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_OPTIMIZER_HPP_
#define IMPL_COMMON_FAMILIES_OPTIMIZER_HPP_

#include "arguments/optimizer.hpp"
#include "impl/common/engine/optimizer.hpp"
#include "impl/common/families/overlap.hpp"
#include "impl/common/workspace.hpp"

namespace impl::DIOPI_VENDOR {

// Refuses a step if two tensors that it changes share memory, or elements of one do. A gradient that shares memory with
// one of them is replaced by a copy, unless both are the same view.
inline Status keep_apart(diopiContextHandle_t ctx, const StepTensors& tensors, TensorView* grad) {
  bool overlaps = false;
  for (int i = 0; i < tensors.count; ++i) {
    if (i == StepTensors::kGrad) continue;
    DIOPI_TRY(diopi::require_writable(tensors[i]));
    for (int j = 0; j < i; ++j) {
      DIOPI_REQUIRE(j == StepTensors::kGrad || !diopi::may_overlap(tensors[i], tensors[j]), diopiErrorOccurred,
                    "%s shares memory with %s", tensors[i].name, tensors[j].name);
    }
    overlaps = overlaps || (diopi::may_overlap(tensors[i], *grad) && !diopi::is_same_view(tensors[i], *grad));
  }
  return overlaps ? replace_by_copy(ctx, grad) : Status(diopiSuccess);
}

// Makes a step; `grad` is the gradient among the tensors.
inline Status run_apart(diopiContextHandle_t ctx, OptimizerStep step, const StepTensors& tensors, TensorView* grad,
                        const void* params) {
  DIOPI_TRY(keep_apart(ctx, tensors, grad));
  return run_step(ctx, step, tensors, params);
}

inline Status run(diopiContextHandle_t ctx, diopi::SgdArgs& args) {
  StepTensors tensors{&args.param, &args.grad};
  const bool with_buffer = args.momentum != 0 && args.buf;
  if (with_buffer) tensors.add(*args.buf);
  diopi::SgdParams params{args.lr, args.momentum, args.dampening, args.weight_decay, args.nesterov};
  // Without a buffer this is the first step: the gradient replaces the buffer, without dampening.
  if (!with_buffer && args.nesterov) params.lr *= 1 + args.momentum;
  const OptimizerStep step = with_buffer ? OptimizerStep::kSgdBuffer : OptimizerStep::kSgd;
  return run_apart(ctx, step, tensors, &args.grad, &params);
}

inline OptimizerStep adam_step(bool amsgrad) { return amsgrad ? OptimizerStep::kAdamAmsgrad : OptimizerStep::kAdam; }

template <typename Args>
Status adam(diopiContextHandle_t ctx, Args& args, bool decoupled) {
  StepTensors tensors{&args.param, &args.grad, &args.exp_avg, &args.exp_avg_sq};
  if (args.amsgrad) tensors.add(*args.max_exp_avg_sq);
  const diopi::AdamSettings settings{args.lr, args.beta1, args.beta2, args.eps, args.weight_decay, decoupled, false};
  const diopi::AdamParams params = adam_params(settings, static_cast<double>(args.step));
  return run_apart(ctx, adam_step(args.amsgrad), tensors, &args.grad, &params);
}

inline Status run(diopiContextHandle_t ctx, diopi::AdamArgs& args) { return adam(ctx, args, false); }
inline Status run(diopiContextHandle_t ctx, diopi::AdamWArgs& args) { return adam(ctx, args, true); }

inline Status run(diopiContextHandle_t ctx, diopi::AdadeltaArgs& args) {
  const StepTensors tensors{&args.param, &args.grad, &args.square_avg, &args.acc_delta};
  const diopi::AdadeltaParams params{args.lr, args.rho, args.eps, args.weight_decay};
  return run_apart(ctx, OptimizerStep::kAdadelta, tensors, &args.grad, &params);
}

inline Status run(diopiContextHandle_t ctx, diopi::RmspropArgs& args) {
  StepTensors tensors{&args.param, &args.grad, &args.square_avg};
  const bool with_momentum = args.momentum > 0;
  if (args.centered) tensors.add(*args.grad_avg);
  if (with_momentum) tensors.add(*args.momentum_buf);
  const diopi::RmspropParams params{args.lr, args.alpha, args.eps, args.weight_decay, args.momentum};
  OptimizerStep step = with_momentum ? OptimizerStep::kRmspropMomentum : OptimizerStep::kRmsprop;
  if (args.centered) step = with_momentum ? OptimizerStep::kRmspropBoth : OptimizerStep::kRmspropCentered;
  return run_apart(ctx, step, tensors, &args.grad, &params);
}

inline Status run(diopiContextHandle_t ctx, diopi::FusedAdamWArgs& args) {
  StepTensors* tensors = nullptr;
  DIOPI_TRY(diopi::host_workspace(ctx).take(args.nums, &tensors));
  for (int64_t k = 0; k < args.nums; ++k) {
    StepTensors& each = *new (tensors + k) StepTensors;
    for (const ViewList* list : {&args.params, &args.grads, &args.exp_avgs, &args.exp_avg_sqs}) each.add((*list)[k]);
    if (args.amsgrad) each.add((*args.max_exp_avg_sqs)[k]);
    DIOPI_TRY(keep_apart(ctx, each, &args.grads[k]));
  }
  const diopi::AdamSettings settings{args.lr, args.beta1, args.beta2, args.eps, args.weight_decay, true, args.maximize};
  return run_adam_steps(ctx, {adam_step(args.amsgrad), tensors, args.state_steps, settings});
}

inline Status run(diopiContextHandle_t ctx, diopi::ClipGradNormArgs& args) {
  for (const TensorView& grad : args.grads) DIOPI_TRY(diopi::require_writable(grad));
  double norm = 0;
  DIOPI_TRY(norm_of_tensors(ctx, args.grads, args.norm_type, &norm));
  DIOPI_REQUIRE(!args.error_if_nonfinite || std::isfinite(norm), diopiErrorOccurred,
                "the norm of grads is %g, and error_if_nonfinite is set", norm);
  const double wanted = args.max_norm / (norm + 1e-6), factor = wanted > 1 ? 1 : wanted;
  if (factor != 1) DIOPI_TRY(scale_tensors(ctx, args.grads, factor));
  *args.out = norm;
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/optimizer.hpp"

#endif  // IMPL_COMMON_FAMILIES_OPTIMIZER_HPP_
