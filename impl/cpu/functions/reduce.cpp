// SPDX-License-Identifier: BSD-3-Clause
// Sum, Mean, Prod, Any, All over any dimensions.
#include <diopi/functions.h>

#include "impl/common/shape.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/asked_dtype.hpp"
#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// Reduces `input`, whose elements are read as `dtype`.
Status fold(diopiContextHandle_t ctx, ReduceOp op, const TensorView& out, const TensorView& input, uint32_t mask,
            diopiDtype_t dtype) {
  const ReduceKernel* kernel = dtype == input.dtype ? half_reduce_kernel(op, dtype) : nullptr;
  if (kernel == nullptr) kernel = reduce_kernel(op, diopi::compute_dtype(dtype));
  if (kernel == nullptr) return unsupported_dtype(dtype, {&input, &out});
  return run_reduce(ctx, *kernel, &out, input, mask);
}

// Reduces in the dtype of `out`. For bool, a sum is whether any element is true, and a product whether all are.
Status fold_as_asked(diopiContextHandle_t ctx, ReduceOp op, const TensorView& out, TensorView input, uint32_t mask) {
  DIOPI_TRY(diopi::require_reduced_shape(out, input, mask));
  if (out.dtype == diopi_dtype_bool) {
    return fold(ctx, op == ReduceOp::kProd ? ReduceOp::kAll : ReduceOp::kAny, out, input, mask, diopi_dtype_bool);
  }
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(convert_to_asked(ctx, out.dtype, &input));
  const bool halves = diopi::is_reduced_float(out.dtype);
  return fold(ctx, op, out, input, mask, halves ? out.dtype : accumulation_dtype(out.dtype));
}

Status read_reduction(diopiTensorHandle_t out, diopiConstTensorHandle_t input, const diopiSize_t& dim, TensorView* o,
                      TensorView* in, uint32_t* mask) {
  DIOPI_TRY(read_tensor(input, "input", in));
  DIOPI_TRY(read_tensor(out, "out", o));
  return diopi::read_axes(dim, *in, "dim", mask);
}

// The list of one dimension, or the empty list (all dimensions) if `dim` is null.
diopiSize_t one_or_all(const int64_t* dim) { return diopiSize_t{dim, dim != nullptr ? 1 : 0}; }

Status predicate(diopiContextHandle_t ctx, ReduceOp op, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                 const int64_t* dim) {
  TensorView o, in;
  uint32_t mask = 0;
  DIOPI_TRY(read_reduction(out, input, one_or_all(dim), &o, &in, &mask));
  DIOPI_TRY(diopi::require_reduced_shape(o, in, mask));
  return fold(ctx, op, o, in, mask, diopi_dtype_bool);
}

}  // namespace

diopiError_t diopiSum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiSize_t dim) {
  TensorView o, in;
  uint32_t mask = 0;
  DIOPI_TRY(read_reduction(out, input, dim, &o, &in, &mask));
  return fold_as_asked(ctx, ReduceOp::kSum, o, in, mask);
}

diopiError_t diopiMean(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       diopiSize_t dim) {
  TensorView o, in;
  uint32_t mask = 0;
  DIOPI_TRY(read_reduction(out, input, dim, &o, &in, &mask));
  DIOPI_REQUIRE(diopi::is_floating(o.dtype) || diopi::is_complex(o.dtype), diopiDtypeNotSupported,
                "out has dtype %s, expected a floating point or complex dtype", diopi::dtype_name(o.dtype));
  return fold_as_asked(ctx, ReduceOp::kMean, o, in, mask);
}

diopiError_t diopiProd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       const int64_t* dim) {
  TensorView o, in;
  uint32_t mask = 0;
  DIOPI_TRY(read_reduction(out, input, one_or_all(dim), &o, &in, &mask));
  return fold_as_asked(ctx, ReduceOp::kProd, o, in, mask);
}

diopiError_t diopiAny(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      const int64_t* dim) {
  return predicate(ctx, ReduceOp::kAny, out, input, dim);
}

diopiError_t diopiAll(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      const int64_t* dim) {
  return predicate(ctx, ReduceOp::kAll, out, input, dim);
}

}  // namespace impl::cpu
