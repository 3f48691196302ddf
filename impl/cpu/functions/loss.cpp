// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/loss.hpp"

#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/loss/elementwise.hpp"

namespace impl::cpu {

namespace {

Status run_kernel(diopiContextHandle_t ctx, LossOp op, const TensorView& out, const LossCall& call) {
  const diopiDtype_t compute = diopi::compute_dtype(call.promoted);
  const ElementwiseKernel kernel = uniform_kernel(loss_kernel(op, compute), compute, call.num_inputs, &call.params);
  return run_elementwise(ctx, kernel, &out, call.in);
}

}  // namespace

Status run_loss(diopiContextHandle_t ctx, LossOp op, const TensorView& out, const LossCall& call, const Dims& shape,
                diopiReduction_t reduction) {
  if (reduction == ReductionNone) return run_kernel(ctx, op, out, call);
  const diopiDtype_t compute = diopi::compute_dtype(call.promoted);
  TensorView terms;
  DIOPI_TRY(diopi::make_temporary(ctx, shape, compute, "terms", &terms));
  DIOPI_TRY(run_kernel(ctx, op, terms, call));
  const ReduceOp fold = reduction == ReductionMean ? ReduceOp::kMean : ReduceOp::kSum;
  return run_reduce(ctx, *reduce_kernel(fold, compute), &out, terms, (1u << terms.ndim()) - 1);
}

Status run_loss_backward(diopiContextHandle_t ctx, LossOp op, const TensorView& grad_input, const LossCall& call) {
  return run_kernel(ctx, op, grad_input, call);
}

}  // namespace impl::cpu
