// SPDX-License-Identifier: BSD-3-Clause
// Max pooling, with and without indices, and its gradient.
#include "impl/common/shape.hpp"
#include "impl/cpu/functions/pool_common.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;
using diopi::read_tensor;

Status require_real(const TensorView& view) {
  DIOPI_REQUIRE(diopi::is_integral(view.dtype) || diopi::is_floating(view.dtype), diopiDtypeNotSupported,
                "%s has dtype %s, expected an integer or floating point one", view.name, diopi::dtype_name(view.dtype));
  return diopiSuccess;
}

Status read_indices(diopiConstTensorHandle_t handle, const Dims& shape, TensorView* indices) {
  DIOPI_TRY(read_tensor(handle, "indices", indices));
  DIOPI_REQUIRE(indices->dtype == diopi_dtype_int64 || indices->dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                "indices has dtype %s, expected int64 or int32", diopi::dtype_name(indices->dtype));
  return diopi::require_shape(*indices, shape);
}

void set_indices(const TensorView& indices, int spatial, PoolArgs* args) {
  args->index = indices.data;
  args->narrow_index = indices.dtype == diopi_dtype_int32;
  args->is = pool_strides(as_planes(indices, spatial));
}

Status forward(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t indices,
               diopiConstTensorHandle_t input, const PoolParameters& p) {
  PoolArgs args;
  TensorView x, y, index;
  Dims shape;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(out, "out", &y));
  DIOPI_TRY(require_real(x));
  DIOPI_TRY(require_same_dtype(y, x));
  DIOPI_TRY(resolve_pool(p, x, args.dim, &shape));
  DIOPI_TRY(diopi::require_shape(y, shape));
  DIOPI_TRY(diopi::require_writable(y));
  if (indices != nullptr) {
    DIOPI_TRY(read_indices(indices, shape, &index));
    DIOPI_TRY(diopi::require_writable(index));
    set_indices(index, p.spatial, &args);
    // The kernels count positions in 32 bits.
    DIOPI_REQUIRE(args.plane() <= INT32_MAX, diopiErrorOccurred,
                  "input has shape %s, expected planes below 2^31 elements where indices are returned",
                  diopi::Text(x.shape).c_str());
  }
  if (y.numel == 0) return diopiSuccess;
  PoolOperand from, to;
  DIOPI_TRY(take_input(ctx, as_planes(x, p.spatial), forward_dtype(x.dtype), diopi::may_overlap(x, y), &from));
  DIOPI_TRY(take_output(ctx, as_planes(y, p.spatial), forward_dtype(x.dtype), false, &to));
  args.x = from.used.data;
  args.y = to.used.data;
  args.xs = pool_strides(from.used);
  args.ys = pool_strides(to.used);
  args.batch = from.used.shape[0];
  args.channels = from.used.shape[1];
  args.over_channels = prefers_channels(from.used);
  DIOPI_REQUIRE(max_pool_forward(from.used.dtype, args), diopiDtypeNotSupported, "input has dtype %s",
                diopi::dtype_name(x.dtype));
  store_output(to);
  return diopiSuccess;
}

// Whether the positions of a plane are evenly spaced; `step` becomes the distance.
bool has_even_plane(const TensorView& planes, int64_t* step) {
  int64_t next = 0;
  for (int dim = 4; dim >= 2; --dim) {
    if (planes.shape[dim] == 1) continue;
    if (next == 0) {
      *step = next = planes.stride[dim];
    } else if (planes.stride[dim] != next) {
      return false;
    }
    next *= planes.shape[dim];
  }
  if (next == 0) *step = 1;
  return true;
}

Status scatter(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output, int spatial,
               PoolArgs args) {
  PoolOperand from, to;
  const TensorView planes = as_planes(grad_input, spatial);
  const bool copy = !has_even_plane(planes, &args.xs.spatial[2]) || diopi::may_overlap(grad_input, grad_output);
  const diopiDtype_t sum = diopi::compute_dtype(grad_input.dtype);
  DIOPI_TRY(take_input(ctx, as_planes(grad_output, spatial), sum, false, &from));
  DIOPI_TRY(take_output(ctx, planes, sum, copy, &to));
  int64_t step = 0;
  has_even_plane(to.used, &step);
  args.xs = pool_strides(to.used);
  args.xs.spatial[2] = step;
  args.ys = pool_strides(from.used);
  args.x = to.used.data;
  args.y = from.used.data;
  args.over_channels = prefers_channels(to.used);
  DIOPI_REQUIRE(max_pool_backward(to.used.dtype, args), diopiDtypeNotSupported, "input has dtype %s",
                diopi::dtype_name(grad_input.dtype));
  store_output(to);
  return diopiSuccess;
}

Status backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output,
                diopiConstTensorHandle_t input, diopiConstTensorHandle_t indices, const PoolParameters& p) {
  PoolArgs args;
  TensorView x, dx, dy, index;
  Dims shape;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &dy));
  DIOPI_REQUIRE(diopi::is_floating(x.dtype), diopiDtypeNotSupported,
                "input has dtype %s, expected a floating point one", diopi::dtype_name(x.dtype));
  DIOPI_TRY(require_same_dtype(dy, x));
  DIOPI_TRY(resolve_pool(p, x, args.dim, &shape));
  DIOPI_TRY(diopi::require_shape(dy, shape));
  DIOPI_TRY(read_indices(indices, shape, &index));
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &dx));
  DIOPI_TRY(require_same_dtype(dx, x));
  DIOPI_TRY(diopi::require_same_shape(dx, x));
  DIOPI_TRY(diopi::require_writable(dx));
  if (dx.numel == 0) return diopiSuccess;
  set_indices(index, p.spatial, &args);
  const TensorView planes = as_planes(dx, p.spatial);
  args.batch = planes.shape[0];
  args.channels = planes.shape[1];
  int64_t value = 0;
  const int64_t bad = find_bad_index(args, &value);
  DIOPI_REQUIRE(bad < 0, diopiErrorOccurred, "indices has the value %lld as its element %lld, expected 0 to %lld",
                static_cast<long long>(value), static_cast<long long>(bad), static_cast<long long>(args.plane() - 1));
  return scatter(ctx, dx, dy, p.spatial, args);
}

}  // namespace

diopiError_t diopiMaxPool1d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, diopiSize_t dilation,
                            bool ceil_mode) {
  return forward(ctx, out, nullptr, input, {1, kernel_size, stride, padding, &dilation, ceil_mode});
}

diopiError_t diopiMaxPool1dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t indices,
                                       diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                       diopiSize_t padding, diopiSize_t dilation, bool ceil_mode) {
  return forward(ctx, out, indices, input, {1, kernel_size, stride, padding, &dilation, ceil_mode});
}

diopiError_t diopiMaxPool1dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                    diopiSize_t dilation, bool ceil_mode, diopiConstTensorHandle_t indices) {
  return backward(ctx, grad_input, grad_output, input, indices,
                  {1, kernel_size, stride, padding, &dilation, ceil_mode});
}

diopiError_t diopiMaxPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, diopiSize_t dilation,
                            bool ceil_mode) {
  return forward(ctx, out, nullptr, input, {2, kernel_size, stride, padding, &dilation, ceil_mode});
}

diopiError_t diopiMaxPool2dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t indices,
                                       diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                       diopiSize_t padding, diopiSize_t dilation, bool ceil_mode) {
  return forward(ctx, out, indices, input, {2, kernel_size, stride, padding, &dilation, ceil_mode});
}

diopiError_t diopiMaxPool2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                    diopiSize_t dilation, bool ceil_mode, diopiConstTensorHandle_t indices) {
  return backward(ctx, grad_input, grad_output, input, indices,
                  {2, kernel_size, stride, padding, &dilation, ceil_mode});
}

diopiError_t diopiMaxPool3d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, diopiSize_t dilation,
                            bool ceil_mode) {
  return forward(ctx, out, nullptr, input, {3, kernel_size, stride, padding, &dilation, ceil_mode});
}

diopiError_t diopiMaxPool3dWithIndices(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t indices,
                                       diopiConstTensorHandle_t input, diopiSize_t kernel_size, diopiSize_t stride,
                                       diopiSize_t padding, diopiSize_t dilation, bool ceil_mode) {
  return forward(ctx, out, indices, input, {3, kernel_size, stride, padding, &dilation, ceil_mode});
}

diopiError_t diopiMaxPool3dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding,
                                    diopiSize_t dilation, bool ceil_mode, diopiConstTensorHandle_t indices) {
  return backward(ctx, grad_input, grad_output, input, indices,
                  {3, kernel_size, stride, padding, &dilation, ceil_mode});
}

}  // namespace impl::cpu
