// SPDX-License-Identifier: BSD-3-Clause
// Accepts only channels-last tensors, so that the tests cover the adaptor's conversion of layouts.
#include <cmath>
#include <limits>

#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

struct Window {
  int64_t kernel, stride, padding, dilation;
};

Status take_channels_last(diopiConstTensorHandle_t handle, const char* name, TensorView* view) {
  DIOPI_TRY(diopi::read_tensor(handle, name, view));
  if (view->ndim() == 3) {  // one image: row-major, so the batch dimension of 1 may have any stride
    DIOPI_TRY(take(handle, name, view));
    *view = view->unsqueeze(0);
    return diopiSuccess;
  }
  DIOPI_REQUIRE(view->ndim() == 4, diopiErrorOccurred, "%s has shape %s, expected 3 or 4 dimensions", name,
                Text(view->shape).c_str());
  // [N, C, H, W] in channels-last order is [N, H, W, C] in row-major order.
  const TensorView rows = view->transposed(1, 2).transposed(2, 3);
  DIOPI_REQUIRE(rows.is_contiguous(), diopiErrorOccurred, "%s of shape %s has strides %s, but must be channels last",
                name, Text(view->shape).c_str(), Text(view->stride).c_str());
  return diopiSuccess;
}

Status read_window(const diopiSize_t& kernel, const diopiSize_t& stride, const diopiSize_t& padding,
                   const diopiSize_t& dilation, int axis, Window* window) {
  const auto pick = [axis](const diopiSize_t& size, int64_t missing) {
    return size.len == 0 ? missing : size.data[size.len == 1 ? 0 : axis];
  };
  for (const auto& [size, name] : {std::pair{kernel, "kernel_size"}, {padding, "padding"}, {dilation, "dilation"}}) {
    DIOPI_REQUIRE(size.len == 1 || size.len == 2, diopiErrorOccurred, "%s has %lld values, expected 1 or 2", name,
                  static_cast<long long>(size.len));
  }
  DIOPI_REQUIRE(stride.len <= 2, diopiErrorOccurred, "stride has %lld values, expected 0, 1 or 2",
                static_cast<long long>(stride.len));
  *window = {pick(kernel, 1), pick(stride, pick(kernel, 1)), pick(padding, 0), pick(dilation, 1)};
  const auto& [size, step, margin, distance] = *window;
  DIOPI_REQUIRE(size > 0, diopiErrorOccurred, "kernel_size = %s, expected positive values", Text(kernel).c_str());
  DIOPI_REQUIRE(step > 0, diopiErrorOccurred, "stride = %s, expected positive values", Text(stride).c_str());
  DIOPI_REQUIRE(distance > 0, diopiErrorOccurred, "dilation = %s, expected positive values", Text(dilation).c_str());
  DIOPI_REQUIRE(margin >= 0, diopiErrorOccurred, "padding = %s, expected no negative values", Text(padding).c_str());
  constexpr int64_t kLargest = INT32_MAX;  // the product of two values fits 64 bits
  DIOPI_REQUIRE(size <= kLargest, diopiErrorOccurred, "kernel_size = %s is too large", Text(kernel).c_str());
  DIOPI_REQUIRE(step <= kLargest, diopiErrorOccurred, "stride = %s is too large", Text(stride).c_str());
  DIOPI_REQUIRE(distance <= kLargest, diopiErrorOccurred, "dilation = %s is too large", Text(dilation).c_str());
  DIOPI_REQUIRE(margin <= kLargest, diopiErrorOccurred, "padding = %s is too large", Text(padding).c_str());
  DIOPI_REQUIRE(margin <= ((size - 1) * distance + 1) / 2, diopiErrorOccurred,
                "padding = %s, expected at most half of the dilated kernel_size = %s", Text(padding).c_str(),
                Text(kernel).c_str());
  return diopiSuccess;
}

int64_t pooled_extent(int64_t extent, const Window& w, bool ceil_mode) {
  const int64_t room = extent + 2 * w.padding - w.dilation * (w.kernel - 1) - 1;
  if (room < 0) return 0;
  int64_t count = (room + (ceil_mode ? w.stride - 1 : 0)) / w.stride + 1;
  if (ceil_mode && (count - 1) * w.stride >= extent + w.padding) --count;  // a window must start inside
  return count;
}

template <typename T>
void pool(const TensorView& o, const TensorView& x, const Window& rows, const Window& columns) {
  for_each_index(o.shape, [&](const int64_t* index) {
    T best =
        std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    for (int64_t i = 0; i < rows.kernel; ++i) {
      const int64_t row = index[2] * rows.stride - rows.padding + i * rows.dilation;
      if (row < 0 || row >= x.shape[2]) continue;
      for (int64_t j = 0; j < columns.kernel; ++j) {
        const int64_t column = index[3] * columns.stride - columns.padding + j * columns.dilation;
        if (column < 0 || column >= x.shape[3]) continue;
        const int64_t at[] = {index[0], index[1], row, column};
        const T value = x.ptr<T>()[offset_of(x, at)];
        if (value > best || value != value) best = value;
      }
    }
    o.ptr<T>()[offset_of(o, index)] = best;
  });
}

}  // namespace

diopiError_t diopiMaxPool2d(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiSize_t kernel_size, diopiSize_t stride, diopiSize_t padding, diopiSize_t dilation,
                            bool ceil_mode) {
  TensorView o, x;
  DIOPI_TRY(take_channels_last(out, "out", &o));
  DIOPI_TRY(take_channels_last(input, "input", &x));
  Window rows, columns;
  DIOPI_TRY(read_window(kernel_size, stride, padding, dilation, 0, &rows));
  DIOPI_TRY(read_window(kernel_size, stride, padding, dilation, 1, &columns));
  DIOPI_REQUIRE(x.shape[1] > 0 && x.shape[2] > 0 && x.shape[3] > 0, diopiErrorOccurred,
                "input has shape %s, expected no extent of 0 except the batch", Text(x.shape).c_str());
  Dims shape = x.shape;
  shape[2] = pooled_extent(x.shape[2], rows, ceil_mode);
  shape[3] = pooled_extent(x.shape[3], columns, ceil_mode);
  DIOPI_REQUIRE(shape[2] > 0 && shape[3] > 0, diopiErrorOccurred, "kernel_size = %s is too large for input of shape %s",
                Text(kernel_size).c_str(), Text(x.shape).c_str());
  DIOPI_TRY(diopi::require_shape(o, shape));
  DIOPI_TRY(diopi::require_dtype(o, x.dtype));
  return diopi::visit_dtype<Computable>(x.dtype, [&](auto tag) -> Status {
    pool<typename decltype(tag)::type>(o, x, rows, columns);
    return diopiSuccess;
  });
}

}  // namespace impl::skeleton
