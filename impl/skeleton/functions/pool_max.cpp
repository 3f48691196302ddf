// Layout-sensitive on purpose: it wants the channels innermost, and the adaptor brings them there.
#include <cmath>
#include <limits>

#include "../skeleton.hpp"

namespace impl::skeleton {

namespace {

struct Window {
  int64_t kernel, stride, padding, dilation;
};

Status take_channels_last(diopiConstTensorHandle_t handle, const char* name, TensorView* view) {
  DIOPI_TRY(diopi::read_tensor(handle, name, view));
  if (view->ndim() == 3) {  // one image: row-major, so its batch of one may have any stride
    DIOPI_TRY(take(handle, name, view));
    *view = view->unsqueeze(0);
    return diopiSuccess;
  }
  DIOPI_REQUIRE(view->ndim() == 4, diopiErrorOccurred, "%s has shape %s, expected three or four dimensions", name,
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
  DIOPI_REQUIRE(kernel.len == 1 || kernel.len == 2, diopiErrorOccurred, "kernel_size = %s must have one or two values",
                Text(kernel).c_str());
  for (const auto& [size, name] : {std::pair{stride, "stride"}, {padding, "padding"}, {dilation, "dilation"}}) {
    DIOPI_REQUIRE(size.len <= 2, diopiErrorOccurred, "%s = %s must have at most two values", name, Text(size).c_str());
  }
  *window = {pick(kernel, 1), pick(stride, pick(kernel, 1)), pick(padding, 0), pick(dilation, 1)};
  DIOPI_REQUIRE(window->kernel > 0, diopiErrorOccurred, "kernel_size = %s must be positive", Text(kernel).c_str());
  DIOPI_REQUIRE(window->stride > 0, diopiErrorOccurred, "stride = %s must be positive", Text(stride).c_str());
  DIOPI_REQUIRE(window->dilation > 0, diopiErrorOccurred, "dilation = %s must be positive", Text(dilation).c_str());
  DIOPI_REQUIRE(window->padding >= 0 && window->padding <= window->kernel / 2, diopiErrorOccurred,
                "padding = %s must be between 0 and half of kernel_size = %s", Text(padding).c_str(),
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
  Dims shape = x.shape;
  shape[2] = pooled_extent(x.shape[2], rows, ceil_mode);
  shape[3] = pooled_extent(x.shape[3], columns, ceil_mode);
  DIOPI_TRY(diopi::require_shape(o, shape));
  DIOPI_TRY(diopi::require_dtype(o, x.dtype));
  return diopi::visit_dtype<Computable>(x.dtype, [&](auto tag) -> Status {
    pool<typename decltype(tag)::type>(o, x, rows, columns);
    return diopiSuccess;
  });
}

}  // namespace impl::skeleton
