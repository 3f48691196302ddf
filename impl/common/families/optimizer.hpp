// SPDX-License-Identifier: BSD-3-Clause
// One step of an optimiser, in place, and the clipping of gradients. impl/<vendor>/functions/optimizer.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_OPTIMIZER_HPP_
#define IMPL_COMMON_FAMILIES_OPTIMIZER_HPP_

#include "arguments/optimizer.hpp"
#include "impl/common/engine/optimizer.hpp"
#include "impl/common/workspace.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::SgdArgs& args) {
  StepTensors tensors{&args.param, &args.grad};
  const bool with_buffer = args.momentum != 0 && args.buf;
  if (with_buffer) tensors.add(*args.buf);
  diopi::SgdParams params{args.lr, args.momentum, args.dampening, args.weight_decay, args.nesterov};
  // Without a buffer this is the first step: the gradient replaces the buffer, without dampening.
  if (!with_buffer && args.nesterov) params.lr *= 1 + args.momentum;
  return run_step(ctx, with_buffer ? OptimizerStep::kSgdBuffer : OptimizerStep::kSgd, tensors, &params);
}

inline OptimizerStep adam_step(bool amsgrad) { return amsgrad ? OptimizerStep::kAdamAmsgrad : OptimizerStep::kAdam; }

// The parameters of Adam, without weight decay.
inline diopi::AdamParams adam_params(double lr, double beta1, double beta2, double eps, double step) {
  diopi::AdamParams params{};
  params.step_size = lr / (1 - std::pow(beta1, step));
  params.root_of_correction = std::sqrt(1 - std::pow(beta2, step));
  params.beta2 = beta2;
  params.one_minus_beta1 = 1 - beta1;
  params.one_minus_beta2 = 1 - beta2;
  params.eps = eps;
  params.shrink = 1;
  return params;
}

template <typename Args>
Status adam(diopiContextHandle_t ctx, const Args& args, bool decoupled) {
  StepTensors tensors{&args.param, &args.grad, &args.exp_avg, &args.exp_avg_sq};
  if (args.amsgrad) tensors.add(*args.max_exp_avg_sq);
  const double lr = args.lr, weight_decay = args.weight_decay;
  diopi::AdamParams params = adam_params(lr, args.beta1, args.beta2, args.eps, static_cast<double>(args.step));
  if (decoupled) {
    params.shrink = 1 - lr * weight_decay;
  } else {
    params.weight_decay = weight_decay;
  }
  return run_step(ctx, adam_step(args.amsgrad), tensors, &params);
}

inline Status run(diopiContextHandle_t ctx, diopi::AdamArgs& args) { return adam(ctx, args, false); }
inline Status run(diopiContextHandle_t ctx, diopi::AdamWArgs& args) { return adam(ctx, args, true); }

inline Status run(diopiContextHandle_t ctx, diopi::AdadeltaArgs& args) {
  const StepTensors tensors{&args.param, &args.grad, &args.square_avg, &args.acc_delta};
  const diopi::AdadeltaParams params{args.lr, args.rho, args.eps, args.weight_decay};
  return run_step(ctx, OptimizerStep::kAdadelta, tensors, &params);
}

inline Status run(diopiContextHandle_t ctx, diopi::RmspropArgs& args) {
  StepTensors tensors{&args.param, &args.grad, &args.square_avg};
  const bool with_momentum = args.momentum > 0;
  if (args.centered) tensors.add(*args.grad_avg);
  if (with_momentum) tensors.add(*args.momentum_buf);
  const diopi::RmspropParams params{args.lr, args.alpha, args.eps, args.weight_decay, args.momentum};
  if (args.centered) {
    const OptimizerStep step = with_momentum ? OptimizerStep::kRmspropBoth : OptimizerStep::kRmspropCentered;
    return run_step(ctx, step, tensors, &params);
  }
  return run_step(ctx, with_momentum ? OptimizerStep::kRmspropMomentum : OptimizerStep::kRmsprop, tensors, &params);
}

inline Status run(diopiContextHandle_t ctx, diopi::FusedAdamWArgs& args) {
  AdamCall* calls = nullptr;
  double *steps = nullptr, last_step = 0;
  DIOPI_TRY(diopi::host_workspace(ctx).take(args.nums, &calls));
  DIOPI_TRY(diopi::host_workspace(ctx).take(args.nums, &steps));
  DIOPI_TRY(read_numbers(ctx, args.state_steps, steps));
  for (int64_t i = 0; i < args.nums; ++i) {
    AdamCall& call = *new (calls + i) AdamCall;
    for (const ViewList* list : {&args.params, &args.grads, &args.exp_avgs, &args.exp_avg_sqs}) {
      call.tensors.add((*list)[i]);
    }
    if (args.amsgrad) call.tensors.add((*args.max_exp_avg_sqs)[i]);
    const double step = steps[i];
    DIOPI_REQUIRE(step >= 1, diopiErrorOccurred, "state_steps has %g, but steps are counted from 1", step);
    // Parameters usually have the same step: powers of it take longer than a step of a small parameter.
    const bool same = i > 0 && step == last_step;
    call.params = same ? calls[i - 1].params : adam_params(args.lr, args.beta1, args.beta2, args.eps, step);
    last_step = step;
    call.params.shrink = 1 - args.lr * args.weight_decay;
    call.params.maximize = args.maximize;
  }
  return run_adam_steps(ctx, adam_step(args.amsgrad), calls, args.nums);
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
