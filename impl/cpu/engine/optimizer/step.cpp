// SPDX-License-Identifier: BSD-3-Clause
// Steps of optimisers in a single pass over the parameter and its state.
#include <algorithm>

#include "impl/common/run_each.hpp"
#include "impl/common/shape.hpp"
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

// Whether all tensors are packed, have one dtype and do not overlap: then the element-wise engine is not needed.
bool is_packed(const StepTensors& tensors) {
  const int64_t bytes = tensors[0].numel * tensors[0].itemsize();
  for (int i = 0; i < tensors.count; ++i) {
    if (tensors[i].dtype != tensors[0].dtype || !tensors[i].is_contiguous()) return false;
    for (int j = 0; j < i; ++j) {
      if (tensors[i].data < tensors[j].data + bytes && tensors[j].data < tensors[i].data + bytes) return false;
    }
  }
  return true;
}

Status require_apart(const StepTensors& tensors) {
  for (int i = 0; i < tensors.count; ++i) {
    if (i == kGrad) continue;
    DIOPI_TRY(diopi::require_writable(tensors[i]));
    for (int j = 0; j < i; ++j) {
      if (j == kGrad) continue;
      DIOPI_REQUIRE(!diopi::may_overlap(tensors[i], tensors[j]), diopiErrorOccurred, "%s shares memory with %s",
                    tensors[i].name, tensors[j].name);
    }
  }
  return diopiSuccess;
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
  DIOPI_TRY(require_apart(tensors));
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
void run_packed_steps(OptimizerStep step, const AdamCall* calls, int64_t count) {
  constexpr int64_t kEach = 400;  // picoseconds for an element
  const auto numel = [calls](int64_t k) { return calls[k].tensors[0].numel; };
  for_chunks(count, kEach, numel, [calls, step](int64_t k, int64_t, int64_t first, int64_t n) {
    const StepTensors& tensors = calls[k].tensors;
    const void* inputs[StepTensors::kMost];
    void* outputs[StepTensors::kMost];
    int num_outputs = 0;
    for (int i = 0; i < tensors.count; ++i) {
      char* const data = tensors[i].data + first * tensors[i].itemsize();
      inputs[i] = data;
      if (i != kGrad) outputs[num_outputs++] = data;
    }
    optimizer_kernel(step, tensors[0].dtype)(outputs, inputs, n, &calls[k].params);
  });
}

}  // namespace

// All memory is allocated before the first parameter is changed.
Status run_adam_steps(diopiContextHandle_t ctx, OptimizerStep step, const AdamCall* calls, int64_t count) {
  if (std::all_of(calls, calls + count, [](const AdamCall& call) { return is_packed(call.tensors); })) {
    run_packed_steps(step, calls, count);
    return diopiSuccess;
  }
  return diopi::run_each(ctx, count,
                         [&](int64_t i) { return run_step(ctx, step, calls[i].tensors, &calls[i].params); });
}

Status read_numbers(diopiContextHandle_t, const ViewList& views, double* values) {
  for (int64_t k = 0; k < views.size(); ++k) gather_range(views[k], 0, 1, diopi_dtype_float64, values + k);
  return diopiSuccess;
}

}  // namespace impl::cpu
