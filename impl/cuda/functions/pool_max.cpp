// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/pool_max.hpp"

#include "impl/cuda/engine/apart.hpp"
#include "impl/cuda/engine/outside.hpp"
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
  Outside outside;
  DIOPI_TRY(find_outside(ctx, indices, below, 0, &outside));
  *found = {outside.position, outside.value};
  return diopiSuccess;
}

}  // namespace impl::cuda
