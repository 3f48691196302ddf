// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/temporary.hpp"

#include "impl/common/channels_last.hpp"
#include "impl/common/temporary.hpp"

namespace impl::cpu {

using diopi::Dims;

Status make_temporary(diopiContextHandle_t ctx, const Dims& shape, diopiDtype_t dtype, TensorView* view) {
  return diopi::make_temporary(ctx, shape, dtype, "temporary", view);
}

bool is_channels_last(const TensorView& view) {
  if (view.ndim() < 3 || view.shape[1] == 1 || view.stride[1] != 1) return false;
  int64_t step = view.shape[1];
  for (int dim = view.ndim() - 1; dim >= 2; --dim) {
    if (view.shape[dim] != 1 && view.stride[dim] < step) return false;
    step *= view.shape[dim];
  }
  return step > view.shape[1];
}

Status make_temporary_like(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, TensorView* result) {
  TensorView copy;
  DIOPI_TRY(make_temporary(ctx, view.shape, dtype, &copy));
  if (is_channels_last(view)) {
    copy.stride = diopi::channels_last_strides(view.shape);
  }
  *result = copy;
  return diopiSuccess;
}

}  // namespace impl::cpu
