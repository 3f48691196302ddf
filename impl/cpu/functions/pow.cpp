// SPDX-License-Identifier: BSD-3-Clause
// Powers: tensor to scalar, scalar to tensor, tensor to tensor.
#include <diopi/functions.h>

#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

using diopi::read_tensor;
using diopi::ResultType;

namespace {

bool is_integer_exponent(const diopiScalar_t& exponent, int64_t value) {
  return diopi::is_floating(exponent) ? exponent.fval == static_cast<double>(value) : exponent.ival == value;
}

Status pow_scalar_exponent(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                           diopiConstTensorHandle_t input, const diopiScalar_t& exponent) {
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const diopiDtype_t promoted = ResultType().tensor(a.dtype, a.ndim()).scalar(exponent).get();
  DIOPI_REQUIRE(!diopi::is_integral(promoted) || exponent.ival >= 0, diopiErrorOccurred,
                "exponent = %lld is negative: integers have no negative integer powers",
                static_cast<long long>(exponent.ival));
  if (promoted == diopi_dtype_bool) {  // x ^ true is x, and x ^ false is true
    diopiScalar_t negated = exponent;
    negated.ival = exponent.ival == 0 ? 1 : 0;
    const ScalarOperand b(negated, promoted, "exponent");
    return call_binary(ctx, BinaryOp::kLogicalOr, o, a, b.view(), promoted);
  }
  // An exponent of 2 is one multiplication.
  if (is_integer_exponent(exponent, 2)) {
    return call_binary(ctx, BinaryOp::kMul, o, a, a, promoted);
  }
  // For float32, an exponent beyond its range acts like infinity, so it is accepted.
  if (promoted != diopi_dtype_float32 && promoted != diopi_dtype_complex64) {
    DIOPI_TRY(diopi::require_fits(exponent, "exponent", promoted));
  }
  const ScalarOperand b(exponent, promoted, "exponent");
  return call_binary(ctx, BinaryOp::kPow, o, a, b.view(), promoted);
}

Status pow_tensors(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                   diopiConstTensorHandle_t input, diopiConstTensorHandle_t exponent) {
  TensorView o, a, b;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(exponent, "exponent", &b));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  return call_binary(ctx, BinaryOp::kPow, o, a, b,
                     ResultType().tensor(a.dtype, a.ndim()).tensor(b.dtype, b.ndim()).get());
}

}  // namespace

diopiError_t diopiPow(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      const diopiScalar_t* exponent) {
  return pow_scalar_exponent(ctx, out, "out", input, *exponent);
}

diopiError_t diopiPowInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* exponent) {
  return pow_scalar_exponent(ctx, input, "input", input, *exponent);
}

diopiError_t diopiPowScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* input,
                            diopiConstTensorHandle_t exponent) {
  TensorView o, b;
  DIOPI_TRY(read_tensor(exponent, "exponent", &b));
  DIOPI_TRY(read_tensor(out, "out", &o));
  const diopiDtype_t promoted = ResultType().tensor(b.dtype, b.ndim()).scalar(*input).get();
  const ScalarOperand a(*input, promoted, "input");
  return call_binary(ctx, BinaryOp::kPow, o, a.view(), b, promoted);
}

diopiError_t diopiPowTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t exponent) {
  return pow_tensors(ctx, out, "out", input, exponent);
}

diopiError_t diopiPowInpTensor(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t exponent) {
  return pow_tensors(ctx, input, "input", input, exponent);
}

}  // namespace impl::cpu
