// SPDX-License-Identifier: BSD-3-Clause
// Where and MaskedFill: a mask selects between two values.
#include <diopi/functions.h>

#include "impl/common/runtime_call.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/pointwise/ternary.hpp"

namespace impl::cpu {

using diopi::read_tensor;
using diopi::ResultType;

namespace {

Status require_mask(const TensorView& mask) {
  DIOPI_REQUIRE(mask.dtype == diopi_dtype_bool || mask.dtype == diopi_dtype_uint8, diopiDtypeNotSupported,
                "%s has dtype %s, expected bool", mask.name, diopi::dtype_name(mask.dtype));
  return diopiSuccess;
}

// out = mask ? a : b in `dtype`. Elements are copied, so float16 and bfloat16 are not converted.
Status select(diopiContextHandle_t ctx, const TensorView& out, const TensorView& mask, const TensorView& a,
              const TensorView& b, diopiDtype_t dtype) {
  Dims shape;
  DIOPI_TRY(require_mask(mask));
  DIOPI_TRY(diopi::broadcast_shapes(mask, a, &shape));
  DIOPI_TRY(diopi::broadcast_shapes(shape, mask.name, b, &shape));
  DIOPI_TRY(diopi::require_result_shape(out, shape));
  DIOPI_TRY(diopi::require_castable(dtype, out));
  ElementwiseKernel kernel = uniform_kernel(select_kernel(diopi::dtype_size(dtype)), dtype, 3);
  kernel.in[0] = mask.dtype;
  const TensorView inputs[] = {mask, a, b};
  return run_elementwise(ctx, kernel, &out, inputs);
}

// Replaces elements of `input` by `value` where `mask` is set. The result has the dtype of `input`.
Status masked_fill(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                   diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask, const TensorView& value) {
  TensorView o, a, m;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(mask, "mask", &m));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  DIOPI_REQUIRE(value.numel == 1 && value.ndim() <= 1, diopiErrorOccurred, "value has shape %s, expected one element",
                diopi::Text(value.shape).c_str());
  return select(ctx, o, m, value, a, a.dtype);
}

Status masked_fill_tensor(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                          diopiConstTensorHandle_t value) {
  TensorView v;
  DIOPI_TRY(read_tensor(value, "value", &v));
  return masked_fill(ctx, out, out_name, input, mask, v);
}

Status masked_fill_scalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask, const diopiScalar_t* value) {
  TensorView a;
  ScalarValue scalar;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(scalar.read(*value, "value", a.dtype));
  return masked_fill(ctx, out, out_name, input, mask, scalar.view());
}

}  // namespace

diopiError_t diopiWhere(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t condition,
                        diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  TensorView o, c, a, b;
  DIOPI_TRY(read_tensor(condition, "condition", &c));
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(other, "other", &b));
  DIOPI_TRY(read_tensor(out, "out", &o));
  return select(ctx, o, c, a, b, ResultType().tensor(a.dtype, a.ndim()).tensor(b.dtype, b.ndim()).get());
}

diopiError_t diopiMaskedFill(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             diopiConstTensorHandle_t mask, diopiConstTensorHandle_t value) {
  return masked_fill_tensor(ctx, out, "out", input, mask, value);
}

diopiError_t diopiMaskedFillInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t mask,
                                diopiConstTensorHandle_t value) {
  return masked_fill_tensor(ctx, input, "input", input, mask, value);
}

diopiError_t diopiMaskedFillScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   diopiConstTensorHandle_t mask, const diopiScalar_t* value) {
  return masked_fill_scalar(ctx, out, "out", input, mask, value);
}

diopiError_t diopiMaskedFillInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                      diopiConstTensorHandle_t mask, const diopiScalar_t* value) {
  return masked_fill_scalar(ctx, input, "input", input, mask, value);
}

}  // namespace impl::cpu
