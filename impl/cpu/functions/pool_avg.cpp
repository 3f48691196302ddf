// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/pool_avg.hpp"

#include <algorithm>
#include <iterator>

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

// Whether each output is the mean of a whole plane of floating-point numbers.
bool averages_planes(const Windows& windows, const Averaging& averaging, diopiDtype_t dtype) {
  if (averaging.divisor != 0 || !(diopi::is_floating(dtype))) return false;
  const auto covers = [](const diopi::Window& w) {
    return w.out == 1 && (w.kernel == 0 || (w.padding == 0 && w.kernel >= w.in));
  };
  return std::all_of(std::begin(windows.dim), std::end(windows.dim), covers);
}

}  // namespace

Status run_avg_pool(diopiContextHandle_t ctx, const Windows& windows, const Averaging& averaging, const TensorView& out,
                    const TensorView& in) {
  const bool overlaps = diopi::may_overlap(in, out);
  if (averages_planes(windows, averaging, in.dtype) && !overlaps && !prefers_channels(in)) {
    return run_plane_means(ctx, out, in);
  }
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
