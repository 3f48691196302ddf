// SPDX-License-Identifier: BSD-3-Clause
// TensorView: pointer, dtype, shape and strides of a tensor, read once from its handle.
#ifndef IMPL_COMMON_TENSOR_VIEW_HPP_
#define IMPL_COMMON_TENSOR_VIEW_HPP_

#include <diopi/diopirt.h>

#include <cstdint>
#include <cstring>

#include "impl/common/dtype.hpp"
#include "impl/common/error.hpp"

namespace diopi {

// The highest supported rank. Tensors of higher rank are refused with a message.
inline constexpr int kMaxDims = 16;

// A shape or a list of strides, stored inline. A copy copies only the used elements, because views are copied in every
// call.
struct Dims {
  int64_t v[kMaxDims];
  int n = 0;

  Dims() = default;
  explicit Dims(const diopiSize_t& size);  // NOLINT: the caller has checked size.len <= kMaxDims
  Dims(const Dims& other) { *this = other; }
  Dims& operator=(const Dims& other) {  // NOLINT(bugprone-unhandled-self-assignment): memmove allows it
    constexpr int kStep = 4;
    static_assert(kMaxDims % kStep == 0, "steps end where the storage does");
    n = other.n;
    for (int i = 0; i < n; i += kStep) std::memmove(v + i, other.v + i, kStep * sizeof(int64_t));
    return *this;
  }
  int64_t& operator[](int i) { return v[i]; }
  int64_t operator[](int i) const { return v[i]; }
  void push_back(int64_t value) { v[n++] = value; }
  // INT64_MAX if the number does not fit 64 bits: no temporary can have that size.
  int64_t product() const;
  bool operator==(const Dims& other) const {
    if (n != other.n) return false;
    for (int i = 0; i < n; ++i) {
      if (v[i] != other.v[i]) return false;
    }
    return true;
  }
  bool operator!=(const Dims& other) const { return !(*this == other); }
  const int64_t* begin() const { return v; }
  const int64_t* end() const { return v + n; }
};

// A list of numbers as text for messages, `[2, 3]`: DIOPI_REQUIRE(..., "shape %s", Text(view.shape).c_str()).
class Text {
 public:
  explicit Text(const Dims& dims) : Text(dims.v, dims.n) {}
  explicit Text(const diopiSize_t& size) : Text(size.data, static_cast<int>(size.len)) {}
  Text(const int64_t* values, int n);
  const char* c_str() const { return text_; }

 private:
  char text_[256];
};

struct TensorView {
  char* data = nullptr;   // the memory of inputs is never written
  const char* name = "";  // name of the parameter, for messages
  diopiDtype_t dtype = diopi_dtype_unsupported;
  int64_t numel = 0;
  Dims shape;
  Dims stride;  // in elements

  // An own constructor leaves the unused parts of shape and stride as they are: they would be set to zero otherwise
  // where a view is value-initialised, as std::optional<TensorView>::emplace() does.
  TensorView() {}  // NOLINT(modernize-use-equals-default)

  int ndim() const { return shape.n; }
  int itemsize() const { return dtype_size(dtype); }
  template <typename T>
  T* ptr() const {
    return reinterpret_cast<T*>(data);
  }
  // Whether the view is row-major without gaps. Dimensions of extent 1 may have any stride; empty tensors are
  // contiguous.
  bool is_contiguous() const;
  // Whether the elements are without overlap and gaps in some order of the dimensions.
  bool is_dense() const;
  // A view of the same elements with two dimensions exchanged.
  TensorView transposed(int dim0, int dim1) const;
  // The slice at one index of `dim`, without the dimension `dim`.
  TensorView select(int dim, int64_t index) const;
  // The slice of `length` indices of `dim` from `start` on.
  TensorView narrow(int dim, int64_t start, int64_t length) const;
  // The view broadcast to `target`, which the caller has checked: extent 1 and missing leading dimensions get stride 0.
  TensorView expand(const Dims& target) const;
  // The view with a new dimension of extent 1 at `dim`.
  TensorView unsqueeze(int dim) const;
};

// Reads a handle that is not null: the entry has checked this. `name` must outlive the view. After success, no product
// of extents and no span of strides, in elements or in bytes, exceeds 64 bits.
Status read_tensor(diopiConstTensorHandle_t handle, const char* name, TensorView* view);

// Row-major strides for `shape`.
Dims contiguous_strides(const Dims& shape);

}  // namespace diopi

#endif  // IMPL_COMMON_TENSOR_VIEW_HPP_
