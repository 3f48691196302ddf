// SPDX-License-Identifier: BSD-3-Clause
// Operators on lists of parameters or gradients.
#include <diopi/functions.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/view_list.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/functions/optimizer_step.hpp"
#include "impl/cpu/norm/clip_grad.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// The update of one parameter of a list.
struct AdamStep {
  StepTensors tensors;
  AdamParams params;
  diopi::StepMemory memory;
};

// Reads the number of the step from a tensor of one element.
Status read_step(diopiConstTensorHandle_t handle, double* step) {
  TensorView view;
  DIOPI_REQUIRE(handle != nullptr, diopiErrorOccurred, "state_steps is null");
  DIOPI_TRY(read_tensor(handle, "state_steps", &view));
  DIOPI_REQUIRE(view.numel == 1, diopiErrorOccurred, "state_steps has shape %s, expected one element",
                diopi::Text(view.shape).c_str());
  DIOPI_REQUIRE(diopi::is_floating(view.dtype) || diopi::is_integral(view.dtype), diopiDtypeNotSupported,
                "state_steps has dtype %s, expected a real one", diopi::dtype_name(view.dtype));
  gather_range(view, 0, 1, diopi_dtype_float64, step);
  DIOPI_REQUIRE(*step >= 1, diopiErrorOccurred, "state_steps has %g, but steps are counted from 1", *step);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiFusedAdamW(diopiContextHandle_t ctx, diopiTensorHandle_t* params, diopiConstTensorHandle_t* grads,
                             diopiTensorHandle_t* exp_avgs, diopiTensorHandle_t* exp_avg_sqs,
                             diopiTensorHandle_t* max_exp_avg_sqs, diopiConstTensorHandle_t* state_steps, int64_t nums,
                             double lr, double beta1, double beta2, double eps, double weight_decay, bool amsgrad,
                             bool maximize) {
  DIOPI_REQUIRE(nums >= 0, diopiErrorOccurred, "nums = %lld is negative", static_cast<long long>(nums));
  DIOPI_REQUIRE(!amsgrad || max_exp_avg_sqs != nullptr || nums == 0, diopiErrorOccurred,
                "max_exp_avg_sqs is null, but amsgrad is set");
  // All tensors are read and checked, and all memory is allocated, before the first parameter is changed.
  AdamStep* steps = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(nums, &steps));
  for (int64_t i = 0; i < nums; ++i) {
    AdamStep& s = *new (steps + i) AdamStep;
    DIOPI_TRY(s.tensors.add(params[i], "params"));
    DIOPI_TRY(s.tensors.add(grads[i], "grads"));
    DIOPI_TRY(s.tensors.add(exp_avgs[i], "exp_avgs"));
    DIOPI_TRY(s.tensors.add(exp_avg_sqs[i], "exp_avg_sqs"));
    if (max_exp_avg_sqs != nullptr) DIOPI_TRY(s.tensors.add_if(amsgrad, max_exp_avg_sqs[i], "max_exp_avg_sqs"));
    double step = 0;
    DIOPI_TRY(read_step(state_steps[i], &step));
    s.params = adam_params(lr, beta1, beta2, eps, step);
    s.params.shrink = 1 - lr * weight_decay;
    s.params.maximize = maximize;
    DIOPI_TRY(s.tensors.check());
  }
  const OptimizerStep kind = amsgrad ? OptimizerStep::kAdamAmsgrad : OptimizerStep::kAdam;
  for (int64_t i = 0; i < nums; ++i) {
    DIOPI_TRY(steps[i].memory.reserve([&] { return steps[i].tensors.run(ctx, kind, &steps[i].params); }));
  }
  for (int64_t i = 0; i < nums; ++i) {
    DIOPI_TRY(steps[i].memory.run([&] { return steps[i].tensors.run(ctx, kind, &steps[i].params); }));
  }
  return diopiSuccess;
}

diopiError_t diopiClipGradNorm(diopiContextHandle_t ctx, double* out, diopiTensorHandle_t* grads, int64_t num_grads,
                               double max_norm, double norm_type, bool error_if_nonfinite) {
  DIOPI_REQUIRE(num_grads >= 0, diopiErrorOccurred, "num_grads = %lld is negative", static_cast<long long>(num_grads));
  DIOPI_REQUIRE(norm_type == norm_type, diopiErrorOccurred, "norm_type is NaN");
  int64_t longest = 0;
  diopi::ViewList views;
  DIOPI_TRY(views.reserve(ctx, num_grads));
  for (int64_t i = 0; i < num_grads; ++i) {
    TensorView& grad = views[i];
    DIOPI_REQUIRE(grads[i] != nullptr, diopiErrorOccurred, "grads[%lld] is null", static_cast<long long>(i));
    DIOPI_TRY(read_tensor(grads[i], "grads", &grad));
    DIOPI_REQUIRE(diopi::is_floating(grad.dtype), diopiDtypeNotSupported, "grads has dtype %s, expected a floating one",
                  diopi::dtype_name(grad.dtype));
    DIOPI_TRY(diopi::require_writable(grad));
    longest = std::max(longest, grad.numel);
  }
  double* partial = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(norm_chunks(longest), &partial));
  GradientNorm norm(norm_type);
  for (int64_t i = 0; i < num_grads; ++i) {
    norm.add(views[i], partial);
  }
  const double total = norm.value();
  DIOPI_REQUIRE(!error_if_nonfinite || std::isfinite(total), diopiErrorOccurred,
                "the norm of grads is %g, and error_if_nonfinite is set", total);
  const double wanted = max_norm / (total + 1e-6), factor = wanted > 1 ? 1 : wanted;
  // Elements are scaled in place, which needs no memory.
  for (int64_t i = 0; i < num_grads && factor != 1; ++i) DIOPI_TRY(scale_in_place(ctx, views[i], factor));
  *out = total;
  return diopiSuccess;
}

}  // namespace impl::cpu
