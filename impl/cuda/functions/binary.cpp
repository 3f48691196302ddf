// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/binary.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cuda/engine/deferred.hpp"
#include "impl/cuda/kernels/copy/copy.hpp"
#include "impl/cuda/kernels/elementwise/binary.hpp"

namespace impl::cuda {

namespace {

Status divide(diopiContextHandle_t ctx, BinaryOp op, const MapCall& call, const TensorView& divisor,
              diopiDtype_t dtype) {
  const bool checks = diopi::is_exact(dtype) && op != BinaryOp::kDiv && op != BinaryOp::kPow;
  if (!checks || call.idle) return launch_division(call, op, dtype, FirstBad());
  const ParameterName name(divisor.name);
  DeferredCheck check;
  DIOPI_TRY(check.begin(ctx, Refusal([name](int64_t, int64_t) -> Status { return refuse_zero(name.text); })));
  DIOPI_TRY(launch_division(call, op, dtype, check.bad()));
  return check.end();
}

}  // namespace

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
  return divides ? divide(ctx, op, call, b, dtype) : launch_arithmetic(call, op, dtype, params);
}

// Looks at a number of the caller. run_binary() reports the zeros of a tensor.
Status any_zero(diopiContextHandle_t, const TensorView& view, bool* found) {
  *found = false;
  if (view.numel != 1 || !on_host(view.data)) return diopiSuccess;
  int64_t number = 0;
  convert_number(view, diopi_dtype_int64, &number);
  *found = number == 0;
  return diopiSuccess;
}

}  // namespace impl::cuda
