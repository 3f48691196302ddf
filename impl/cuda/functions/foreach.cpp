// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/foreach.hpp"

#include <new>

#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/list/list.hpp"

namespace impl::cuda {

namespace {

bool in_list(const ListBinaryCall& call, int64_t k) {
  return call.inputs[k].dtype == call.promoted[k] && is_listed(call.outs[k], call.inputs[k]);
}

// Computes tensor k on its own, unless it is computed with the list.
Status run_one(diopiContextHandle_t ctx, const ListBinaryCall& call, int64_t k) {
  if (in_list(call, k)) return diopiSuccess;
  diopi::NumberOperand number;
  TensorView other;
  if (call.number != nullptr) {
    number.set(*call.number, "other", call.promoted[k], &other);
  } else {
    other = *call.tensor;
  }
  return run_binary(ctx, call.op, call.outs[k], call.inputs[k], other, call.promoted[k]);
}

}  // namespace

// All memory is allocated before the first tensor is written.
Status run_list_binary(diopiContextHandle_t ctx, const ListBinaryCall& call) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  const int64_t count = call.inputs.size();
  diopi::StepMemory* memory = nullptr;
  DIOPI_TRY(diopi::host_workspace(ctx).take(count, &memory));
  for (int64_t k = 0; k < count; ++k) {
    new (memory + k) diopi::StepMemory;
    DIOPI_TRY(memory[k].reserve([&] { return run_one(ctx, call, k); }));
  }
  ListNumber number;
  if (call.number != nullptr) {
    number.value = diopi::scalar_as<double>(*call.number);
  } else {
    number.data = call.tensor->data;
    number.dtype = call.tensor->dtype;
  }
  for (int64_t k = 0; k < count; ++k) DIOPI_TRY(memory[k].run([&] { return run_one(ctx, call, k); }));
  const ListOp op = call.op == BinaryOp::kAdd ? ListOp::kAdd : ListOp::kMul;
  return launch_list(stream, op, call.outs, call.inputs, number);
}

// Norms of lists have no kernels yet.
Status run_list_norm(diopiContextHandle_t, const ViewList&, const ViewList&, double) { return diopiForceFallbackToCPU; }

Status run_unscale(diopiContextHandle_t ctx, const ViewList& grads, const TensorView& found_inf,
                   const TensorView& inv_scale) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return launch_unscale(stream, grads, inv_scale.ptr<float>(), found_inf.ptr<float>());
}

Status run_update_scale(diopiContextHandle_t ctx, const TensorView& scale, const TensorView& tracker,
                        const TensorView& found_inf, double growth, double backoff, int32_t interval) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return launch_update_scale(stream, ScaleUpdate{scale.ptr<float>(), tracker.ptr<int32_t>(), found_inf.ptr<float>(),
                                                 growth, backoff, interval});
}

}  // namespace impl::cuda
