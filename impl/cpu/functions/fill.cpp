// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/tensor/fill.hpp"

#include "impl/common/families/fill.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::cpu {

Status fill(diopiContextHandle_t ctx, const TensorView& out, const diopiScalar_t& value) {
  if (diopi::in_dry_run()) return diopiSuccess;
  if (diopi::is_floating(value)) {
    fill_constant(out, value.fval);
  } else {
    fill_constant(out, value.ival);
  }
  return diopiSuccess;
}

Status fill_arange(diopiContextHandle_t ctx, const TensorView& out, const diopiScalar_t& start,
                   const diopiScalar_t& step) {
  if (diopi::is_floating(out.dtype)) {
    fill_arange(out, diopi::scalar_as<double>(start), diopi::scalar_as<double>(step));
  } else {
    fill_arange(out, diopi::scalar_as<int64_t>(start), diopi::scalar_as<int64_t>(step));
  }
  return diopiSuccess;
}

Status fill_linspace(diopiContextHandle_t ctx, const TensorView& out, double start, double end) {
  fill_linspace(out, start, end, out.numel);
  return diopiSuccess;
}

Status fill_one_hot(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) {
  fill_one_hot(out, in);
  return diopiSuccess;
}

Status index_range(diopiContextHandle_t ctx, const TensorView& index, int64_t* least, int64_t* most) {
  index_range(diopi::without_repeats(index), least, most);
  return diopiSuccess;
}

Status check_classes(diopiContextHandle_t ctx, const TensorView& in, int64_t classes) {
  int64_t least = 0, most = 0;
  DIOPI_TRY(index_range(ctx, in, &least, &most));
  if (least >= 0 && most < classes) return diopiSuccess;
  return diopi::refuse_class_number(least < 0 ? least : most, classes);
}

}  // namespace impl::cpu
