// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/pool_avg.hpp"

#include "impl/common/engine/reduce.hpp"
#include "impl/cuda/engine/apart.hpp"
#include "impl/cuda/kernels/pool/pool.hpp"

namespace impl::cuda {

Status run_avg_pool(diopiContextHandle_t ctx, const Windows& windows, const Averaging& averaging, const TensorView& out,
                    const TensorView& in) {
  constexpr uint32_t kSpace = 0b11100;
  constexpr int64_t kShortRow = 1024;
  const bool adaptive = windows.dim[diopi::kMaxSpatial - 1].kernel == 0;
  const bool single = windows.dim[0].out == 1 && windows.dim[1].out == 1 && windows.dim[2].out == 1;
  const int64_t elements = in.shape[2] * in.shape[3] * in.shape[4];
  const bool short_rows =
      in.stride[4] == 1 && elements <= kShortRow;  // a warp of avg_pool() reads such a plane at once
  if (adaptive && single && !short_rows && diopi::is_floating(in.dtype)) {
    return run_reduce(ctx, diopi::ReduceOp::kMean, out, in, kSpace, diopi::compute_dtype(in.dtype));
  }
  TensorView result;
  DIOPI_TRY(apart_from(ctx, out, {&in}, &result));
  DIOPI_TRY(avg_pool(ctx, windows, averaging, result, in));
  return copy_unless_same(ctx, out, result);
}

Status run_avg_pool_backward(diopiContextHandle_t ctx, const Windows& windows, const Averaging& averaging,
                             const TensorView& grad_input, const TensorView& grad_output) {
  TensorView result;
  DIOPI_TRY(apart_from(ctx, grad_input, {&grad_output}, &result));
  DIOPI_TRY(avg_pool_backward(ctx, windows, averaging, result, grad_output));
  return copy_unless_same(ctx, grad_input, result);
}

}  // namespace impl::cuda
