#include "impl/cpu/functions/norm_common.hpp"

#include <algorithm>

#include "impl/cpu/kernels/cast.hpp"

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
  DIOPI_TRY(diopi::Workspace(ctx).take_bytes(view->numel * view->itemsize(), &memory));
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
  const CastFn cast = handle != nullptr ? cast_function(view.dtype, diopi_dtype_float64) : nullptr;
  if (handle != nullptr && (cast == nullptr || !diopi::is_floating(view.dtype))) {
    return unsupported_dtype(view.dtype, {&view});
  }
  DIOPI_TRY(diopi::Workspace(ctx).take(count, values));
  for (int64_t i = 0; i < count; ++i) {
    if (handle == nullptr) {
      (*values)[i] = fallback;
    } else {
      cast(*values + i, view.data + i * view.stride[0] * view.itemsize(), 1);
    }
  }
  return diopiSuccess;
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
  if (!diopi::is_floating(input.dtype)) return unsupported_dtype(input.dtype, {&input});
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

Status apply_norm(diopiContextHandle_t ctx, NormRow row, NormBlock block, diopiDtype_t compute, uint32_t row_mask,
                  const TensorView& out, const TensorView* inputs, int num_inputs) {
  int64_t length = 1;
  for (int i = 0; i < out.ndim(); ++i) {
    if ((row_mask >> i & 1) != 0) length *= out.shape[i];
  }
  if (!is_long_row(length)) {
    const BlockFn fn = norm_block_kernel(block, compute);
    return run_elementwise(ctx, uniform_kernel(fn, compute, num_inputs), &out, inputs);
  }
  RowKernel kernel;
  kernel.fn = norm_row_kernel(row, compute);
  kernel.num_inputs = num_inputs;
  std::fill_n(kernel.in, num_inputs, compute);
  kernel.out[0] = compute;
  return run_rows(ctx, kernel, out.shape, row_mask, &out, inputs);
}

}  // namespace impl::cpu
