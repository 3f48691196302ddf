// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/operands.hpp"

#include <cstdio>
#include <cstring>

#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/pointwise/half.hpp"

namespace impl::cpu {

namespace {

// Recurses over the outer dimensions; `p` is the address of the first element of the remaining block.
bool has_zero_from(const TensorView& view, int dim, const char* p) {
  static constexpr char kZeros[8] = {};
  const int size = view.itemsize();
  if (dim == view.ndim()) return std::memcmp(p, kZeros, size) == 0;
  for (int64_t i = 0; i < view.shape[dim]; ++i, p += view.stride[dim] * size) {
    if (has_zero_from(view, dim + 1, p)) return true;
  }
  return false;
}

// Rounds a 0-d operand to the dtype of a comparison, because a 0-d operand does not widen the computation.
void round_to(diopiDtype_t dtype, char* storage, TensorView* view) {
  if (view->ndim() != 0 || view->dtype == dtype) return;
  cast_function(view->dtype, dtype)(storage, view->data, 1);
  view->data = storage;
  view->dtype = dtype;
}

}  // namespace

bool has_zero(const TensorView& view) {
  return view.numel > 0 && has_zero_from(diopi::without_repeats(view), 0, view.data);
}

Status require_floating(const TensorView& view) {
  DIOPI_REQUIRE(diopi::is_floating(view.dtype), diopiDtypeNotSupported,
                "%s has dtype %s, expected a floating point one", view.name, diopi::dtype_name(view.dtype));
  return diopiSuccess;
}

Status unsupported_dtype(diopiDtype_t dtype, std::initializer_list<const TensorView*> operands) {
  char named[256] = "";
  size_t length = 0;
  for (const TensorView* view : operands) {
    if (view == nullptr || length >= sizeof(named)) continue;
    length += std::snprintf(named + length, sizeof(named) - length, "%s%s has dtype %s", length > 0 ? ", " : "",
                            view->name, diopi::dtype_name(view->dtype));
  }
  return diopi::fail(diopiDtypeNotSupported, "%s: this is not defined where operands are computed in %s", named,
                     diopi::dtype_name(dtype));
}

Status require_broadcast_shape(const TensorView& out, const TensorView& a, const TensorView& b) {
  if (out.shape == a.shape && out.shape == b.shape) return diopiSuccess;
  Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(a, b, &shape));
  return diopi::require_result_shape(out, shape);
}

Status call_binary(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, const TensorView& a,
                   const TensorView& b, diopiDtype_t promoted, const void* params) {
  if (binary_kernel(op, diopi::compute_dtype(promoted)) == nullptr) return unsupported_dtype(promoted, {&a, &b});
  DIOPI_TRY(diopi::require_castable(is_predicate(op) ? diopi_dtype_bool : promoted, out));
  DIOPI_TRY(require_broadcast_shape(out, a, b));
  return run_binary(ctx, op, out, a, b, promoted, params);
}

Status any_zero(diopiContextHandle_t ctx, const TensorView& view, bool* found) {
  *found = has_zero(view);
  return diopiSuccess;
}

Status run_binary(diopiContextHandle_t ctx, BinaryOp op, const TensorView& out, const TensorView& a,
                  const TensorView& b, diopiDtype_t promoted, const void* params) {
  const bool uniform = out.dtype == promoted && a.dtype == promoted && b.dtype == promoted;
  const BlockFn half = uniform ? half_binary_kernel(op, promoted) : nullptr;
  const diopiDtype_t compute = half != nullptr ? promoted : diopi::compute_dtype(promoted);
  const BlockFn fn = half != nullptr ? half : binary_kernel(op, compute);
  if (fn == nullptr) return unsupported_dtype(promoted, {&a, &b});
  TensorView inputs[] = {a, b};
  alignas(16) char rounded[2][16];
  if (is_predicate(op) && diopi::is_reduced_float(promoted)) {
    for (int i = 0; i < 2; ++i) round_to(promoted, rounded[i], &inputs[i]);
  }
  ElementwiseKernel kernel = mixed_kernel(fn, compute, 2, is_predicate(op) ? diopi_dtype_bool : compute, params);
  if (a.numel != out.numel || b.numel != out.numel) {
    const OneSided one = one_sided_kernels(op, compute);
    kernel.with_one[0] = one.first;
    kernel.with_one[1] = one.second;
  }
  return run_elementwise(ctx, kernel, &out, inputs);
}

}  // namespace impl::cpu
