// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/optimizer.hpp"

#include "impl/common/engine/reduce.hpp"
#include "impl/common/engine/tensor_list.hpp"
#include "impl/common/run_each.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/copy/copy.hpp"
#include "impl/cuda/kernels/list/list.hpp"
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

// All memory is allocated before the first parameter is changed. Packed tensors are computed together.
Status run_adam_steps(diopiContextHandle_t ctx, OptimizerStep step, const AdamCall* calls, int64_t count) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(diopi::run_each(ctx, count, [&](int64_t k) -> Status {
    if (is_listed_step(calls[k].tensors)) return diopiSuccess;
    return run_step(ctx, step, calls[k].tensors, &calls[k].params);
  }));
  return diopi::in_dry_run() ? Status(diopiSuccess) : launch_adam_list(stream, step, calls, count);
}

Status read_numbers(diopiContextHandle_t ctx, const ViewList& views, double* values) {
  if (views.size() == 0) return diopiSuccess;
  diopi::Dims shape;
  shape.push_back(views.size());
  TensorView numbers;
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi_dtype_float64, "numbers", &numbers));
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DIOPI_TRY(launch_read_list(stream, views, numbers.ptr<double>()));
  return read_back(ctx, values, numbers.data, numbers.numel * numbers.itemsize());
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
