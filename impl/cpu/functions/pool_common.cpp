// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/pool_common.hpp"

#include <cstdint>

#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;
using diopi::Text;

// As in PyTorch, the parameters of a window must fit 32 bits. Then sums and products of two of them fit 64 bits.
constexpr int64_t kMostWindow = INT32_MAX;

Status read_values(const diopiSize_t& size, const char* name, int spatial, int64_t least, int64_t most,
                   int64_t* values) {
  DIOPI_REQUIRE(size.len == 1 || size.len == spatial, diopiErrorOccurred, "%s has %lld values, expected 1 or %d", name,
                static_cast<long long>(size.len), spatial);
  for (int i = 0; i < spatial; ++i) {
    values[i] = size.data[size.len == 1 ? 0 : i];
    DIOPI_REQUIRE(values[i] >= least && values[i] <= most, diopiErrorOccurred,
                  "%s = %s, expected values from %lld to %lld", name, Text(size).c_str(), static_cast<long long>(least),
                  static_cast<long long>(most));
  }
  return diopiSuccess;
}

// Requires the rank of planes, and that none of the last `filled` dimensions is empty.
Status require_planes(const TensorView& input, int spatial, int filled) {
  DIOPI_REQUIRE(input.ndim() == spatial + 1 || input.ndim() == spatial + 2, diopiErrorOccurred,
                "input has shape %s, expected %d or %d dimensions", Text(input.shape).c_str(), spatial + 1,
                spatial + 2);
  for (int dim = input.ndim() - filled; dim < input.ndim(); ++dim) {
    DIOPI_REQUIRE(input.shape[dim] > 0, diopiErrorOccurred,
                  "input has shape %s, expected no extent of 0 among the last %d dimensions", Text(input.shape).c_str(),
                  filled);
  }
  return diopiSuccess;
}

// PyTorch's rule: with ceil_mode, a last window that covers fewer elements counts, unless it begins behind the input.
int64_t pooled_extent(const PoolDim& d, bool ceil_mode) {
  const int64_t room = d.in + 2 * d.padding - d.dilation * (d.kernel - 1) - 1 + (ceil_mode ? d.stride - 1 : 0);
  int64_t out = (room >= 0 ? room / d.stride : -((-room + d.stride - 1) / d.stride)) + 1;
  if (ceil_mode && (out - 1) * d.stride >= d.in + d.padding) --out;
  return out;
}

Dims leading_dims(const TensorView& input, int spatial) {
  Dims shape = input.shape;
  shape.n -= spatial;
  return shape;
}

}  // namespace

Status resolve_pool(const PoolParameters& p, const TensorView& input, PoolDim* dims, Dims* out_shape) {
  int64_t kernel[3], stride[3], padding[3], dilation[3] = {1, 1, 1};
  DIOPI_TRY(require_planes(input, p.spatial, p.spatial + 1));
  DIOPI_TRY(read_values(p.kernel, "kernel_size", p.spatial, 1, kMostWindow, kernel));
  DIOPI_TRY(read_values(p.stride.len == 0 ? p.kernel : p.stride, "stride", p.spatial, 1, kMostWindow, stride));
  DIOPI_TRY(read_values(p.padding, "padding", p.spatial, 0, kMostWindow, padding));
  int64_t positions = 1;
  for (int i = 0; i < p.spatial; ++i) {
    DIOPI_REQUIRE(diopi::mul_sizes(positions, kernel[i], &positions), diopiErrorOccurred,
                  "kernel_size = %s has more than 2^63 elements", Text(p.kernel).c_str());
  }
  if (p.dilation != nullptr) DIOPI_TRY(read_values(*p.dilation, "dilation", p.spatial, 1, kMostWindow, dilation));
  *out_shape = leading_dims(input, p.spatial);
  for (int i = 0; i < p.spatial; ++i) {
    PoolDim& d = dims[3 - p.spatial + i];
    d.in = input.shape[input.ndim() - p.spatial + i];
    d.kernel = kernel[i];
    d.stride = stride[i];
    d.padding = padding[i];
    d.dilation = dilation[i];
    DIOPI_REQUIRE(d.padding <= (d.dilation * (d.kernel - 1) + 1) / 2, diopiErrorOccurred,
                  "padding = %s, expected at most half of the dilated kernel, kernel_size = %s",
                  Text(p.padding).c_str(), Text(p.kernel).c_str());
    d.out = pooled_extent(d, p.ceil_mode);
    DIOPI_REQUIRE(d.out >= 1, diopiErrorOccurred,
                  "kernel_size = %s is too large for input of shape %s: the output would have extent %lld",
                  Text(p.kernel).c_str(), Text(input.shape).c_str(), static_cast<long long>(d.out));
    out_shape->push_back(d.out);
  }
  return diopiSuccess;
}

Status resolve_adaptive(int spatial, const TensorView& input, const diopiSize_t& output_size, PoolDim* dims,
                        Dims* out_shape) {
  int64_t out[3];
  DIOPI_TRY(require_planes(input, spatial, spatial));
  DIOPI_TRY(read_values(output_size, "output_size", spatial, 0, INT64_MAX, out));
  *out_shape = leading_dims(input, spatial);
  for (int i = 0; i < spatial; ++i) {
    PoolDim& d = dims[3 - spatial + i];
    d.in = input.shape[input.ndim() - spatial + i];
    d.out = out[i];
    d.kernel = 0;
    out_shape->push_back(d.out);
    int64_t steps = 0;  // bounds of windows are multiples of the input's extent, rounded up
    const bool fits = diopi::mul_sizes(d.out, d.in, &steps) && diopi::add_sizes(steps, d.out, &steps);
    DIOPI_REQUIRE(fits, diopiErrorOccurred, "output_size = %s is too large for input of shape %s",
                  Text(output_size).c_str(), Text(input.shape).c_str());
  }
  int64_t numel = 0;
  DIOPI_REQUIRE(diopi::count_elements(*out_shape, &numel), diopiErrorOccurred,
                "output_size = %s makes an output of shape %s, which is more than 2^63 bytes",
                Text(output_size).c_str(), Text(*out_shape).c_str());
  return diopiSuccess;
}

TensorView as_planes(const TensorView& view, int spatial) {
  TensorView planes = view.ndim() == spatial + 1 ? view.unsqueeze(0) : view;
  while (planes.ndim() < 5) planes = planes.unsqueeze(2);
  return planes;
}

PoolStrides pool_strides(const TensorView& planes) {
  PoolStrides s;
  s.batch = planes.stride[0];
  s.channel = planes.stride[1];
  for (int i = 0; i < 3; ++i) s.spatial[i] = planes.stride[2 + i];
  return s;
}

bool prefers_channels(const TensorView& planes) {
  if (planes.shape[1] == 1) return false;
  for (int dim = 4; dim >= 2; --dim) {
    if (planes.shape[dim] > 1) return planes.stride[1] < planes.stride[dim];
  }
  return true;
}

Status take_output(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool copy,
                   PoolOperand* operand) {
  operand->given = operand->used = planes;
  return copy || dtype != planes.dtype ? make_temporary_like(ctx, planes, dtype, &operand->used) : Status();
}

Status take_input(diopiContextHandle_t ctx, const TensorView& planes, diopiDtype_t dtype, bool copy,
                  PoolOperand* operand) {
  DIOPI_TRY(take_output(ctx, planes, dtype, copy, operand));
  if (operand->is_copy()) copy_view(operand->used, planes);
  return diopiSuccess;
}

void store_output(const PoolOperand& operand) {
  if (operand.is_copy()) copy_view(operand.given, operand.used);
}

}  // namespace impl::cpu
