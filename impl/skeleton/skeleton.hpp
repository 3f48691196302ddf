// SPDX-License-Identifier: BSD-3-Clause
// What the functions of this vendor share.
#pragma once

#include "common/allocate.hpp"
#include "common/dtype.hpp"
#include "common/runtime_call.hpp"
#include "common/scalar.hpp"
#include "common/shape.hpp"
#include "common/tensor_view.hpp"
#include "common/workspace.hpp"

namespace impl::skeleton {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;
using diopi::Text;

// The dtypes that this vendor computes in.
using Computable = diopi::TypeList<float, int32_t>;

// Reads a tensor that must be float32 or int32 and row-major: all that the functions here can work on.
Status take(diopiConstTensorHandle_t handle, const char* name, TensorView* view);

// Gives `input`, row-major as it came from `take`, memory of its own where the call would overwrite it with `out`.
Status keep_apart(diopiContextHandle_t ctx, const TensorView& out, TensorView* input);

// Copies elements between tensors of one shape, of any dtype and any strides.
Status copy_elements(const TensorView& out, const TensorView& input);

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

// Where the element at `index` lies, in elements from the first.
inline int64_t offset_of(const TensorView& view, const int64_t* index) {
  int64_t offset = 0;
  for (int dim = 0; dim < view.ndim(); ++dim) offset += index[dim] * view.stride[dim];
  return offset;
}

}  // namespace impl::skeleton
