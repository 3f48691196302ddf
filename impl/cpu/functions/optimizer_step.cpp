// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/optimizer_step.hpp"

#include <cmath>

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

Status StepTensors::add(diopiConstTensorHandle_t handle, const char* name) {
  DIOPI_REQUIRE(handle != nullptr, diopiErrorOccurred, "%s is null", name);
  TensorView& view = views_[count_++];
  DIOPI_TRY(diopi::read_tensor(handle, name, &view));
  DIOPI_TRY(require_floating(view));
  if (count_ > 1) DIOPI_TRY(diopi::require_same_shape(view, views_[0]));
  return diopiSuccess;
}

Status StepTensors::add_if(bool used, diopiConstTensorHandle_t handle, const char* name) {
  if (used) return add(handle, name);
  TensorView view;
  if (handle == nullptr) return diopiSuccess;
  DIOPI_TRY(diopi::read_tensor(handle, name, &view));
  return require_floating(view);
}

diopiDtype_t StepTensors::dtype() const {
  diopiDtype_t promoted = views_[0].dtype;
  bool same = true;
  for (int i = 1; i < count_; ++i) {
    same = same && views_[i].dtype == promoted;
    promoted = diopi::promote_types(promoted, views_[i].dtype);
  }
  return same ? promoted : diopi::compute_dtype(promoted);
}

Status StepTensors::check() const {
  for (int i = 0; i < count_; ++i) {
    if (i == kGrad) continue;
    DIOPI_TRY(diopi::require_writable(views_[i]));
    for (int j = 0; j < i; ++j) {
      if (j == kGrad) continue;
      DIOPI_REQUIRE(!diopi::may_overlap(views_[i], views_[j]), diopiErrorOccurred, "%s shares memory with %s",
                    views_[i].name, views_[j].name);
    }
  }
  return diopiSuccess;
}

bool StepTensors::is_packed() const {
  const int64_t bytes = views_[0].numel * views_[0].itemsize();
  for (int i = 0; i < count_; ++i) {
    if (views_[i].dtype != views_[0].dtype || !views_[i].is_contiguous()) return false;
    for (int j = 0; j < i; ++j) {
      if (views_[i].data < views_[j].data + bytes && views_[j].data < views_[i].data + bytes) return false;
    }
  }
  return true;
}

void StepTensors::run_packed(BlockFn fn, const void* params) const {
  constexpr int64_t kGrain = 16384;
  const int64_t size = views_[0].itemsize();
  diopi::parallel_for(views_[0].numel, kGrain, [&](int64_t begin, int64_t end) {
    const void* inputs[kMaxInputs];
    void* outputs[kMaxOutputs];
    int num_outputs = 0;
    for (int i = 0; i < count_; ++i) {
      inputs[i] = views_[i].data + begin * size;
      if (i != kGrad) outputs[num_outputs++] = views_[i].data + begin * size;
    }
    fn(outputs, inputs, end - begin, params);
  });
}

Status StepTensors::run(diopiContextHandle_t ctx, OptimizerStep step, const void* params) const {
  if (is_packed()) {
    if (!diopi::in_dry_run()) run_packed(optimizer_kernel(step, views_[0].dtype), params);
    return diopiSuccess;
  }
  DIOPI_TRY(check());
  TensorView outputs[kMaxOutputs];
  int num_outputs = 0;
  for (int i = 0; i < count_; ++i) {
    if (i != kGrad) outputs[num_outputs++] = views_[i];
  }
  const BlockFn fn = optimizer_kernel(step, dtype());
  return run_elementwise(ctx, uniform_kernel(fn, dtype(), count_, params, num_outputs), outputs, views_);
}

AdamParams adam_params(double lr, double beta1, double beta2, double eps, double step) {
  AdamParams params{};
  params.step_size = lr / (1 - std::pow(beta1, step));
  params.root_of_correction = std::sqrt(1 - std::pow(beta2, step));
  params.beta2 = beta2;
  params.one_minus_beta1 = 1 - beta1;
  params.one_minus_beta2 = 1 - beta2;
  params.eps = eps;
  params.shrink = 1;
  return params;
}

}  // namespace impl::cpu
