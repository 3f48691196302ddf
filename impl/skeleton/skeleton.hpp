// SPDX-License-Identifier: BSD-3-Clause
// Functions that the files of this vendor share.
#ifndef IMPL_SKELETON_SKELETON_HPP_
#define IMPL_SKELETON_SKELETON_HPP_

#include "impl/common/allocate.hpp"
#include "impl/common/dtype.hpp"
#include "impl/common/runtime_call.hpp"
#include "impl/common/scalar.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/tensor_view.hpp"
#include "impl/common/workspace.hpp"

namespace impl::skeleton {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;
using diopi::Text;

// The dtypes in which this vendor computes.
using Computable = diopi::TypeList<float, int32_t>;

// Reads a tensor, which must be float32 or int32 and row-major: the functions of this vendor accept only such tensors.
Status take(diopiConstTensorHandle_t handle, const char* name, TensorView* view);

// Replaces `input` (row-major, from `take`) by a copy if the call would overwrite its memory with `out`.
Status copy_if_overlapping(diopiContextHandle_t ctx, const TensorView& out, TensorView* input);

// Copies elements between tensors of one shape, of any dtype and any strides.
Status copy_elements(const TensorView& out, const TensorView& input);

// The elements of a row-major tensor of float32, int32 or bool, as numbers of another type.
class Elements {
 public:
  // Reads `in`, broadcast to the shape of `out`. If writing to `out` would change `in`, it reads a copy.
  Status read(diopiContextHandle_t ctx, const TensorView& in, const TensorView& out);
  Status write(const TensorView& out);
  template <typename T>
  T get(const int64_t* index) const;
  template <typename T>
  void set(const int64_t* index, T value) const;
  const Dims& shape() const { return view_.shape; }
  diopiDtype_t dtype() const { return view_.dtype; }

 private:
  TensorView view_;
};

// Calls `f(index)` for every index of `shape`, the last dimension fastest.
template <typename F>
void for_each_index(const Dims& shape, F&& f) {
  if (shape.product() == 0) return;
  int64_t index[diopi::kMaxDims] = {};
  for (;;) {
    f(index);
    int dim = shape.n - 1;
    while (dim >= 0 && ++index[dim] == shape[dim]) index[dim--] = 0;
    if (dim < 0) return;
  }
}

// The offset of the element at `index`, in elements.
inline int64_t offset_of(const TensorView& view, const int64_t* index) {
  int64_t offset = 0;
  for (int dim = 0; dim < view.ndim(); ++dim) offset += index[dim] * view.stride[dim];
  return offset;
}

template <typename T>
T Elements::get(const int64_t* index) const {
  const int64_t i = offset_of(view_, index);
  if (view_.dtype == diopi_dtype_bool) return static_cast<T>(view_.ptr<bool>()[i]);
  return view_.dtype == diopi_dtype_int32 ? static_cast<T>(view_.ptr<int32_t>()[i])
                                          : static_cast<T>(view_.ptr<float>()[i]);
}

template <typename T>
void Elements::set(const int64_t* index, T value) const {
  const int64_t i = offset_of(view_, index);
  if (view_.dtype == diopi_dtype_bool) {
    view_.ptr<bool>()[i] = value != T{0};
  } else if (view_.dtype == diopi_dtype_int32) {
    view_.ptr<int32_t>()[i] = static_cast<int32_t>(static_cast<int64_t>(value));  // wraps around
  } else {
    view_.ptr<float>()[i] = static_cast<float>(value);
  }
}

}  // namespace impl::skeleton

#endif  // IMPL_SKELETON_SKELETON_HPP_
