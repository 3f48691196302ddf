// SPDX-License-Identifier: BSD-3-Clause
// One step of an optimiser, in place, in a single pass over the parameter and its state.
#include <diopi/functions.h>

#include "impl/cpu/functions/optimizer_step.hpp"

namespace impl::cpu {

namespace {

struct AdamSettings {
  double lr, beta1, beta2, eps, weight_decay;
  int64_t step;
  bool decoupled;
};

Status adam_step(diopiContextHandle_t ctx, const StepTensors& tensors, const AdamSettings& a, bool amsgrad) {
  DIOPI_REQUIRE(a.step >= 1, diopiErrorOccurred, "step = %lld, but steps are counted from 1",
                static_cast<long long>(a.step));
  AdamParams params = adam_params(a.lr, a.beta1, a.beta2, a.eps, static_cast<double>(a.step));
  if (a.decoupled) {
    params.shrink = 1 - a.lr * a.weight_decay;
  } else {
    params.weight_decay = a.weight_decay;
  }
  return tensors.run(ctx, amsgrad ? OptimizerStep::kAdamAmsgrad : OptimizerStep::kAdam, &params);
}

Status adam(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiConstTensorHandle_t grad,
            diopiTensorHandle_t exp_avg, diopiTensorHandle_t exp_avg_sq, diopiTensorHandle_t max_exp_avg_sq,
            const AdamSettings& a, bool amsgrad) {
  StepTensors tensors;
  DIOPI_TRY(tensors.add(param, "param"));
  DIOPI_TRY(tensors.add(grad, "grad"));
  DIOPI_TRY(tensors.add(exp_avg, "exp_avg"));
  DIOPI_TRY(tensors.add(exp_avg_sq, "exp_avg_sq"));
  DIOPI_TRY(tensors.add_if(amsgrad, max_exp_avg_sq, "max_exp_avg_sq"));
  return adam_step(ctx, tensors, a, amsgrad);
}

}  // namespace

diopiError_t diopiSgd(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiTensorHandle_t grad,
                      diopiTensorHandle_t buf, double lr, double momentum, double dampening, double weight_decay,
                      bool nesterov) {
  StepTensors tensors;
  DIOPI_TRY(tensors.add(param, "param"));
  DIOPI_TRY(tensors.add(grad, "grad"));
  const bool with_buffer = momentum != 0 && buf != nullptr;
  DIOPI_TRY(tensors.add_if(with_buffer, buf, "buf"));
  SgdParams params{lr, momentum, dampening, weight_decay, nesterov};
  // Without a buffer this is the first step: the gradient replaces the buffer, without dampening.
  if (!with_buffer && nesterov) params.lr *= 1 + momentum;
  return tensors.run(ctx, with_buffer ? OptimizerStep::kSgdBuffer : OptimizerStep::kSgd, &params);
}

diopiError_t diopiAdam(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiConstTensorHandle_t grad,
                       diopiTensorHandle_t exp_avg, diopiTensorHandle_t exp_avg_sq, diopiTensorHandle_t max_exp_avg_sq,
                       float lr, float beta1, float beta2, float eps, float weight_decay, int64_t step, bool amsgrad) {
  const AdamSettings a{lr, beta1, beta2, eps, weight_decay, step, false};
  return adam(ctx, param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, a, amsgrad);
}

diopiError_t diopiAdamW(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiConstTensorHandle_t grad,
                        diopiTensorHandle_t exp_avg, diopiTensorHandle_t exp_avg_sq, diopiTensorHandle_t max_exp_avg_sq,
                        float lr, float beta1, float beta2, float eps, float weight_decay, int64_t step, bool amsgrad) {
  const AdamSettings a{lr, beta1, beta2, eps, weight_decay, step, true};
  return adam(ctx, param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, a, amsgrad);
}

diopiError_t diopiAdadelta(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiConstTensorHandle_t grad,
                           diopiTensorHandle_t square_avg, diopiTensorHandle_t acc_delta, float lr, float rho,
                           float eps, float weight_decay) {
  StepTensors tensors;
  DIOPI_TRY(tensors.add(param, "param"));
  DIOPI_TRY(tensors.add(grad, "grad"));
  DIOPI_TRY(tensors.add(square_avg, "square_avg"));
  DIOPI_TRY(tensors.add(acc_delta, "acc_delta"));
  const AdadeltaParams params{lr, rho, eps, weight_decay};
  return tensors.run(ctx, OptimizerStep::kAdadelta, &params);
}

diopiError_t diopiRmsprop(diopiContextHandle_t ctx, diopiTensorHandle_t param, diopiConstTensorHandle_t grad,
                          diopiTensorHandle_t square_avg, diopiTensorHandle_t grad_avg,
                          diopiTensorHandle_t momentum_buf, float lr, float alpha, float eps, float weight_decay,
                          float momentum, bool centered) {
  StepTensors tensors;
  DIOPI_TRY(tensors.add(param, "param"));
  DIOPI_TRY(tensors.add(grad, "grad"));
  DIOPI_TRY(tensors.add(square_avg, "square_avg"));
  DIOPI_TRY(tensors.add_if(centered, grad_avg, "grad_avg"));
  const bool with_momentum = momentum > 0;
  DIOPI_TRY(tensors.add_if(with_momentum, momentum_buf, "momentum_buf"));
  const RmspropParams params{lr, alpha, eps, weight_decay, momentum};
  if (centered) {
    return tensors.run(ctx, with_momentum ? OptimizerStep::kRmspropBoth : OptimizerStep::kRmspropCentered, &params);
  }
  return tensors.run(ctx, with_momentum ? OptimizerStep::kRmspropMomentum : OptimizerStep::kRmsprop, &params);
}

}  // namespace impl::cpu
