// SPDX-License-Identifier: BSD-3-Clause
// Images and volumes in kernels. Kernels are templates of the view: TypedPlanes<S> for nearly all calls, and Planes for
// dtypes without kernels of their own and for offsets that need 64 bits.
#ifndef IMPL_CUDA_KERNELS_PLANES_CUH_
#define IMPL_CUDA_KERNELS_PLANES_CUH_

#include "impl/common/kernel_table.hpp"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"
#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

// Elements of any dtype.
struct AnyElements {
  using Index = int64_t;
  char* data = nullptr;
  diopiDtype_t dtype = diopi_dtype_unsupported;

  AnyElements() = default;
  AnyElements(void* memory, diopiDtype_t type) : data(static_cast<char*>(memory)), dtype(type) {}
  template <typename T>
  __device__ T read(int64_t offset) const {
    return load_as<T>(data, offset, dtype);
  }
  template <typename T>
  __device__ void write(int64_t offset, T value) const {
    store_as(data, offset, dtype, value);
  }
};

// Elements S whose offsets fit 32 bits.
template <typename S>
struct TypedElements {
  using Index = int32_t;
  S* data = nullptr;

  TypedElements() = default;
  TypedElements(void* memory, diopiDtype_t /*type*/) : data(static_cast<S*>(memory)) {}
  template <typename T>
  __device__ T read(int32_t offset) const {
    return convert<T>(data[offset]);
  }
  template <typename T>
  __device__ void write(int32_t offset, T value) const {
    data[offset] = convert<S>(value);
  }
};

// A tensor [N, C, D, H, W] of any dtype.
struct Planes : AnyElements {
  int64_t stride[5] = {};

  Planes() = default;
  explicit Planes(const diopi::TensorView& view) : AnyElements(view.data, view.dtype) {
    for (int i = 0; i < 5; ++i) stride[i] = view.stride[i];
  }
  template <typename T, int kItems>
  __device__ void write_items(int64_t offset, const T (&x)[kItems], int count, bool /*aligned*/) const {
    DIOPI_UNROLL
    for (int j = 0; j < kItems; ++j) {
      if (j < count) write(offset + j * stride[4], x[j]);
    }
  }
};

// A tensor [N, C, D, H, W] of elements S whose offsets fit 32 bits: see fits_32_bits().
template <typename S>
struct TypedPlanes : TypedElements<S> {
  int32_t stride[5] = {};

  TypedPlanes() = default;
  explicit TypedPlanes(const diopi::TensorView& view) : TypedElements<S>(view.data, view.dtype) {
    for (int i = 0; i < 5; ++i) stride[i] = view.shape[i] > 1 ? static_cast<int32_t>(view.stride[i]) : 0;
  }
  // Writes the first `count` items of a row. `aligned`: one access may write them all if there are kItems.
  template <typename T, int kItems>
  __device__ void write_items(int32_t offset, const T (&x)[kItems], int count, bool aligned) const {
    if (aligned && count == kItems) return store_items(this->data + offset, x);
    DIOPI_UNROLL
    for (int j = 0; j < kItems; ++j) {
      if (j < count) this->write(offset + j * stride[4], x[j]);
    }
  }
};

template <class View, typename Index = typename View::Index>
__device__ Index offset_of(const View& view, const Index* at) {
  Index result = 0;
  for (int i = 0; i < 5; ++i) result += at[i] * view.stride[i];
  return result;
}

// Whether TypedPlanes can view a tensor.
inline bool fits_32_bits(const diopi::TensorView& view) {
  constexpr int64_t kMost = INT32_MAX / 2;
  if (view.numel == 0) return true;
  int64_t span = 0;
  for (int i = 0; i < view.ndim(); ++i) {
    const int64_t steps = view.shape[i] - 1;
    if (steps == 0) continue;
    const int64_t step = view.stride[i] < 0 ? -view.stride[i] : view.stride[i];
    if (steps > kMost || step > kMost || (span += steps * step) > kMost) return false;
  }
  return view.numel <= kMost;
}

// Whether all groups of `items` elements along the rows of a tensor can be written by write_items() as aligned.
inline bool has_aligned_rows(const diopi::TensorView& view, int items) {
  const int64_t bytes = std::min<int64_t>(items * view.itemsize(), 16);
  bool aligned = view.stride[4] == 1 && reinterpret_cast<uintptr_t>(view.data) % bytes == 0;
  for (int i = 0; i < 4; ++i) {
    aligned = aligned && (view.shape[i] == 1 || view.stride[i] * view.itemsize() % bytes == 0);
  }
  return aligned;
}

// Division by a number of the host. With 32 bits, dividends are below 2^31.
template <typename Index>
struct DividerOf;
template <>
struct DividerOf<int32_t> {
  Divider by;

  DividerOf() = default;
  explicit DividerOf(int64_t divisor) : by(static_cast<uint32_t>(divisor)) {}
  __device__ int32_t divisor() const { return static_cast<int32_t>(by.divisor); }
  __device__ int32_t quotient(int32_t n) const { return static_cast<int32_t>(by.quotient(static_cast<uint32_t>(n))); }
  // Divides `*rest`, and returns the remainder.
  __device__ int32_t split(int32_t* rest) const {
    const int32_t whole = quotient(*rest), at = *rest - whole * divisor();
    *rest = whole;
    return at;
  }
};
template <>
struct DividerOf<int64_t> {
  int64_t by = 1;

  DividerOf() = default;
  explicit DividerOf(int64_t divisor) : by(divisor) {}
  __device__ int64_t divisor() const { return by; }
  __device__ int64_t quotient(int64_t n) const { return n / by; }
  __device__ int64_t split(int64_t* rest) const { return split_index(rest, by); }
};

// Calls f(TypeTag<S>) if `dtype` is one of the dtypes that have kernels of their own; else, or if `typed` is false,
// calls otherwise().
template <class F, class G>
auto with_typed(diopiDtype_t dtype, bool typed, const F& f, const G& otherwise) {
  if (typed && dtype == diopi_dtype_float32) return f(diopi::TypeTag<float>{});
  if (typed && dtype == diopi_dtype_float16) return f(diopi::TypeTag<float16>{});
  if (typed && dtype == diopi_dtype_bfloat16) return f(diopi::TypeTag<bfloat16>{});
  if (typed && dtype == diopi_dtype_float64) return f(diopi::TypeTag<double>{});
  return otherwise();
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_PLANES_CUH_
