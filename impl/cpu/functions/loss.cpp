// SPDX-License-Identifier: BSD-3-Clause
// Element-wise losses with an optional reduction: MSE, smooth L1, binary cross entropy, and their gradients.
#include <diopi/functions.h>

#include <algorithm>

#include "impl/cpu/functions/norm_common.hpp"
#include "impl/cpu/kernels/loss.hpp"
#include "impl/cpu/kernels/reduce_kernels.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

constexpr int kMaxOperands = 5;

// The inputs of a loss in the order of its kernel, broadcast together.
struct Operands {
  TensorView in[kMaxOperands];
  ScalarOperand one{diopiScalar_t{diopi_dtype_float32, {1}}, diopi_dtype_float32, "one"};
  int count = 0;
  diopiDtype_t promoted = diopi_dtype_unsupported;

  Status add(diopiConstTensorHandle_t handle, const char* name) {
    TensorView& view = in[count++];
    DIOPI_TRY(read_tensor(handle, name, &view));
    DIOPI_TRY(require_floating(view));
    promoted = count == 1 ? view.dtype : diopi::promote_types(promoted, view.dtype);
    return diopiSuccess;
  }
  // A weight that may be absent, which means one.
  Status add_weight(diopiConstTensorHandle_t handle, const char* name) {
    if (handle != nullptr) return add(handle, name);
    in[count++] = one.view();
    return diopiSuccess;
  }
  // The broadcast of inputs [first, count).
  Status shape_from(int first, Dims* shape) const {
    *shape = in[first].shape;
    for (int i = first + 1; i < count; ++i) DIOPI_TRY(diopi::broadcast_shapes(*shape, in[first].name, in[i], shape));
    return diopiSuccess;
  }
};

Status require_reduction(diopiReduction_t reduction) {
  DIOPI_REQUIRE(reduction == ReductionNone || reduction == ReductionMean || reduction == ReductionSum,
                diopiErrorOccurred, "reduction = %d is none of ReductionNone, ReductionMean, ReductionSum",
                static_cast<int>(reduction));
  return diopiSuccess;
}

ElementwiseKernel make_kernel(LossOp op, diopiDtype_t compute, int num_inputs, const LossParams* params) {
  return uniform_kernel(loss_kernel(op, compute), compute, num_inputs, params);
}

Status forward(diopiContextHandle_t ctx, LossOp op, diopiTensorHandle_t out, const Operands& operands,
               diopiReduction_t reduction, const LossParams& params) {
  TensorView o;
  Dims shape;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(require_reduction(reduction));
  DIOPI_TRY(require_floating(o));
  DIOPI_TRY(operands.shape_from(0, &shape));
  const diopiDtype_t compute = diopi::compute_dtype(operands.promoted);
  const ElementwiseKernel kernel = make_kernel(op, compute, operands.count, &params);
  if (reduction == ReductionNone) {
    DIOPI_TRY(diopi::require_shape(o, shape));
    return run_elementwise(ctx, kernel, &o, operands.in);
  }
  DIOPI_REQUIRE(o.numel == 1 && o.ndim() <= 1, diopiErrorOccurred,
                "out has shape %s, expected one element where the loss is reduced", diopi::Text(o.shape).c_str());
  TensorView terms;
  DIOPI_TRY(temporary(ctx, shape, compute, "terms", &terms));
  DIOPI_TRY(run_elementwise(ctx, kernel, &terms, operands.in));
  o.shape.n = o.stride.n = 0;
  const ReduceOp fold = reduction == ReductionMean ? ReduceOp::kMean : ReduceOp::kSum;
  return run_reduce(ctx, *reduce_kernel(fold, compute), &o, terms, (1u << terms.ndim()) - 1);
}

// The first operand is grad_output: of the loss's shape, or one element where the loss was reduced.
Status backward(diopiContextHandle_t ctx, LossOp op, diopiTensorHandle_t grad_input, const Operands& operands,
                diopiReduction_t reduction, LossParams params) {
  TensorView o;
  Dims shape;
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &o));
  DIOPI_TRY(require_reduction(reduction));
  DIOPI_TRY(require_floating(o));
  DIOPI_TRY(operands.shape_from(1, &shape));
  DIOPI_TRY(diopi::require_shape(o, shape));
  const TensorView& grad = operands.in[0];
  if (reduction == ReductionNone) {
    DIOPI_TRY(diopi::require_shape(grad, shape));
  } else {
    DIOPI_REQUIRE(grad.numel == 1 && grad.ndim() <= 1, diopiErrorOccurred,
                  "grad_output has shape %s, expected one element where the loss is reduced",
                  diopi::Text(grad.shape).c_str());
  }
  if (reduction == ReductionMean) params.scale = 1 / static_cast<double>(shape.product());
  const diopiDtype_t compute = diopi::compute_dtype(operands.promoted);
  Operands aligned;
  std::copy_n(operands.in, operands.count, aligned.in);
  if (o.ndim() == 0) aligned.in[0].shape.n = aligned.in[0].stride.n = 0;
  return run_elementwise(ctx, make_kernel(op, compute, operands.count, &params), &o, aligned.in);
}

}  // namespace

diopiError_t diopiMSELoss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t target, diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add(input, "input"));
  DIOPI_TRY(operands.add(target, "target"));
  return forward(ctx, LossOp::kMse, out, operands, reduction, LossParams());
}

diopiError_t diopiMSELossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t target, diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add(grad_output, "grad_output"));
  DIOPI_TRY(operands.add(input, "input"));
  DIOPI_TRY(operands.add(target, "target"));
  return backward(ctx, LossOp::kMseBackward, grad_input, operands, reduction, LossParams());
}

diopiError_t diopiSmoothL1Loss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                               diopiConstTensorHandle_t target, diopiReduction_t reduction, double beta) {
  Operands operands;
  DIOPI_REQUIRE(beta >= 0, diopiErrorOccurred, "beta = %g is negative", beta);
  DIOPI_TRY(operands.add(input, "input"));
  DIOPI_TRY(operands.add(target, "target"));
  return forward(ctx, LossOp::kSmoothL1, out, operands, reduction, LossParams{1, beta});
}

diopiError_t diopiSmoothL1LossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                       diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                       diopiConstTensorHandle_t target, diopiReduction_t reduction, double beta) {
  Operands operands;
  DIOPI_REQUIRE(beta >= 0, diopiErrorOccurred, "beta = %g is negative", beta);
  DIOPI_TRY(operands.add(grad_output, "grad_output"));
  DIOPI_TRY(operands.add(input, "input"));
  DIOPI_TRY(operands.add(target, "target"));
  return backward(ctx, LossOp::kSmoothL1Backward, grad_input, operands, reduction, LossParams{1, beta});
}

diopiError_t diopiBCEWithLogits(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                diopiConstTensorHandle_t pos_weight, diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add(input, "input"));
  DIOPI_TRY(operands.add(target, "target"));
  DIOPI_TRY(diopi::require_same_shape(operands.in[1], operands.in[0]));
  DIOPI_TRY(operands.add_weight(weight, "weight"));
  DIOPI_TRY(operands.add_weight(pos_weight, "pos_weight"));
  return forward(ctx, LossOp::kBceWithLogits, out, operands, reduction, LossParams());
}

diopiError_t diopiBCEWithLogitsBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                        diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                        diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                        diopiConstTensorHandle_t pos_weight, diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add(grad_output, "grad_output"));
  DIOPI_TRY(operands.add(input, "input"));
  DIOPI_TRY(operands.add(target, "target"));
  DIOPI_TRY(diopi::require_same_shape(operands.in[2], operands.in[1]));
  DIOPI_TRY(operands.add_weight(weight, "weight"));
  DIOPI_TRY(operands.add_weight(pos_weight, "pos_weight"));
  return backward(ctx, LossOp::kBceWithLogitsBackward, grad_input, operands, reduction, LossParams());
}

diopiError_t diopiBCELoss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                          diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add(input, "input"));
  DIOPI_TRY(operands.add(target, "target"));
  DIOPI_TRY(diopi::require_same_shape(operands.in[1], operands.in[0]));
  DIOPI_TRY(operands.add_weight(weight, "weight"));
  return forward(ctx, LossOp::kBce, out, operands, reduction, LossParams());
}

diopiError_t diopiBCELossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                  diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add(grad_output, "grad_output"));
  DIOPI_TRY(operands.add(input, "input"));
  DIOPI_TRY(operands.add(target, "target"));
  DIOPI_TRY(diopi::require_same_shape(operands.in[2], operands.in[1]));
  DIOPI_TRY(operands.add_weight(weight, "weight"));
  return backward(ctx, LossOp::kBceBackward, grad_input, operands, reduction, LossParams());
}

}  // namespace impl::cpu
