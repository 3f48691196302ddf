// SPDX-License-Identifier: BSD-3-Clause
// Element-wise losses with an optional reduction: MSE, smooth L1, binary cross entropy, and their gradients.
#include <diopi/functions.h>

#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/norm_common.hpp"
#include "impl/cpu/loss/elementwise.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

constexpr int kMaxOperands = 5;

// The inputs of a loss in the order of its kernel; they broadcast together.
struct Operands {
  TensorView in[kMaxOperands];
  ScalarOperand one{diopiScalar_t{diopi_dtype_float32, {1}}, diopi_dtype_float32, "one"};
  int count = 0;
  diopiDtype_t promoted = diopi_dtype_unsupported;

  Status add(diopiConstTensorHandle_t handle, const char* name) {
    TensorView& view = in[count++];
    DIOPI_TRY(read_tensor(handle, name, &view));
    DIOPI_REQUIRE(!diopi::is_complex(view.dtype), diopiDtypeNotSupported, "%s has dtype %s, expected a real one", name,
                  diopi::dtype_name(view.dtype));
    promoted = count == 1 ? view.dtype : diopi::promote_types(promoted, view.dtype);
    return diopiSuccess;
  }
  Status add_floating(diopiConstTensorHandle_t handle, const char* name) {
    DIOPI_TRY(add(handle, name));
    return require_floating(in[count - 1]);
  }
  // Adds a weight. A null handle means a weight of one.
  Status add_weight(diopiConstTensorHandle_t handle, const char* name) {
    if (handle != nullptr) return add(handle, name);
    in[count++] = one.view();
    return diopiSuccess;
  }
  // Adds pos_weight like a weight, but refuses bool: PyTorch subtracts one from pos_weight, which bool does not
  // support.
  Status add_pos_weight(diopiConstTensorHandle_t handle) {
    DIOPI_TRY(add_weight(handle, "pos_weight"));
    DIOPI_REQUIRE(in[count - 1].dtype != diopi_dtype_bool, diopiDtypeNotSupported,
                  "pos_weight has dtype bool, expected a floating point or integral one");
    return diopiSuccess;
  }
  // Computes the broadcast shape of inputs [first, count).
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

Status require_floating_operand(const Operands& operands) {
  DIOPI_REQUIRE(diopi::is_floating(operands.promoted), diopiDtypeNotSupported,
                "%s has dtype %s, %s has dtype %s: expected a floating point one", operands.in[0].name,
                diopi::dtype_name(operands.in[0].dtype), operands.in[1].name, diopi::dtype_name(operands.in[1].dtype));
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
  DIOPI_TRY(require_floating_operand(operands));
  DIOPI_TRY(operands.shape_from(0, &shape));
  const diopiDtype_t compute = diopi::compute_dtype(operands.promoted);
  const ElementwiseKernel kernel = make_kernel(op, compute, operands.count, &params);
  DIOPI_TRY(diopi::require_result_shape(&o, reduction == ReductionNone ? shape : Dims()));
  if (reduction == ReductionNone) return run_elementwise(ctx, kernel, &o, operands.in);
  TensorView terms;
  DIOPI_TRY(temporary(ctx, shape, compute, "terms", &terms));
  DIOPI_TRY(run_elementwise(ctx, kernel, &terms, operands.in));
  const ReduceOp fold = reduction == ReductionMean ? ReduceOp::kMean : ReduceOp::kSum;
  return run_reduce(ctx, *reduce_kernel(fold, compute), &o, terms, (1u << terms.ndim()) - 1);
}

// Computes a gradient. The first operand is grad_output; it has the loss's shape, or one element if the loss was
// reduced.
Status backward(diopiContextHandle_t ctx, LossOp op, diopiTensorHandle_t grad_input, Operands* operands,
                diopiReduction_t reduction, LossParams params) {
  TensorView o;
  Dims shape;
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &o));
  DIOPI_TRY(require_reduction(reduction));
  DIOPI_TRY(require_floating(o));
  DIOPI_TRY(require_floating_operand(*operands));
  DIOPI_TRY(operands->shape_from(1, &shape));
  DIOPI_TRY(diopi::require_result_shape(&o, shape));
  DIOPI_TRY(diopi::require_result_shape(&operands->in[0], reduction == ReductionNone ? shape : Dims()));
  if (reduction == ReductionMean) params.scale = 1 / static_cast<double>(shape.product());
  const diopiDtype_t compute = diopi::compute_dtype(operands->promoted);
  return run_elementwise(ctx, make_kernel(op, compute, operands->count, &params), &o, operands->in);
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
  return backward(ctx, LossOp::kMseBackward, grad_input, &operands, reduction, LossParams());
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
  return backward(ctx, LossOp::kSmoothL1Backward, grad_input, &operands, reduction, LossParams{1, beta});
}

diopiError_t diopiBCEWithLogits(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                diopiConstTensorHandle_t pos_weight, diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add_floating(input, "input"));
  DIOPI_TRY(operands.add_floating(target, "target"));
  DIOPI_TRY(diopi::require_same_shape(operands.in[1], operands.in[0]));
  DIOPI_TRY(operands.add_weight(weight, "weight"));
  DIOPI_TRY(operands.add_pos_weight(pos_weight));
  return forward(ctx, LossOp::kBceWithLogits, out, operands, reduction, LossParams());
}

diopiError_t diopiBCEWithLogitsBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                        diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                        diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                        diopiConstTensorHandle_t pos_weight, diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add_floating(grad_output, "grad_output"));
  DIOPI_TRY(operands.add_floating(input, "input"));
  DIOPI_TRY(operands.add_floating(target, "target"));
  DIOPI_TRY(diopi::require_same_shape(operands.in[2], operands.in[1]));
  DIOPI_TRY(operands.add_weight(weight, "weight"));
  DIOPI_TRY(operands.add_pos_weight(pos_weight));
  return backward(ctx, LossOp::kBceWithLogitsBackward, grad_input, &operands, reduction, LossParams());
}

diopiError_t diopiBCELoss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                          diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add_floating(input, "input"));
  DIOPI_TRY(operands.add_floating(target, "target"));
  DIOPI_TRY(diopi::require_same_shape(operands.in[1], operands.in[0]));
  DIOPI_TRY(operands.add_weight(weight, "weight"));
  return forward(ctx, LossOp::kBce, out, operands, reduction, LossParams());
}

diopiError_t diopiBCELossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                  diopiReduction_t reduction) {
  Operands operands;
  DIOPI_TRY(operands.add_floating(grad_output, "grad_output"));
  DIOPI_TRY(operands.add_floating(input, "input"));
  DIOPI_TRY(operands.add_floating(target, "target"));
  DIOPI_TRY(diopi::require_same_shape(operands.in[2], operands.in[1]));
  DIOPI_TRY(operands.add_weight(weight, "weight"));
  return backward(ctx, LossOp::kBceBackward, grad_input, &operands, reduction, LossParams());
}

}  // namespace impl::cpu
