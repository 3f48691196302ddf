// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/unary.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cpu/pointwise/half.hpp"

namespace impl::cpu {

namespace {

diopiDtype_t dtype_of_result(UnaryOp op, diopiDtype_t dtype) {
  if (op == UnaryOp::kAbs) return diopi::real_dtype(dtype);
  return gives_floating(op) ? diopi::floating_dtype(dtype) : dtype;
}

// Silu, Gelu, Exp and all functions that UnaryOp lists after Exp are computed by polynomials.
bool is_costly(UnaryOp op) {
  return op == UnaryOp::kSilu || op == UnaryOp::kGelu || op == UnaryOp::kGeluTanh || op >= UnaryOp::kExp;
}

}  // namespace

Status run_unary(diopiContextHandle_t ctx, UnaryOp op, const TensorView& out, const TensorView& in) {
  const diopiDtype_t result = dtype_of_result(op, in.dtype);
  diopiDtype_t compute = in.dtype, compute_result = result;
  BlockFn fn = result == in.dtype || diopi::is_complex(in.dtype) ? unary_kernel(op, in.dtype) : nullptr;
  if (fn == nullptr && out.dtype == in.dtype) fn = half_unary_kernel(op, in.dtype);
  if (fn == nullptr) {  // integers and 16-bit floating point use the dtype of computation
    compute = compute_result = diopi::compute_dtype(result);
    fn = unary_kernel(op, compute);
  }
  if (fn == nullptr) return diopi::unsupported_dtype(in.dtype, {&in});
  ElementwiseKernel kernel = mixed_kernel(fn, compute, 1, compute_result);
  kernel.costly = is_costly(op);
  return run_elementwise(ctx, kernel, &out, &in);
}

}  // namespace impl::cpu
