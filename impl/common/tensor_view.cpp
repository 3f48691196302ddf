// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/tensor_view.hpp"

#include <algorithm>
#include <cstdio>

#include "impl/common/checked.hpp"
#include "impl/common/runtime_call.hpp"

namespace diopi {

Dims::Dims(const diopiSize_t& size) : n(static_cast<int>(size.len)) { std::copy_n(size.data, n, v); }

int64_t Dims::product() const {
  int64_t result = 1;
  bool fits = true;
  for (int i = 0; i < n; ++i) {
    if (v[i] == 0) return 0;
    fits &= !__builtin_mul_overflow(result, v[i], &result);
  }
  return fits ? result : INT64_MAX;
}

Text::Text(const int64_t* values, int n) {
  int used = std::snprintf(text_, sizeof(text_), "[");
  const int room = static_cast<int>(sizeof(text_)) - 8;
  for (int i = 0; i < n && used < room; ++i) {
    used += std::snprintf(text_ + used, sizeof(text_) - used, i == 0 ? "%lld" : ", %lld",
                          static_cast<long long>(values[i]));
  }
  used = std::min(used, room);
  std::snprintf(text_ + used, sizeof(text_) - used, "]");
}

bool TensorView::is_contiguous() const {
  if (numel == 0) return true;
  int64_t expected = 1;
  for (int i = ndim() - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (stride[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

bool TensorView::is_dense() const {
  if (numel == 0) return true;
  int order[kMaxDims];
  int n = 0;
  for (int i = 0; i < ndim(); ++i) {
    if (shape[i] != 1) order[n++] = i;
  }
  std::sort(order, order + n, [&](int a, int b) { return stride[a] < stride[b]; });
  int64_t expected = 1;
  for (int i = 0; i < n; ++i) {
    if (stride[order[i]] != expected) return false;
    expected *= shape[order[i]];
  }
  return true;
}

TensorView TensorView::transposed(int dim0, int dim1) const {
  TensorView result = *this;
  std::swap(result.shape[dim0], result.shape[dim1]);
  std::swap(result.stride[dim0], result.stride[dim1]);
  return result;
}

TensorView TensorView::select(int dim, int64_t index) const {
  TensorView result = narrow(dim, index, 1);
  std::copy(result.shape.v + dim + 1, result.shape.v + result.shape.n, result.shape.v + dim);
  std::copy(result.stride.v + dim + 1, result.stride.v + result.stride.n, result.stride.v + dim);
  --result.shape.n;
  --result.stride.n;
  return result;
}

TensorView TensorView::narrow(int dim, int64_t start, int64_t length) const {
  TensorView result = *this;
  result.data += start * stride[dim] * itemsize();
  result.shape[dim] = length;
  result.numel = result.shape.product();
  return result;
}

TensorView TensorView::expand(const Dims& target) const {
  TensorView result = *this;
  result.shape = target;
  result.stride.n = target.n;
  const int lead = target.n - ndim();
  for (int i = 0; i < target.n; ++i) {
    const bool fixed = i >= lead && shape[i - lead] == target[i];
    result.stride[i] = fixed ? stride[i - lead] : 0;
  }
  result.numel = target.product();
  return result;
}

TensorView TensorView::unsqueeze(int dim) const {
  TensorView result = *this;
  std::copy_backward(shape.v + dim, shape.v + shape.n, result.shape.v + shape.n + 1);
  std::copy_backward(stride.v + dim, stride.v + stride.n, result.stride.v + stride.n + 1);
  result.shape[dim] = 1;
  result.stride[dim] = 1;
  ++result.shape.n;
  ++result.stride.n;
  return result;
}

namespace {

// Whether extents and strides are so small that no product of them exceeds 64 bits. `extents` and `strides` are the
// bitwise or of n values each. This decides nearly every call.
bool are_small(int n, uint64_t extents, uint64_t strides) {
  const int bits = 64 - __builtin_clzll(extents | 1);
  return n * bits < 59 && extents >> 24 == 0 && strides >> 32 == 0;
}

// Stores two numbers at once, so that a copy of a shape, which loads more than one number at once, need not wait until
// the numbers have reached the cache.
void store_pair(int64_t* to, int64_t first, int64_t second) {
  using Pair = int64_t __attribute__((vector_size(16)));
  const Pair pair = {first, second};
  std::memcpy(to, &pair, sizeof(pair));
}

// Counts the elements of `view`, whose shape and strides are set, and checks the span of the strides. A stride that is
// not used and whose bytes do not fit 64 bits becomes 1.
__attribute__((noinline)) Status count(TensorView* view) {
  const int64_t size = view->itemsize();
  int64_t bytes = size, span = size, step = 0, reach = 0;
  bool empty = false, counted = true, spanned = true;
  for (int i = 0; i < view->ndim(); ++i) {
    const int64_t extent = view->shape[i];
    DIOPI_REQUIRE(extent >= 0, diopiErrorOccurred, "%s has the negative extent %lld in dimension %d", view->name,
                  static_cast<long long>(extent), i);
    empty |= extent == 0;
    counted &= !__builtin_mul_overflow(bytes, extent > 1 ? extent : 1, &bytes);
    const bool fits = !__builtin_mul_overflow(view->stride[i], size, &step);
    if (extent > 1) {
      spanned &= fits && !__builtin_mul_overflow(extent - 1, step, &reach);
      spanned &= !(reach < 0 ? __builtin_sub_overflow(span, reach, &span) : __builtin_add_overflow(span, reach, &span));
    } else if (!fits) {
      view->stride[i] = 1;
    }
  }
  DIOPI_REQUIRE(counted, diopiErrorOccurred, "%s has shape %s, which is more than 2^63 bytes", view->name,
                Text(view->shape).c_str());
  DIOPI_REQUIRE(spanned || empty, diopiErrorOccurred, "%s of shape %s has strides %s, which span more than 2^63 bytes",
                view->name, Text(view->shape).c_str(), Text(view->stride).c_str());
  if (!spanned) view->stride = contiguous_strides(view->shape);  // of an empty tensor, which uses no stride
  view->numel = empty ? 0 : bytes / size;
  return diopiSuccess;
}

}  // namespace

Status read_tensor(diopiConstTensorHandle_t handle, const char* name, TensorView* view) {
  diopiSize_t shape{nullptr, 0}, stride{nullptr, 0};
  const void* data = nullptr;
  view->name = name;
  DIOPI_REQUIRE(handle != nullptr, diopiErrorOccurred, "%s is null", name);
  DIOPI_TRY_RUNTIME(name, diopiGetTensorDtype, handle, &view->dtype);
  DIOPI_REQUIRE(view->itemsize() > 0, diopiDtypeNotSupported, "%s has dtype %s (%d), which no tensor can have", name,
                dtype_name(view->dtype), static_cast<int>(view->dtype));
  DIOPI_TRY_RUNTIME(name, diopiGetTensorShape, handle, &shape);
  DIOPI_TRY_RUNTIME(name, diopiGetTensorStride, handle, &stride);
  DIOPI_REQUIRE(shape.len >= 0 && shape.len <= kMaxDims, diopiErrorOccurred,
                "%s has %lld dimensions; at most %d are supported", name, static_cast<long long>(shape.len), kMaxDims);
  DIOPI_REQUIRE(stride.len == shape.len, diopiErrorOccurred, "%s has %lld strides for %lld dimensions", name,
                static_cast<long long>(stride.len), static_cast<long long>(shape.len));
  const int n = static_cast<int>(shape.len);
  uint64_t numel = 1, extents = 0, strides = 0;
  const auto take = [&](int i, int64_t extent0, int64_t extent1, int64_t stride0, int64_t stride1) {
    store_pair(view->shape.v + i, extent0, extent1);
    store_pair(view->stride.v + i, stride0, stride1);
    numel *= static_cast<uint64_t>(extent0) * static_cast<uint64_t>(extent1);
    extents |= static_cast<uint64_t>(extent0 | extent1);
    strides |= static_cast<uint64_t>(stride0 | stride1);
  };
  int i = 0;
  for (; i + 2 <= n; i += 2) take(i, shape.data[i], shape.data[i + 1], stride.data[i], stride.data[i + 1]);
  if (i < n) take(i, shape.data[i], 1, stride.data[i], 0);
  view->shape.n = view->stride.n = n;
  view->numel = static_cast<int64_t>(numel);
  if (!are_small(n, extents, strides)) DIOPI_TRY(count(view));
  DIOPI_TRY_RUNTIME(name, diopiGetTensorDataConst, handle, &data);
  view->data = const_cast<char*>(static_cast<const char*>(data));
  DIOPI_REQUIRE(data != nullptr || view->numel == 0, diopiErrorOccurred, "%s has %lld elements but no memory", name,
                static_cast<long long>(view->numel));
  return diopiSuccess;
}

Dims contiguous_strides(const Dims& shape) {
  Dims result;
  result.n = shape.n;
  int64_t step = 1;
  for (int i = shape.n - 1; i >= 0; --i) {
    result[i] = step;
    step = next_stride(step, shape[i]);
  }
  return result;
}

}  // namespace diopi
