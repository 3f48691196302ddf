// SPDX-License-Identifier: BSD-3-Clause
// Logical and bitwise operators.
#include <diopi/functions.h>

#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

using diopi::read_tensor;
using diopi::ResultType;

namespace {

Status connect(diopiContextHandle_t ctx, BinaryOp op, diopiTensorHandle_t out, const char* out_name,
               diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  TensorView o, a, b;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(other, "other", &b));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  return call_binary(ctx, op, o, a, b, ResultType().tensor(a.dtype, a.ndim()).tensor(b.dtype, b.ndim()).get());
}

Status connect_scalar(diopiContextHandle_t ctx, BinaryOp op, diopiTensorHandle_t out, const char* out_name,
                      diopiConstTensorHandle_t input, const diopiScalar_t* other) {
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const diopiDtype_t promoted = ResultType().tensor(a.dtype, a.ndim()).scalar(*other).get();
  const ScalarOperand b(*other, promoted, "other");
  return call_binary(ctx, op, o, a, b.view(), promoted);
}

// Logical not is the comparison with zero.
Status logical_not(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                   diopiConstTensorHandle_t input) {
  constexpr diopiScalar_t kZero{diopi_dtype_bool, {0}};
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const ScalarOperand zero(kZero, a.dtype, "zero");
  return call_binary(ctx, BinaryOp::kEq, o, a, zero.view(), a.dtype);
}

// Bitwise not is the exclusive or with all ones; for bool it is the logical not.
Status bitwise_not(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                   diopiConstTensorHandle_t input) {
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  diopiScalar_t all{diopi_dtype_int64, {0}};
  all.ival = a.dtype == diopi_dtype_bool ? 1 : -1;
  const ScalarOperand mask(all, a.dtype, "mask");
  return call_binary(ctx, BinaryOp::kBitwiseXor, o, a, mask.view(), a.dtype);
}

}  // namespace

diopiError_t diopiLogicalAnd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             diopiConstTensorHandle_t other) {
  return connect(ctx, BinaryOp::kLogicalAnd, out, "out", input, other);
}

diopiError_t diopiLogicalAndInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return connect(ctx, BinaryOp::kLogicalAnd, input, "input", input, other);
}

diopiError_t diopiLogicalOr(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t other) {
  return connect(ctx, BinaryOp::kLogicalOr, out, "out", input, other);
}

diopiError_t diopiLogicalOrInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return connect(ctx, BinaryOp::kLogicalOr, input, "input", input, other);
}

diopiError_t diopiBitwiseAnd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             diopiConstTensorHandle_t other) {
  return connect(ctx, BinaryOp::kBitwiseAnd, out, "out", input, other);
}

diopiError_t diopiBitwiseAndInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return connect(ctx, BinaryOp::kBitwiseAnd, input, "input", input, other);
}

diopiError_t diopiBitwiseAndScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   const diopiScalar_t* other) {
  return connect_scalar(ctx, BinaryOp::kBitwiseAnd, out, "out", input, other);
}

diopiError_t diopiBitwiseAndInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return connect_scalar(ctx, BinaryOp::kBitwiseAnd, input, "input", input, other);
}

diopiError_t diopiBitwiseOr(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t other) {
  return connect(ctx, BinaryOp::kBitwiseOr, out, "out", input, other);
}

diopiError_t diopiBitwiseOrInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return connect(ctx, BinaryOp::kBitwiseOr, input, "input", input, other);
}

diopiError_t diopiBitwiseOrScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                  const diopiScalar_t* other) {
  return connect_scalar(ctx, BinaryOp::kBitwiseOr, out, "out", input, other);
}

diopiError_t diopiBitwiseOrInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return connect_scalar(ctx, BinaryOp::kBitwiseOr, input, "input", input, other);
}

diopiError_t diopiLogicalNot(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return logical_not(ctx, out, "out", input);
}

diopiError_t diopiLogicalNotInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return logical_not(ctx, input, "input", input);
}

diopiError_t diopiBitwiseNot(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return bitwise_not(ctx, out, "out", input);
}

diopiError_t diopiBitwiseNotInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return bitwise_not(ctx, input, "input", input);
}

}  // namespace impl::cpu
