// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/binary.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cuda/kernels/elementwise/binary.hpp"

namespace impl::cuda {

Status run_binary(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, const TensorView& a,
                  const TensorView& b, diopiDtype_t promoted, const void* params) {
  const diopiDtype_t dtype = diopi::compute_dtype(promoted);
  if (!has_binary(op, dtype)) return diopi::unsupported_dtype(promoted, {&a, &b});
  const TensorView inputs[] = {a, b};
  MapCall call;
  DIOPI_TRY(prepare_map(ctx, out, inputs, 2, &call));
  if (is_predicate(op)) {
    const diopiDtype_t rounded[] = {a.ndim() == 0 ? promoted : dtype, b.ndim() == 0 ? promoted : dtype};
    return launch_compare(call, op, dtype, rounded);
  }
  const bool divides = (op >= BinaryOp::kDiv && op <= BinaryOp::kRemainder) || op == BinaryOp::kPow;
  return divides ? launch_division(call, op, dtype) : launch_arithmetic(call, op, dtype, params);
}

}  // namespace impl::cuda
