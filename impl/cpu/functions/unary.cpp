// SPDX-License-Identifier: BSD-3-Clause
// Functions of one tensor, each with an in-place form.
#include <diopi/functions.h>

#include "impl/cpu/functions/unary_call.hpp"

namespace impl::cpu {

diopiError_t diopiAbs(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAbs, out, "out", input);
}
// As in PyTorch a complex tensor has no absolute values in place, though it can be the output of diopiAbs.
diopiError_t diopiAbsInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  TensorView view;
  DIOPI_TRY(diopi::read_tensor(input, "input", &view));
  if (diopi::is_complex(view.dtype)) return unsupported_operand(view);
  return call_unary(ctx, UnaryOp::kAbs, input, "input", input);
}

diopiError_t diopiNeg(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kNeg, out, "out", input);
}
diopiError_t diopiNegInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kNeg, input, "input", input);
}

diopiError_t diopiSign(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSign, out, "out", input);
}

diopiError_t diopiSgn(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSgn, out, "out", input);
}
diopiError_t diopiSgnInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSgn, input, "input", input);
}

diopiError_t diopiFloor(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kFloor, out, "out", input);
}
diopiError_t diopiFloorInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kFloor, input, "input", input);
}

diopiError_t diopiCeil(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kCeil, out, "out", input);
}
diopiError_t diopiCeilInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kCeil, input, "input", input);
}

diopiError_t diopiReciprocal(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kReciprocal, out, "out", input);
}
diopiError_t diopiReciprocalInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kReciprocal, input, "input", input);
}

diopiError_t diopiSqrt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSqrt, out, "out", input);
}
diopiError_t diopiSqrtInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSqrt, input, "input", input);
}

diopiError_t diopiRsqrt(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kRsqrt, out, "out", input);
}
diopiError_t diopiRsqrtInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kRsqrt, input, "input", input);
}

diopiError_t diopiExp(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kExp, out, "out", input);
}
diopiError_t diopiExpInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kExp, input, "input", input);
}

diopiError_t diopiExpm1(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kExpm1, out, "out", input);
}
diopiError_t diopiExpm1Inp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kExpm1, input, "input", input);
}

diopiError_t diopiLog(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kLog, out, "out", input);
}
diopiError_t diopiLogInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kLog, input, "input", input);
}

diopiError_t diopiLog2(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kLog2, out, "out", input);
}
diopiError_t diopiLog2Inp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kLog2, input, "input", input);
}

diopiError_t diopiLog10(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kLog10, out, "out", input);
}
diopiError_t diopiLog10Inp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kLog10, input, "input", input);
}

diopiError_t diopiLog1p(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kLog1p, out, "out", input);
}
diopiError_t diopiLog1pInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kLog1p, input, "input", input);
}

diopiError_t diopiSin(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSin, out, "out", input);
}
diopiError_t diopiSinInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSin, input, "input", input);
}

diopiError_t diopiCos(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kCos, out, "out", input);
}
diopiError_t diopiCosInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kCos, input, "input", input);
}

diopiError_t diopiTan(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kTan, out, "out", input);
}
diopiError_t diopiTanInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kTan, input, "input", input);
}

diopiError_t diopiAsin(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAsin, out, "out", input);
}
diopiError_t diopiAsinInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAsin, input, "input", input);
}

diopiError_t diopiAcos(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAcos, out, "out", input);
}
diopiError_t diopiAcosInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAcos, input, "input", input);
}

diopiError_t diopiAtan(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAtan, out, "out", input);
}
diopiError_t diopiAtanInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAtan, input, "input", input);
}

diopiError_t diopiSinh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSinh, out, "out", input);
}
diopiError_t diopiSinhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kSinh, input, "input", input);
}

diopiError_t diopiCosh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kCosh, out, "out", input);
}
diopiError_t diopiCoshInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kCosh, input, "input", input);
}

diopiError_t diopiTanh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kTanh, out, "out", input);
}
diopiError_t diopiTanhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kTanh, input, "input", input);
}

diopiError_t diopiAsinh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAsinh, out, "out", input);
}
diopiError_t diopiAsinhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAsinh, input, "input", input);
}

diopiError_t diopiAcosh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAcosh, out, "out", input);
}
diopiError_t diopiAcoshInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAcosh, input, "input", input);
}

diopiError_t diopiAtanh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAtanh, out, "out", input);
}
diopiError_t diopiAtanhInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kAtanh, input, "input", input);
}

diopiError_t diopiErf(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kErf, out, "out", input);
}
diopiError_t diopiErfInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kErf, input, "input", input);
}

diopiError_t diopiErfinv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kErfinv, out, "out", input);
}
diopiError_t diopiErfinvInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return call_unary(ctx, UnaryOp::kErfinv, input, "input", input);
}

}  // namespace impl::cpu
