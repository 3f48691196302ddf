// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/pool_avg.hpp"

#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/pool_operand.hpp"

namespace impl::cpu {

namespace {

// The mean of each plane.
Status run_plane_means(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) {
  if (in.is_contiguous() && out.is_contiguous() &&
      small_plane_means(in.dtype, in.data, out.data, out.numel, in.numel / out.numel)) {
    return diopiSuccess;
  }
  const ReduceKernel* mean = reduce_kernel(ReduceOp::kMean, diopi::compute_dtype(in.dtype));
  return run_reduce(ctx, *mean, &out, in, 0b11100);
}

}  // namespace

Status run_avg_pool(diopiContextHandle_t ctx, const Windows& windows, const Averaging& averaging, const TensorView& out,
                    const TensorView& in) {
  const bool overlaps = diopi::may_overlap(in, out);
  const bool adaptive = windows.dim[kMaxSpatial - 1].kernel == 0;
  const bool single = windows.dim[0].out == 1 && windows.dim[1].out == 1 && windows.dim[2].out == 1;
  if (adaptive && single && !overlaps && !prefers_channels(in)) return run_plane_means(ctx, out, in);
  PoolOperand from, to;
  DIOPI_TRY(from.read(ctx, in, forward_dtype(in.dtype), overlaps));
  DIOPI_TRY(to.write(ctx, out, forward_dtype(in.dtype)));
  if (!avg_pool_forward(from.used->dtype, pool_args(windows, averaging, *from.used, *to.used)))
    return unsupported_pool(in);
  to.store();
  return diopiSuccess;
}

Status run_avg_pool_backward(diopiContextHandle_t ctx, const Windows& windows, const Averaging& averaging,
                             const TensorView& grad_input, const TensorView& grad_output) {
  const diopiDtype_t sum = diopi::compute_dtype(grad_input.dtype);
  PoolOperand from, to;
  DIOPI_TRY(from.read(ctx, grad_output, sum, diopi::may_overlap(grad_input, grad_output)));
  DIOPI_TRY(to.write(ctx, grad_input, sum));
  if (!avg_pool_backward(to.used->dtype, pool_args(windows, averaging, *to.used, *from.used)))
    return unsupported_pool(grad_input);
  to.store();
  return diopiSuccess;
}

}  // namespace impl::cpu
