// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/norm_common.hpp"

#include <algorithm>

#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

namespace {

void copy_doubles(void* const* out, const void* const* in, int64_t n, const void*) {
  std::copy_n(static_cast<const double*>(in[0]), n, static_cast<double*>(out[0]));
}

}  // namespace

Status temporary(diopiContextHandle_t ctx, const Dims& shape, diopiDtype_t dtype, const char* name, TensorView* view) {
  view->name = name;
  view->dtype = dtype;
  view->shape = shape;
  view->stride = diopi::contiguous_strides(shape);
  view->numel = shape.product();
  void* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_items(view->numel, view->itemsize(), &memory));
  view->data = static_cast<char*>(memory);
  return diopiSuccess;
}

Status read_vector(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle, const char* name, int64_t count,
                   double fallback, double** values) {
  TensorView view;
  if (handle != nullptr) {
    DIOPI_TRY(diopi::read_tensor(handle, name, &view));
    DIOPI_REQUIRE(view.ndim() == 1 && view.shape[0] == count, diopiErrorOccurred, "%s has shape %s, expected [%lld]",
                  name, diopi::Text(view.shape).c_str(), static_cast<long long>(count));
  }
  if (handle != nullptr) DIOPI_TRY(require_floating(view));
  const CastFn cast = handle != nullptr ? cast_function(view.dtype, diopi_dtype_float64) : nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count, values));
  if (handle == nullptr) {
    std::fill_n(*values, count, fallback);
  } else if (view.is_contiguous()) {
    cast(*values, view.data, count);
  } else {
    for (int64_t i = 0; i < count; ++i) cast(*values + i, view.data + i * view.stride[0] * view.itemsize(), 1);
  }
  return diopiSuccess;
}

Status check_unused(diopiConstTensorHandle_t handle, const char* name, int ndim) {
  TensorView view;
  if (handle == nullptr) return diopiSuccess;
  DIOPI_TRY(diopi::read_tensor(handle, name, &view));
  DIOPI_REQUIRE(view.ndim() == ndim, diopiErrorOccurred, "%s has shape %s, expected %d dimension%s", name,
                diopi::Text(view.shape).c_str(), ndim, ndim == 1 ? "" : "s");
  return require_floating(view);
}

Status read_output_vector(diopiTensorHandle_t handle, const char* name, int64_t count, TensorView* view) {
  *view = TensorView();
  if (handle == nullptr) return diopiSuccess;
  DIOPI_TRY(diopi::read_tensor(handle, name, view));
  DIOPI_REQUIRE(view->ndim() == 1 && view->shape[0] == count, diopiErrorOccurred, "%s has shape %s, expected [%lld]",
                name, diopi::Text(view->shape).c_str(), static_cast<long long>(count));
  DIOPI_REQUIRE(diopi::is_floating(view->dtype), diopiDtypeNotSupported,
                "%s has dtype %s, expected a floating point dtype", name, diopi::dtype_name(view->dtype));
  return diopi::require_writable(*view);
}

void write_vector(const TensorView& view, const double* values) {
  if (view.data == nullptr) return;
  const CastFn cast = cast_function(diopi_dtype_float64, view.dtype);
  if (view.is_contiguous()) return cast(view.data, values, view.numel);
  for (int64_t i = 0; i < view.numel; ++i) cast(view.data + i * view.stride[0] * view.itemsize(), values + i, 1);
}

Status read_doubles(diopiContextHandle_t ctx, const TensorView& view, double** values) {
  TensorView packed;
  DIOPI_TRY(temporary(ctx, view.shape, diopi_dtype_float64, view.name, &packed));
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

Status norm_compute_dtype(const TensorView& input, diopiDtype_t* compute) {
  DIOPI_TRY(require_floating(input));
  *compute = diopi::compute_dtype(input.dtype);
  return diopiSuccess;
}

Status constant_operand(diopiContextHandle_t ctx, const double* values, int64_t count, int dim, int ndim,
                        diopiDtype_t compute, TensorView* view) {
  Dims shape;
  for (int i = dim; i < ndim; ++i) shape.push_back(i == dim ? count : 1);
  DIOPI_TRY(temporary(ctx, shape, compute, "constant", view));
  cast_function(diopi_dtype_float64, compute)(view->data, values, count);
  return diopiSuccess;
}

namespace {

// Row-major strides, or the strides of columns, in which channels (dimension 1) are innermost.
Dims channel_strides(const Dims& shape, bool columns) {
  if (!columns || shape.n < 2) return diopi::contiguous_strides(shape);
  Dims moved = shape;
  std::copy(shape.v + 2, shape.v + shape.n, moved.v + 1);
  moved[shape.n - 1] = shape[1];
  const Dims packed = diopi::contiguous_strides(moved);
  Dims result = packed;
  result[1] = packed[shape.n - 1];
  std::copy(packed.v + 1, packed.v + shape.n - 1, result.v + 2);
  return result;
}

bool has_strides(const TensorView& view, const Dims& stride) {
  for (int i = 0; i < view.ndim(); ++i) {
    if (view.shape[i] != 1 && view.stride[i] != stride[i]) return false;
  }
  return true;
}

}  // namespace

ChannelShape channel_shape(const TensorView& input) {
  ChannelShape shape;
  shape.samples = input.shape[0];
  shape.channels = input.shape[1];
  shape.space = 1;
  for (int i = 2; i < input.ndim(); ++i) shape.space *= input.shape[i];
  shape.columns = shape.space == 1 || (has_strides(input, channel_strides(input.shape, true)) &&
                                       !has_strides(input, channel_strides(input.shape, false)));
  return shape;
}

Status arrange(diopiContextHandle_t ctx, const TensorView& view, bool columns, diopiDtype_t dtype, bool reads,
               TensorView* arranged) {
  const Dims stride = channel_strides(view.shape, columns);
  *arranged = view;
  if (view.dtype == dtype && has_strides(view, stride)) return diopiSuccess;
  DIOPI_TRY(temporary(ctx, view.shape, dtype, view.name, arranged));
  arranged->stride = stride;
  if (reads && view.numel > 0) copy_view(*arranged, view);
  return diopiSuccess;
}

Status arrange_input(diopiContextHandle_t ctx, const TensorView& view, const TensorView& out, bool columns,
                     diopiDtype_t dtype, TensorView* arranged) {
  TensorView apart = view;
  if (out.data != nullptr && !diopi::is_same_view(out, view)) DIOPI_TRY(copy_if_overlapping(ctx, out, &apart));
  return arrange(ctx, apart, columns, dtype, true, arranged);
}

void put_back(const TensorView& view, const TensorView& arranged) {
  if (view.data != arranged.data && view.numel > 0) copy_view(view, arranged);
}

diopiDtype_t joint_dtype(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype ? a.dtype : diopi::compute_dtype(diopi::promote_types(a.dtype, b.dtype));
}

}  // namespace impl::cpu
