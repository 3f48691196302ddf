// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/optimizer.hpp"

#include <new>

#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/copy/copy.hpp"
#include "impl/cuda/kernels/optimizer/optimizer.hpp"

namespace impl::cuda {

namespace {

diopiDtype_t dtype_of_computation(const StepTensors& tensors) {
  diopiDtype_t promoted = tensors[0].dtype;
  for (int i = 1; i < tensors.count; ++i) promoted = diopi::promote_types(promoted, tensors[i].dtype);
  return diopi::compute_dtype(promoted);
}

// Tensors that a step changes share memory with no other one. A gradient that does is copied to `copy`.
Status separate(diopiContextHandle_t ctx, cudaStream_t stream, StepTensors* tensors, TensorView* copy) {
  const StepTensors given = *tensors;
  bool copied = false;
  for (int i = 0; i < given.count; ++i) {
    if (i == StepTensors::kGrad) continue;
    DIOPI_TRY(diopi::require_writable(given[i]));
    for (int j = 0; j < i; ++j) {
      DIOPI_REQUIRE(j == StepTensors::kGrad || !diopi::may_overlap(given[i], given[j]), diopiErrorOccurred,
                    "%s shares memory with %s", given[i].name, given[j].name);
    }
    const TensorView& grad = given[StepTensors::kGrad];
    copied = copied || (diopi::may_overlap(given[i], grad) && !diopi::is_same_view(given[i], grad));
  }
  if (!copied) return diopiSuccess;
  const TensorView& grad = given[StepTensors::kGrad];
  DIOPI_TRY(diopi::make_temporary(ctx, grad.shape, grad.dtype, grad.name, copy));
  tensors->views[StepTensors::kGrad] = copy;
  return diopi::in_dry_run() ? Status(diopiSuccess) : copy_elements(stream, *copy, grad);
}

}  // namespace

Status run_step(diopiContextHandle_t ctx, OptimizerStep step, const StepTensors& tensors, const void* params) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  StepTensors apart = tensors;
  TensorView copy;
  DIOPI_TRY(separate(ctx, stream, &apart, &copy));
  if (diopi::in_dry_run()) return diopiSuccess;
  return launch_step(stream, step, dtype_of_computation(tensors), apart, params);
}

// All memory is allocated before the first parameter is changed.
Status run_adam_steps(diopiContextHandle_t ctx, OptimizerStep step, const AdamCall* calls, int64_t count) {
  diopi::StepMemory* memory = nullptr;
  DIOPI_TRY(diopi::host_workspace(ctx).take(count, &memory));
  const auto run_call = [&](int64_t i) { return run_step(ctx, step, calls[i].tensors, &calls[i].params); };
  for (int64_t i = 0; i < count; ++i) {
    new (memory + i) diopi::StepMemory;
    DIOPI_TRY(memory[i].reserve([&] { return run_call(i); }));
  }
  for (int64_t i = 0; i < count; ++i) DIOPI_TRY(memory[i].run([&] { return run_call(i); }));
  return diopiSuccess;
}

Status read_number(diopiContextHandle_t ctx, const TensorView& view, double* value) {
  alignas(16) char element[16];
  TensorView number = view;
  number.data = element;
  number.shape.n = number.stride.n = 0;
  DIOPI_TRY(read_back(ctx, element, view.data, view.itemsize()));
  convert_number(number, diopi_dtype_float64, value);
  return diopiSuccess;
}

// Norms of lists have no kernels yet, so the clipping of gradients is computed on the host.
Status norm_of_tensors(diopiContextHandle_t, const ViewList&, double, double*) { return diopiForceFallbackToCPU; }

Status scale_tensors(diopiContextHandle_t, const ViewList&, double) { return diopiForceFallbackToCPU; }

}  // namespace impl::cuda
