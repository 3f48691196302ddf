// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/unary.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cuda/kernels/elementwise/unary.hpp"

namespace impl::cuda {

namespace {

// The dtype in which the operation is computed: that of its result, and at least float32 for floating point.
diopiDtype_t dtype_of_computation(UnaryOp op, diopiDtype_t dtype) {
  return diopi::compute_dtype(gives_floating(op) ? diopi::floating_dtype(dtype) : dtype);
}

}  // namespace

Status run_unary(diopiContextHandle_t ctx, UnaryOp op, const TensorView& out, const TensorView& in) {
  const diopiDtype_t dtype = dtype_of_computation(op, in.dtype);
  if (!has_unary(op, dtype)) return diopi::unsupported_dtype(in.dtype, {&in});
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, &in, 1, &call));
  return launch_unary(call, op, dtype);
}

}  // namespace impl::cuda
