// SPDX-License-Identifier: BSD-3-Clause
// Addcmul, Addcdiv and Lerp: a base plus a scaled combination of two operands.
#include <diopi/functions.h>

#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/pointwise/ternary.hpp"

namespace impl::cpu {

using diopi::read_tensor;
using diopi::ResultType;

namespace {

Status call_ternary(diopiContextHandle_t ctx, TernaryOp op, const TensorView& out, const TensorView (&in)[3],
                    diopiDtype_t promoted, const void* params) {
  const diopiDtype_t compute = diopi::compute_dtype(promoted);
  const BlockFn fn = ternary_kernel(op, compute);
  if (fn == nullptr) return unsupported_dtype(promoted, {&in[0], &in[1], &in[2]});
  DIOPI_TRY(diopi::require_castable(promoted, out));
  Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(in[0], in[1], &shape));
  DIOPI_TRY(diopi::broadcast_shapes(shape, in[0].name, in[2], &shape));
  DIOPI_TRY(diopi::require_result_shape(out, shape));
  return run_elementwise(ctx, uniform_kernel(fn, compute, 3, params), &out, in);
}

Status addc(diopiContextHandle_t ctx, TernaryOp op, diopiTensorHandle_t out, const char* out_name,
            diopiConstTensorHandle_t input, diopiConstTensorHandle_t tensor1, diopiConstTensorHandle_t tensor2,
            const diopiScalar_t* value) {
  TensorView o, in[3];
  DIOPI_TRY(read_tensor(input, "input", &in[0]));
  DIOPI_TRY(read_tensor(tensor1, "tensor1", &in[1]));
  DIOPI_TRY(read_tensor(tensor2, "tensor2", &in[2]));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  ResultType type;
  for (const TensorView& view : in) type.tensor(view.dtype, view.ndim());
  const diopiDtype_t promoted = type.get();
  if (ternary_kernel(op, diopi::compute_dtype(promoted)) == nullptr) {
    return unsupported_dtype(promoted, {&in[0], &in[1], &in[2]});
  }
  alignas(16) char scale[16] = {};
  DIOPI_TRY(store_value(*value, "value", diopi::compute_dtype(promoted), scale));
  return call_ternary(ctx, op, o, in, promoted, scale);
}

// Checks that a kernel exists. This comes before the other operands are compared with `input`, whose dtype they must
// have.
Status require_lerp(const TensorView& input) {
  const bool found = ternary_kernel(TernaryOp::kLerp, diopi::compute_dtype(input.dtype)) != nullptr;
  return found ? Status(diopiSuccess) : unsupported_dtype(input.dtype, {&input});
}

}  // namespace

diopiError_t diopiAddcmul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t tensor1, diopiConstTensorHandle_t tensor2,
                          const diopiScalar_t* value) {
  return addc(ctx, TernaryOp::kAddcmul, out, "out", input, tensor1, tensor2, value);
}

diopiError_t diopiAddcmulInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t tensor1,
                             diopiConstTensorHandle_t tensor2, const diopiScalar_t* value) {
  return addc(ctx, TernaryOp::kAddcmul, input, "input", input, tensor1, tensor2, value);
}

diopiError_t diopiAddcdiv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t tensor1, diopiConstTensorHandle_t tensor2,
                          const diopiScalar_t* value) {
  return addc(ctx, TernaryOp::kAddcdiv, out, "out", input, tensor1, tensor2, value);
}

diopiError_t diopiAddcdivInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t tensor1,
                             diopiConstTensorHandle_t tensor2, const diopiScalar_t* value) {
  return addc(ctx, TernaryOp::kAddcdiv, input, "input", input, tensor1, tensor2, value);
}

diopiError_t diopiLerpTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             diopiConstTensorHandle_t end, diopiConstTensorHandle_t weight) {
  TensorView o, in[3];
  DIOPI_TRY(read_tensor(input, "input", &in[0]));
  DIOPI_TRY(read_tensor(end, "end", &in[1]));
  DIOPI_TRY(read_tensor(weight, "weight", &in[2]));
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(require_lerp(in[0]));
  DIOPI_TRY(diopi::require_dtype(in[1], in[0].dtype));
  DIOPI_TRY(diopi::require_dtype(in[2], in[0].dtype));
  return call_ternary(ctx, TernaryOp::kLerp, o, in, in[0].dtype, nullptr);
}

diopiError_t diopiLerpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             diopiConstTensorHandle_t end, const diopiScalar_t* weight) {
  TensorView o, in[3];
  DIOPI_TRY(read_tensor(input, "input", &in[0]));
  DIOPI_TRY(read_tensor(end, "end", &in[1]));
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(require_lerp(in[0]));
  DIOPI_TRY(diopi::require_dtype(in[1], in[0].dtype));
  ScalarValue scalar;
  DIOPI_TRY(scalar.read(*weight, "weight", diopi::compute_dtype(in[0].dtype)));
  in[2] = scalar.view();
  return call_ternary(ctx, TernaryOp::kLerp, o, in, in[0].dtype, nullptr);
}

}  // namespace impl::cpu
