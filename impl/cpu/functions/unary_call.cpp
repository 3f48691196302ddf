// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/unary_call.hpp"

#include "impl/common/shape.hpp"
#include "impl/cpu/pointwise/half.hpp"

namespace impl::cpu {

Status unsupported_operand(const TensorView& operand) {
  return diopi::fail(diopiDtypeNotSupported, "is not defined for %s of dtype %s", operand.name,
                     diopi::dtype_name(operand.dtype));
}

namespace {

diopiDtype_t dtype_of_result(UnaryOp op, diopiDtype_t dtype) {
  if (op == UnaryOp::kAbs && diopi::is_complex(dtype)) {
    return dtype == diopi_dtype_complex128 ? diopi_dtype_float64 : diopi_dtype_float32;
  }
  if (gives_floating(op) && !diopi::is_floating(dtype) && !diopi::is_complex(dtype)) return diopi_dtype_float32;
  return dtype;
}

}  // namespace

Status call_unary(diopiContextHandle_t ctx, UnaryOp op, diopiTensorHandle_t out, const char* out_name,
                  diopiConstTensorHandle_t input) {
  TensorView o, a;
  DIOPI_TRY(diopi::read_tensor(input, "input", &a));
  DIOPI_TRY(diopi::read_tensor(out, out_name, &o));
  if (unary_kernel(op, diopi::compute_dtype(dtype_of_result(op, a.dtype))) == nullptr) return unsupported_operand(a);
  DIOPI_TRY(diopi::require_castable(dtype_of_result(op, a.dtype), o));
  DIOPI_TRY(diopi::require_result_shape(o, a));
  return run_unary(ctx, op, o, a);
}

Status run_unary(diopiContextHandle_t ctx, UnaryOp op, const TensorView& o, const TensorView& a) {
  const diopiDtype_t result = dtype_of_result(op, a.dtype);
  diopiDtype_t compute = a.dtype, compute_result = result;
  BlockFn fn = result == a.dtype || diopi::is_complex(a.dtype) ? unary_kernel(op, a.dtype) : nullptr;
  if (fn == nullptr && o.dtype == a.dtype) fn = half_unary_kernel(op, a.dtype);
  if (fn == nullptr) {  // integers and 16-bit floating point use the dtype of computation
    compute = compute_result = diopi::compute_dtype(result);
    fn = unary_kernel(op, compute);
  }
  if (fn == nullptr) return unsupported_operand(a);
  return run_elementwise(ctx, mixed_kernel(fn, compute, 1, compute_result), &o, &a);
}

}  // namespace impl::cpu
