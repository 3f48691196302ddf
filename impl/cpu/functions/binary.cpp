// SPDX-License-Identifier: BSD-3-Clause
// All forms of Add, Sub, Mul, Div and Remainder.
#include <diopi/functions.h>

#include <cmath>

#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

using diopi::read_tensor;
using diopi::ResultType;

namespace {

// Whether the dtype is an integer or bool.
bool is_exact(diopiDtype_t dtype) { return !diopi::is_floating(dtype) && !diopi::is_complex(dtype); }

struct Alpha {
  alignas(16) char bytes[16];
  bool is_one = true;
};

// Reads the factor of the second operand; `negate` is for subtractions. For integers the factor must be a whole number;
// it is converted to an integer.
Status read_alpha(const diopiScalar_t* alpha, diopiDtype_t promoted, bool negate, Alpha* result) {
  if (alpha == nullptr) return diopiSuccess;
  diopiScalar_t factor = *alpha;
  if (is_exact(promoted) && diopi::is_floating(factor)) {
    DIOPI_REQUIRE(factor.fval == std::trunc(factor.fval), diopiErrorOccurred,
                  "alpha = %s is not an integer, which operands of dtype %s need", diopi::ScalarText(*alpha).c_str(),
                  diopi::dtype_name(promoted));
    DIOPI_TRY(diopi::require_fits(factor, "alpha", diopi_dtype_int64));
    factor.stype = diopi_dtype_int64;
    factor.ival = static_cast<int64_t>(alpha->fval);
  }
  result->is_one = diopi::is_floating(factor) ? factor.fval == 1 : factor.ival == 1;
  if (negate && diopi::is_floating(factor)) factor.fval = -factor.fval;
  if (negate && !diopi::is_floating(factor)) factor.ival = static_cast<int64_t>(-static_cast<uint64_t>(factor.ival));
  DIOPI_REQUIRE(diopi::fits(factor, promoted), diopiErrorOccurred, "alpha = %s%s does not fit dtype %s",
                diopi::ScalarText(*alpha).c_str(), negate ? ", negated," : "", diopi::dtype_name(promoted));
  return store_value(factor, "alpha", diopi::compute_dtype(promoted), result->bytes);
}

Status add(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
           diopiDtype_t promoted, const diopiScalar_t* alpha) {
  Alpha scale;
  DIOPI_TRY(read_alpha(alpha, promoted, false, &scale));
  // The sum of bools is a or (b and alpha).
  if (promoted == diopi_dtype_bool && !scale.is_one && scale.bytes[0] == 0) {
    return call_binary(ctx, BinaryOp::kAdd, out, a, a, promoted);
  }
  if (scale.is_one || promoted == diopi_dtype_bool) return call_binary(ctx, BinaryOp::kAdd, out, a, b, promoted);
  return call_binary(ctx, BinaryOp::kAddScaled, out, a, b, promoted, scale.bytes);
}

Status sub(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
           diopiDtype_t promoted, const diopiScalar_t* alpha) {
  DIOPI_REQUIRE(a.dtype != diopi_dtype_bool || b.dtype != diopi_dtype_bool, diopiDtypeNotSupported,
                "%s and %s are both bool: subtraction is not defined, use exclusive or", a.name, b.name);
  Alpha scale;
  DIOPI_TRY(read_alpha(alpha, promoted, true, &scale));
  if (scale.is_one) return call_binary(ctx, BinaryOp::kSub, out, a, b, promoted);
  return call_binary(ctx, BinaryOp::kAddScaled, out, a, b, promoted, scale.bytes);
}

Status mul(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
           diopiDtype_t promoted) {
  return call_binary(ctx, BinaryOp::kMul, out, a, b, promoted);
}

// Returns an error if integers are divided by zero. An empty result needs no quotient, so it is accepted. `scalar` is
// the source of the divisor, which may have become zero by wrapping around; it is null for a tensor. This is the last
// check.
Status require_nonzero(const TensorView& out, const TensorView& divisor, const diopiScalar_t* scalar) {
  if (out.numel == 0 || !has_zero(divisor)) return diopiSuccess;
  if (scalar == nullptr) {
    return diopi::fail(diopiErrorOccurred, "%s contains zero: integer division by zero", divisor.name);
  }
  return diopi::fail(diopiErrorOccurred, "%s = %s is zero in dtype %s: integer division by zero", divisor.name,
                     diopi::ScalarText(*scalar).c_str(), diopi::dtype_name(divisor.dtype));
}

// Computes a quotient or remainder in the promoted dtype.
Status divide(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, const TensorView& a, const TensorView& b,
              diopiDtype_t promoted, const diopiScalar_t* scalar) {
  if (binary_kernel(op, diopi::compute_dtype(promoted)) == nullptr) return unsupported_dtype(promoted, {&a, &b});
  if (is_exact(promoted)) {
    DIOPI_TRY(diopi::require_castable(promoted, out));
    DIOPI_TRY(require_broadcast_shape(out, a, b));
    DIOPI_TRY(require_nonzero(out, b, scalar));
  }
  return call_binary(ctx, op, out, a, b, promoted);
}

// The dtype of a quotient. Without rounding, the quotient of integers is floating point.
diopiDtype_t quotient_dtype(diopiDtype_t promoted, diopiRoundMode_t mode) {
  return mode == RoundModeNone && is_exact(promoted) ? diopi_dtype_float32 : promoted;
}

Status div(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
           diopiDtype_t promoted, diopiRoundMode_t mode, const diopiScalar_t* scalar) {
  if (mode == RoundModeNone) return call_binary(ctx, BinaryOp::kDiv, out, a, b, quotient_dtype(promoted, mode));
  DIOPI_REQUIRE(mode == RoundModeTrunc || mode == RoundModeFloor, diopiErrorOccurred,
                "rounding_mode = %d is none of RoundModeNone, RoundModeTrunc, RoundModeFloor", static_cast<int>(mode));
  const BinaryOp op = mode == RoundModeTrunc ? BinaryOp::kDivTrunc : BinaryOp::kDivFloor;
  return divide(ctx, op, out, a, b, promoted, scalar);
}

Status remainder(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
                 diopiDtype_t promoted, const diopiScalar_t* scalar) {
  return divide(ctx, BinaryOp::kRemainder, out, a, b, promoted, scalar);
}

// Reads the operands and calls body(ctx, out, a, b, promoted, rest...).
template <typename F, typename... Rest>
Status with_tensors(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t other, F body, Rest... rest) {
  TensorView o, a, b;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(other, "other", &b));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  return body(ctx, o, a, b, ResultType().tensor(a.dtype, a.ndim()).tensor(b.dtype, b.ndim()).get(), rest...);
}

template <typename F, typename... Rest>
Status with_scalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                   diopiConstTensorHandle_t input, const diopiScalar_t* other, F body, Rest... rest) {
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const diopiDtype_t promoted = ResultType().tensor(a.dtype, a.ndim()).scalar(*other).get();
  const ScalarOperand b(*other, promoted, "other");
  return body(ctx, o, a, b.view(), promoted, rest...);
}

Status div_scalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                  diopiConstTensorHandle_t input, const diopiScalar_t* other, diopiRoundMode_t mode) {
  TensorView o, a;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  const diopiDtype_t promoted = ResultType().tensor(a.dtype, a.ndim()).scalar(*other).get();
  // The quotient without rounding uses the scalar unchanged: 256 is not zero, although it would wrap to zero in uint8.
  const ScalarOperand b(*other, quotient_dtype(promoted, mode), "other");
  return div(ctx, o, a, b.view(), promoted, mode, other);
}

}  // namespace

diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return with_tensors(ctx, out, "out", input, other, add, alpha);
}

diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return with_tensors(ctx, input, "input", input, other, add, alpha);
}

diopiError_t diopiAddScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, const diopiScalar_t* alpha) {
  return with_scalar(ctx, out, "out", input, other, add, alpha);
}

diopiError_t diopiAddInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other,
                               const diopiScalar_t* alpha) {
  return with_scalar(ctx, input, "input", input, other, add, alpha);
}

diopiError_t diopiSub(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return with_tensors(ctx, out, "out", input, other, sub, alpha);
}

diopiError_t diopiSubInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return with_tensors(ctx, input, "input", input, other, sub, alpha);
}

diopiError_t diopiSubScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, const diopiScalar_t* alpha) {
  return with_scalar(ctx, out, "out", input, other, sub, alpha);
}

diopiError_t diopiSubInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other,
                               const diopiScalar_t* alpha) {
  return with_scalar(ctx, input, "input", input, other, sub, alpha);
}

diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other) {
  return with_tensors(ctx, out, "out", input, other, mul);
}

diopiError_t diopiMulInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return with_tensors(ctx, input, "input", input, other, mul);
}

diopiError_t diopiMulScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other) {
  return with_scalar(ctx, out, "out", input, other, mul);
}

diopiError_t diopiMulInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return with_scalar(ctx, input, "input", input, other, mul);
}

diopiError_t diopiDiv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, diopiRoundMode_t rounding_mode) {
  return with_tensors(ctx, out, "out", input, other, div, rounding_mode, nullptr);
}

diopiError_t diopiDivInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         diopiRoundMode_t rounding_mode) {
  return with_tensors(ctx, input, "input", input, other, div, rounding_mode, nullptr);
}

diopiError_t diopiDivScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, diopiRoundMode_t rounding_mode) {
  return div_scalar(ctx, out, "out", input, other, rounding_mode);
}

diopiError_t diopiDivInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* other,
                               diopiRoundMode_t rounding_mode) {
  return div_scalar(ctx, input, "input", input, other, rounding_mode);
}

diopiError_t diopiRemainderTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t other) {
  return with_tensors(ctx, out, "out", input, other, remainder, nullptr);
}

diopiError_t diopiRemainderScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                  const diopiScalar_t* other) {
  return with_scalar(ctx, out, "out", input, other, remainder, other);
}

diopiError_t diopiRemainder(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* input,
                            diopiConstTensorHandle_t other) {
  TensorView o, b;
  DIOPI_TRY(read_tensor(other, "other", &b));
  DIOPI_TRY(read_tensor(out, "out", &o));
  const diopiDtype_t promoted = ResultType().tensor(b.dtype, b.ndim()).scalar(*input).get();
  const ScalarOperand a(*input, promoted, "input");
  return remainder(ctx, o, a.view(), b, promoted, nullptr);
}

}  // namespace impl::cpu
