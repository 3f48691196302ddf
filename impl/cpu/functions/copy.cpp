// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/copy.hpp"

#include "impl/common/engine/host_numbers.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

Status copy(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) { return copy_tensor(ctx, out, in); }

Status copy_apart(diopiContextHandle_t, const TensorView& out, const TensorView& in) {
  copy_view(out, in);
  return diopiSuccess;
}

Status copy_all_apart(diopiContextHandle_t ctx, const diopi::ViewList& outs, const diopi::ViewList& ins) {
  for (int64_t i = 0; i < outs.size(); ++i) {
    if (outs[i].numel > 0) DIOPI_TRY(copy_apart(ctx, outs[i], ins[i]));
  }
  return diopiSuccess;
}

namespace {

Status read_elements(const TensorView& view, diopiDtype_t dtype, void* values) {
  TensorView packed = view;
  packed.data = static_cast<char*>(values);
  packed.dtype = dtype;
  packed.stride = diopi::contiguous_strides(view.shape);
  copy_view(packed, view);
  return diopiSuccess;
}

}  // namespace

Status read_integers(diopiContextHandle_t, const TensorView& view, int64_t* values) {
  return read_elements(view, diopi_dtype_int64, values);
}

Status read_floats(diopiContextHandle_t, const TensorView& view, float* values) {
  return read_elements(view, diopi_dtype_float32, values);
}

}  // namespace impl::cpu
