// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/pool_max.hpp"

#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/apart.hpp"
#include "impl/cuda/engine/deferred.hpp"
#include "impl/cuda/kernels/pool/pool.hpp"

namespace impl::cuda {

Status run_max_pool(diopiContextHandle_t ctx, const Windows& windows, const TensorView& out, const TensorView* indices,
                    const TensorView& in) {
  TensorView result, positions;
  DIOPI_TRY(apart_from(ctx, out, {&in}, &result));
  if (indices != nullptr) DIOPI_TRY(apart_from(ctx, *indices, {&in}, &positions));
  DIOPI_TRY(max_pool(ctx, windows, result, indices != nullptr ? &positions : nullptr, in));
  DIOPI_TRY(copy_unless_same(ctx, out, result));
  return indices != nullptr ? copy_unless_same(ctx, *indices, positions) : Status(diopiSuccess);
}

Status run_max_pool_backward(diopiContextHandle_t ctx, const Windows& windows, const TensorView& grad_input,
                             const TensorView& grad_output, const TensorView& indices) {
  TensorView result;
  DIOPI_TRY(apart_from(ctx, grad_input, {&grad_output, &indices}, &result));
  DeferredCheck check;
  if (grad_output.numel > 0 && !diopi::in_dry_run()) {
    const int64_t plane = windows.dim[0].in * windows.dim[1].in * windows.dim[2].in;
    DIOPI_TRY(check.begin(ctx, Refusal([plane](int64_t position, int64_t value) -> Status {
                            return refuse_position(value, position, plane);
                          })));
  }
  DIOPI_TRY(max_pool_backward(ctx, windows, result, grad_output, indices, check.bad()));
  DIOPI_TRY(copy_unless_same(ctx, grad_input, result));
  return check.end();
}

// The gradient, which reads the indices, reports those outside.
Status find_index_outside(diopiContextHandle_t /*ctx*/, const TensorView& /*indices*/, int64_t /*below*/,
                          IndexOutside* found) {
  *found = IndexOutside();
  return diopiSuccess;
}

}  // namespace impl::cuda
