// SPDX-License-Identifier: BSD-3-Clause
// Sum, Mean, Prod, Any, All over any dimensions.
#include <diopi/functions.h>

#include "impl/common/shape.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/kernels/reduce_kernels.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// Folds in the compute dtype of `promoted`, after the input was converted to it.
Status reduce(diopiContextHandle_t ctx, ReduceOp op, const TensorView& out, const TensorView& input, uint32_t mask,
              diopiDtype_t promoted) {
  const ReduceKernel* kernel = promoted == input.dtype ? half_reduce_kernel(op, promoted) : nullptr;
  if (kernel == nullptr) kernel = reduce_kernel(op, diopi::compute_dtype(promoted));
  if (kernel == nullptr) return unsupported_dtype(promoted, {&input, &out});
  DIOPI_TRY(diopi::require_castable(promoted, out));
  DIOPI_TRY(diopi::require_reduced_shape(out, input, mask));
  return run_reduce(ctx, *kernel, &out, input, mask);
}

// Integers and bool are accumulated in int64; where `out` is floating point, in its dtype (torch's `dtype=`).
diopiDtype_t accumulation_dtype(diopiDtype_t input, diopiDtype_t out) {
  const diopiDtype_t promoted = diopi::promote_types(input, out);
  return diopi::is_floating(promoted) || diopi::is_complex(promoted) ? promoted : diopi_dtype_int64;
}

Status read_reduction(diopiTensorHandle_t out, diopiConstTensorHandle_t input, const diopiSize_t& dim, TensorView* o,
                      TensorView* in, uint32_t* mask) {
  DIOPI_TRY(read_tensor(input, "input", in));
  DIOPI_TRY(read_tensor(out, "out", o));
  return diopi::read_axes(dim, *in, "dim", mask);
}

// Over one dimension, or over all where `dim` is null.
Status reduce_dim_or_all(diopiContextHandle_t ctx, ReduceOp op, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         const int64_t* dim, bool predicate) {
  TensorView o, in;
  uint32_t mask = 0;
  DIOPI_TRY(read_reduction(out, input, diopiSize_t{dim, dim != nullptr ? 1 : 0}, &o, &in, &mask));
  return reduce(ctx, op, o, in, mask, predicate ? diopi_dtype_bool : accumulation_dtype(in.dtype, o.dtype));
}

}  // namespace

diopiError_t diopiSum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiSize_t dim) {
  TensorView o, in;
  uint32_t mask = 0;
  DIOPI_TRY(read_reduction(out, input, dim, &o, &in, &mask));
  DIOPI_TRY(diopi::require_castable(in.dtype, o));
  return reduce(ctx, ReduceOp::kSum, o, in, mask, accumulation_dtype(in.dtype, o.dtype));
}

diopiError_t diopiMean(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       diopiSize_t dim) {
  TensorView o, in;
  uint32_t mask = 0;
  DIOPI_TRY(read_reduction(out, input, dim, &o, &in, &mask));
  DIOPI_REQUIRE(diopi::is_floating(o.dtype) || diopi::is_complex(o.dtype), diopiDtypeNotSupported,
                "out has dtype %s, expected a floating point or complex dtype", diopi::dtype_name(o.dtype));
  DIOPI_TRY(diopi::require_castable(in.dtype, o));
  return reduce(ctx, ReduceOp::kMean, o, in, mask, diopi::promote_types(in.dtype, o.dtype));
}

diopiError_t diopiProd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       const int64_t* dim) {
  TensorView o;
  DIOPI_TRY(read_tensor(out, "out", &o));
  diopiDtype_t dtype;
  DIOPI_TRY(diopiGetTensorDtype(input, &dtype));
  DIOPI_TRY(diopi::require_castable(dtype, o));
  return reduce_dim_or_all(ctx, ReduceOp::kProd, out, input, dim, false);
}

diopiError_t diopiAny(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      const int64_t* dim) {
  return reduce_dim_or_all(ctx, ReduceOp::kAny, out, input, dim, true);
}

diopiError_t diopiAll(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      const int64_t* dim) {
  return reduce_dim_or_all(ctx, ReduceOp::kAll, out, input, dim, true);
}

}  // namespace impl::cpu
