// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/foreach.hpp"

#include "impl/common/engine/reduce.hpp"
#include "impl/common/run_each.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/list/list.hpp"

namespace impl::cuda {

namespace {

bool in_list(const ListBinaryCall& call, int64_t k) {
  return is_listed(call.outs[k], call.inputs[k], call.promoted[k]);
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
  ListNumber number;
  if (call.number != nullptr) {
    number.value = diopi::scalar_as<double>(*call.number);
  } else {
    number.data = call.tensor->data;
    number.dtype = call.tensor->dtype;
  }
  int64_t listed = 0;
  for (int64_t k = 0; k < call.inputs.size(); ++k) listed += in_list(call, k) ? 1 : 0;
  if (listed < call.inputs.size()) {
    DIOPI_TRY(diopi::run_each(ctx, call.inputs.size(), [&](int64_t k) { return run_one(ctx, call, k); }));
  }
  const ListOp op = call.op == BinaryOp::kAdd ? ListOp::kAdd : ListOp::kMul;
  return launch_list(stream, op, call.outs, call.inputs, call.promoted, number);
}

Status run_list_norm(diopiContextHandle_t ctx, const ViewList& outs, const ViewList& inputs, double p) {
  double* parts = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(listed_norm_parts(inputs), &parts));
  for (const TensorView& out : outs) DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(diopi::run_each(ctx, inputs.size(), [&](int64_t k) -> Status {
    if (has_listed_norm(inputs[k])) return diopiSuccess;
    return run_vector_norm(ctx, without_dims(outs[k]), inputs[k], (1u << inputs[k].ndim()) - 1, p);
  }));
  return launch_list_norms(ctx, p, outs, inputs, parts);
}

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
