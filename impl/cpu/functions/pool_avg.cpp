// SPDX-License-Identifier: BSD-3-Clause
// Average pooling and its gradient.
#include "impl/common/shape.hpp"
#include "impl/cpu/functions/pool_average.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;
using diopi::read_tensor;

// Requires a dtype that PyTorch averages. That includes int64, whose quotients are truncated.
Status require_averaged(const TensorView& view) {
  DIOPI_REQUIRE(diopi::is_floating(view.dtype) || view.dtype == diopi_dtype_int64, diopiDtypeNotSupported,
                "%s has dtype %s, expected int64 or a floating point one", view.name, diopi::dtype_name(view.dtype));
  return diopiSuccess;
}

struct Division {
  bool count_include_pad;
  const int64_t* divisor_override;
};

Status apply(const Division& division, PoolArgs* args) {
  for (PoolDim& dim : args->dim) dim.count_padding = division.count_include_pad;
  if (division.divisor_override == nullptr) return diopiSuccess;
  DIOPI_REQUIRE(*division.divisor_override != 0, diopiErrorOccurred, "divisor_override = 0, expected another number");
  args->divisor = *division.divisor_override;
  return diopiSuccess;
}

Status forward(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
               const PoolParameters& p, const Division& division) {
  PoolArgs args;
  TensorView x, y;
  Dims shape;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(out, "out", &y));
  DIOPI_TRY(require_averaged(x));
  DIOPI_TRY(resolve_pool(p, x, args.dim, &shape));
  DIOPI_TRY(apply(division, &args));
  return average_forward(ctx, y, x, shape, p.spatial, args);
}

Status backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output,
                diopiConstTensorHandle_t input, const PoolParameters& p, const Division& division) {
  PoolArgs args;
  TensorView x, dy;
  Dims shape;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &dy));
  DIOPI_TRY(require_averaged(x));
  DIOPI_TRY(resolve_pool(p, x, args.dim, &shape));
  DIOPI_TRY(diopi::require_shape(dy, shape));
  DIOPI_TRY(apply(division, &args));
  return average_backward(ctx, grad_input, dy, x, p.spatial, args);
}

}  // namespace

Status average_forward(diopiContextHandle_t ctx, const TensorView& y, const TensorView& x, const Dims& shape,
                       int spatial, PoolArgs args) {
  DIOPI_TRY(require_same_dtype(y, x));
  DIOPI_TRY(diopi::require_shape(y, shape));
  DIOPI_TRY(diopi::require_writable(y));
  if (y.numel == 0) return diopiSuccess;
  PoolOperand from, to;
  DIOPI_TRY(take_input(ctx, as_planes(x, spatial), forward_dtype(x.dtype), diopi::may_overlap(x, y), &from));
  DIOPI_TRY(take_output(ctx, as_planes(y, spatial), forward_dtype(x.dtype), false, &to));
  args.x = from.used.data;
  args.y = to.used.data;
  args.xs = pool_strides(from.used);
  args.ys = pool_strides(to.used);
  args.batch = from.used.shape[0];
  args.channels = from.used.shape[1];
  args.over_channels = prefers_channels(from.used);
  DIOPI_REQUIRE(avg_pool_forward(from.used.dtype, args), diopiDtypeNotSupported, "input has dtype %s",
                diopi::dtype_name(x.dtype));
  store_output(to);
  return diopiSuccess;
}

Status average_backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, const TensorView& dy,
                        const TensorView& x, int spatial, PoolArgs args) {
  TensorView dx;
  DIOPI_TRY(require_same_dtype(dy, x));
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &dx));
  DIOPI_TRY(require_same_dtype(dx, x));
  DIOPI_TRY(diopi::require_same_shape(dx, x));
  DIOPI_TRY(diopi::require_writable(dx));
  if (dx.numel == 0) return diopiSuccess;
  if (dy.numel == 0) {  // there are no windows, although some extents may be large
    for (PoolDim& dim : args.dim) dim.out = 0;
  }
  PoolOperand from, to;
  const diopiDtype_t sum = diopi::compute_dtype(x.dtype);
  DIOPI_TRY(take_input(ctx, as_planes(dy, spatial), sum, diopi::may_overlap(dx, dy), &from));
  DIOPI_TRY(take_output(ctx, as_planes(dx, spatial), sum, false, &to));
  args.x = to.used.data;
  args.y = from.used.data;
  args.xs = pool_strides(to.used);
  args.ys = pool_strides(from.used);
  args.batch = to.used.shape[0];
  args.channels = to.used.shape[1];
  args.over_channels = prefers_channels(to.used);
  DIOPI_REQUIRE(avg_pool_backward(to.used.dtype, args), diopiDtypeNotSupported, "input has dtype %s",
                diopi::dtype_name(x.dtype));
  store_output(to);
  return diopiSuccess;
}

diopiError_t diopiAvgPool1d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                            bool count_include_pad) {
  return forward(ctx, out, input, {1, kernel_size, stride, padding, nullptr, ceil_mode}, {count_include_pad, nullptr});
}

diopiError_t diopiAvgPool1dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                                    bool count_include_pad) {
  return backward(ctx, grad_input, grad_output, input, {1, kernel_size, stride, padding, nullptr, ceil_mode},
                  {count_include_pad, nullptr});
}

diopiError_t diopiAvgPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                            bool count_include_pad, const int64_t* divisor_override) {
  return forward(ctx, out, input, {2, kernel_size, stride, padding, nullptr, ceil_mode},
                 {count_include_pad, divisor_override});
}

diopiError_t diopiAvgPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                                    bool count_include_pad, const int64_t* divisor_override) {
  return backward(ctx, grad_input, grad_output, input, {2, kernel_size, stride, padding, nullptr, ceil_mode},
                  {count_include_pad, divisor_override});
}

diopiError_t diopiAvgPool3d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                            bool count_include_pad, const int64_t* divisor_override) {
  return forward(ctx, out, input, {3, kernel_size, stride, padding, nullptr, ceil_mode},
                 {count_include_pad, divisor_override});
}

diopiError_t diopiAvgPool3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                                    bool count_include_pad, const int64_t* divisor_override) {
  return backward(ctx, grad_input, grad_output, input, {3, kernel_size, stride, padding, nullptr, ceil_mode},
                  {count_include_pad, divisor_override});
}

}  // namespace impl::cpu
