// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/optimizer.hpp"

#include "impl/common/engine/reduce.hpp"
#include "impl/common/engine/tensor_list.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/deferred.hpp"
#include "impl/cuda/kernels/optimizer/optimizer.hpp"

namespace impl::cuda {

Status run_step(diopiContextHandle_t ctx, OptimizerStep step, const StepTensors& tensors, const void* params) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  if (diopi::in_dry_run()) return diopiSuccess;
  return launch_step(stream, step, tensors, params);
}

// The numbers of all steps are read before the first parameter is changed.
Status run_adam_steps(diopiContextHandle_t ctx, const AdamSteps& steps) {
  AdamCorrection* corrections = nullptr;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(steps.numbers.size(), &corrections));
  DIOPI_TRY(stream_of(ctx, &stream));
  if (steps.numbers.size() == 0 || diopi::in_dry_run()) return diopiSuccess;
  DeferredCheck check;
  DIOPI_TRY(check.begin(ctx, Refusal([](int64_t, int64_t bits) { return diopi::refuse_step(number_of(bits)); })));
  DIOPI_TRY(launch_corrections(stream, steps, corrections, check.bad()));
  DIOPI_TRY(launch_adam_list(stream, steps, corrections));
  for (int64_t k = 0; k < steps.numbers.size(); ++k) {
    const StepTensors& tensors = steps.tensors[k];
    if (is_listed_step(tensors)) continue;
    const diopi::AdamParams params = adam_params(steps.settings, 1);
    DIOPI_TRY(launch_step(stream, steps.step, tensors, &params, corrections + k));
  }
  return check.end();
}

Status norm_of_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double p, double* norm) {
  *norm = 0;
  if (tensors.size() == 0) return diopiSuccess;
  diopi::Dims shape;
  shape.push_back(tensors.size() + 1);
  TensorView numbers;  // the norms of the tensors, and behind them that of these norms
  ViewList norms;
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi_dtype_float64, "norms", &numbers));
  DIOPI_TRY(norms.reserve(ctx, tensors.size()));
  for (int64_t k = 0; k < tensors.size(); ++k) norms[k] = numbers.select(0, k);
  DIOPI_TRY(run_list_norm(ctx, norms, tensors, p));
  const TensorView joined = numbers.select(0, tensors.size());
  DIOPI_TRY(run_vector_norm(ctx, joined, numbers.narrow(0, 0, tensors.size()), 1, p));
  return read_back(ctx, norm, joined.data, joined.itemsize());
}

Status scale_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double factor) {
  diopiDtype_t* dtypes = nullptr;
  DIOPI_TRY(diopi::host_workspace(ctx).take(tensors.size(), &dtypes));
  for (int64_t k = 0; k < tensors.size(); ++k) dtypes[k] = tensors[k].dtype;
  diopiScalar_t number{};
  number.stype = diopi_dtype_float64;
  number.fval = factor;
  return run_list_binary(ctx, {BinaryOp::kMul, tensors, tensors, dtypes, &number, nullptr});
}

}  // namespace impl::cuda
