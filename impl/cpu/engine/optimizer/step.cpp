// SPDX-License-Identifier: BSD-3-Clause
// Steps of optimisers in a single pass over the parameter and its state.
#include <algorithm>

#include "impl/common/run_each.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/engine/tensor_list/chunks.hpp"
#include "impl/cpu/optimizer/optimizer.hpp"

namespace impl::cpu {

namespace {

constexpr int kGrad = StepTensors::kGrad;

// The dtype of the kernel: the dtype of all tensors, or the compute dtype of their promotion.
diopiDtype_t kernel_dtype(const StepTensors& tensors) {
  diopiDtype_t promoted = tensors[0].dtype;
  bool same = true;
  for (int i = 1; i < tensors.count; ++i) {
    same = same && tensors[i].dtype == promoted;
    promoted = diopi::promote_types(promoted, tensors[i].dtype);
  }
  return same ? promoted : diopi::compute_dtype(promoted);
}

// Whether all tensors are packed and have one dtype: then the element-wise engine is not needed.
bool is_packed(const StepTensors& tensors) {
  for (int i = 0; i < tensors.count; ++i) {
    if (tensors[i].dtype != tensors[0].dtype || !tensors[i].is_contiguous()) return false;
  }
  return true;
}

}  // namespace

Status run_step(diopiContextHandle_t ctx, OptimizerStep step, const StepTensors& tensors, const void* params) {
  if (is_packed(tensors)) {
    if (diopi::in_dry_run()) return diopiSuccess;
    char* data[StepTensors::kMost];
    for (int i = 0; i < tensors.count; ++i) data[i] = tensors[i].data;
    const TensorView& param = tensors[0];
    run_packed_step(optimizer_kernel(step, param.dtype), data, tensors.count, param.numel, param.itemsize(), params);
    return diopiSuccess;
  }
  TensorView inputs[StepTensors::kMost], outputs[StepTensors::kMost];
  int num_outputs = 0;
  for (int i = 0; i < tensors.count; ++i) {
    inputs[i] = tensors[i];
    if (i != kGrad) outputs[num_outputs++] = tensors[i];
  }
  const diopiDtype_t dtype = kernel_dtype(tensors);
  const BlockFn kernel = optimizer_kernel(step, dtype);
  return run_elementwise(ctx, uniform_kernel(kernel, dtype, tensors.count, params, num_outputs), outputs, inputs);
}

namespace {

// The steps of packed tensors: threads divide the elements of all parameters among themselves.
void run_packed_steps(const AdamSteps& steps, const AdamParams* params) {
  constexpr int64_t kEach = 400;  // picoseconds for an element
  const auto numel = [&steps](int64_t k) { return steps.tensors[k][0].numel; };
  for_chunks(steps.numbers.size(), kEach, numel, [&steps, params](int64_t k, int64_t, int64_t first, int64_t n) {
    const StepTensors& tensors = steps.tensors[k];
    const void* inputs[StepTensors::kMost];
    void* outputs[StepTensors::kMost];
    int num_outputs = 0;
    for (int i = 0; i < tensors.count; ++i) {
      char* const data = tensors[i].data + first * tensors[i].itemsize();
      inputs[i] = data;
      if (i != kGrad) outputs[num_outputs++] = data;
    }
    optimizer_kernel(steps.step, tensors[0].dtype)(outputs, inputs, n, &params[k]);
  });
}

// Reads the numbers of all steps. Parameters usually have the same number: powers of it take longer than a step of a
// small parameter.
Status read_params(const AdamSteps& steps, AdamParams* params) {
  double last = 0;
  for (int64_t k = 0; k < steps.numbers.size(); ++k) {
    double number = 0;
    gather_range(steps.numbers[k], 0, 1, diopi_dtype_float64, &number);
    if (!diopi::is_step(number)) return diopi::refuse_step(number);
    params[k] = number == last ? params[k - 1] : adam_params(steps.settings, number);
    last = number;
  }
  return diopiSuccess;
}

}  // namespace

// All memory is allocated before the first parameter is changed.
Status run_adam_steps(diopiContextHandle_t ctx, const AdamSteps& steps) {
  const int64_t count = steps.numbers.size();
  AdamParams* params = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count, &params));
  DIOPI_TRY(read_params(steps, params));
  if (std::all_of(steps.tensors, steps.tensors + count, is_packed)) {
    run_packed_steps(steps, params);
    return diopiSuccess;
  }
  return diopi::run_each(ctx, count,
                         [&](int64_t k) { return run_step(ctx, steps.step, steps.tensors[k], &params[k]); });
}

}  // namespace impl::cpu
