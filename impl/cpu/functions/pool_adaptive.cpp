// SPDX-License-Identifier: BSD-3-Clause
// Adaptive average pooling and its gradient.
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/functions/pool_average.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;
using diopi::read_tensor;

Status forward(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
               const diopiSize_t& output_size, int spatial) {
  PoolArgs args;
  TensorView x, y;
  Dims shape;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(out, "out", &y));
  DIOPI_TRY(require_floating(x));
  DIOPI_TRY(resolve_adaptive(spatial, x, output_size, args.dim, &shape));
  const bool is_mean = args.outputs() == 1 && y.shape == shape && y.dtype == x.dtype && !diopi::may_overlap(x, y);
  if (is_mean && !prefers_channels(as_planes(x, spatial))) {  // the result is the mean of each plane
    DIOPI_TRY(diopi::require_writable(y));
    if (x.numel > 0 && x.is_contiguous() && y.is_contiguous() &&
        small_plane_means(x.dtype, x.data, y.data, y.numel, x.numel / y.numel)) {
      return diopiSuccess;
    }
    const ReduceKernel* mean = reduce_kernel(ReduceOp::kMean, diopi::compute_dtype(x.dtype));
    return run_reduce(ctx, *mean, &y, x, ((1u << spatial) - 1) << (x.ndim() - spatial));
  }
  return average_forward(ctx, y, x, shape, spatial, args);
}

// Computes the gradient. The extents of the output are those of its gradient.
Status backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output,
                diopiConstTensorHandle_t input, int spatial) {
  PoolArgs args;
  TensorView x, dy;
  Dims shape;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &dy));
  DIOPI_TRY(require_floating(x));
  DIOPI_REQUIRE(dy.ndim() == x.ndim() && dy.ndim() > spatial, diopiErrorOccurred,
                "grad_output has shape %s, expected %d dimensions, as input of shape %s has",
                diopi::Text(dy.shape).c_str(), x.ndim(), diopi::Text(x.shape).c_str());
  const diopiSize_t output_size{dy.shape.v + dy.ndim() - spatial, spatial};
  DIOPI_TRY(resolve_adaptive(spatial, x, output_size, args.dim, &shape));
  DIOPI_TRY(diopi::require_shape(dy, shape));
  return average_backward(ctx, grad_input, dy, x, spatial, args);
}

}  // namespace

diopiError_t diopiAdaptiveAvgPool1d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiSize_t output_size) {
  return forward(ctx, out, input, output_size, 1);
}

diopiError_t diopiAdaptiveAvgPool1dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input) {
  return backward(ctx, grad_input, grad_output, input, 1);
}

diopiError_t diopiAdaptiveAvgPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiSize_t output_size) {
  return forward(ctx, out, input, output_size, 2);
}

diopiError_t diopiAdaptiveAvgPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input) {
  return backward(ctx, grad_input, grad_output, input, 2);
}

diopiError_t diopiAdaptiveAvgPool3d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                    diopiSize_t output_size) {
  return forward(ctx, out, input, output_size, 3);
}

diopiError_t diopiAdaptiveAvgPool3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input) {
  return backward(ctx, grad_input, grad_output, input, 3);
}

}  // namespace impl::cpu
