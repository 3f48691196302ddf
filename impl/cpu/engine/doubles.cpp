// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/doubles.hpp"

#include <algorithm>

#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

namespace {

void copy_doubles(void* const* out, const void* const* in, int64_t n, const void*) {
  std::copy_n(static_cast<const double*>(in[0]), n, static_cast<double*>(out[0]));
}

}  // namespace

Status read_doubles(diopiContextHandle_t ctx, const TensorView& view, double** values) {
  TensorView packed;
  DIOPI_TRY(diopi::make_temporary(ctx, view.shape, diopi_dtype_float64, view.name, &packed));
  *values = packed.ptr<double>();
  return run_elementwise(ctx, uniform_kernel(copy_doubles, diopi_dtype_float64, 1), &packed, &view);
}

Status write_doubles(diopiContextHandle_t ctx, const TensorView& view, const double* values) {
  TensorView packed = view;
  packed.dtype = diopi_dtype_float64;
  packed.stride = diopi::contiguous_strides(view.shape);
  packed.data = reinterpret_cast<char*>(const_cast<double*>(values));  // only read
  return run_elementwise(ctx, uniform_kernel(copy_doubles, diopi_dtype_float64, 1), &view, &packed);
}

Status read_vector(diopiContextHandle_t ctx, const TensorView* view, int64_t count, double fallback, double** values) {
  DIOPI_TRY(diopi::Workspace(ctx).take(count, values));
  if (view == nullptr) {
    std::fill_n(*values, count, fallback);
    return diopiSuccess;
  }
  const CastFn cast = cast_function(view->dtype, diopi_dtype_float64);
  if (view->is_contiguous()) {
    cast(*values, view->data, count);
  } else {
    for (int64_t i = 0; i < count; ++i) cast(*values + i, view->data + i * view->stride[0] * view->itemsize(), 1);
  }
  return diopiSuccess;
}

void write_vector(const TensorView* view, const double* values) {
  if (view == nullptr) return;
  const CastFn cast = cast_function(diopi_dtype_float64, view->dtype);
  if (view->is_contiguous()) return cast(view->data, values, view->numel);
  for (int64_t i = 0; i < view->numel; ++i) cast(view->data + i * view->stride[0] * view->itemsize(), values + i, 1);
}

}  // namespace impl::cpu
