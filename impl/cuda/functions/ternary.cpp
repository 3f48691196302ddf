// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/ternary.hpp"

#include "impl/common/unsupported.hpp"

namespace impl::cuda {

Status run_ternary(diopiContextHandle_t ctx, TernaryOp op, const TensorView& out, const TensorView& a,
                   const TensorView& b, const TensorView& c, diopiDtype_t promoted, const void* params) {
  const diopiDtype_t dtype = diopi::compute_dtype(promoted);
  if (!has_ternary(op, dtype)) return diopi::unsupported_dtype(promoted, {&a, &b, &c});
  const TensorView inputs[] = {a, b, c};
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, inputs, 3, &call));
  return launch_ternary(call, op, dtype, params);
}

Status run_select(diopiContextHandle_t ctx, const TensorView& out, const TensorView& mask, const TensorView& a,
                  const TensorView& b, diopiDtype_t dtype) {
  const TensorView inputs[] = {mask, a, b};
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, inputs, 3, &call));
  return launch_select(call, dtype);
}

}  // namespace impl::cuda
