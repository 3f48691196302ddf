// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/pool_max.hpp"

#include "impl/cuda/engine/apart.hpp"
#include "impl/cuda/kernels/elementwise/check.hpp"
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
  DIOPI_TRY(max_pool_backward(ctx, windows, result, grad_output, indices));
  return copy_unless_same(ctx, grad_input, result);
}

Status find_index_outside(diopiContextHandle_t ctx, const TensorView& indices, int64_t below, IndexOutside* found) {
  *found = IndexOutside();
  return check_below(ctx, indices, below, 0, Refusal([below](int64_t position, int64_t value) -> Status {
                       return refuse_position(value, position, below);
                     }));
}

}  // namespace impl::cuda
