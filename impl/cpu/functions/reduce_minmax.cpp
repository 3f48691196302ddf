// SPDX-License-Identifier: BSD-3-Clause
// Max, Min along a dimension with positions; MaxAll, MinAll; Amax.
#include <diopi/functions.h>

#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// Returns an error if a reduced dimension has no elements: an empty set has no extremum.
Status require_elements(const TensorView& input, uint32_t mask) {
  for (int i = 0; i < input.ndim(); ++i) {
    DIOPI_REQUIRE((mask >> i & 1) == 0 || input.shape[i] > 0, diopiErrorOccurred,
                  "%s of shape %s has no elements in dimension %d, which is reduced", input.name,
                  diopi::Text(input.shape).c_str(), i);
  }
  return diopiSuccess;
}

// Computes value and position along one dimension; `indices` is int64 or int32.
Status extremum_along(diopiContextHandle_t ctx, bool largest, diopiTensorHandle_t value, const char* value_name,
                      diopiTensorHandle_t indices, const char* indices_name, diopiConstTensorHandle_t input,
                      int64_t dim) {
  TensorView in, out[2];
  int axis = 0;
  DIOPI_TRY(read_tensor(input, "input", &in));
  DIOPI_TRY(read_tensor(value, value_name, &out[0]));
  DIOPI_TRY(read_tensor(indices, indices_name, &out[1]));
  DIOPI_TRY(diopi::wrap_dim(dim, in, "dim", &axis));
  const uint32_t mask = in.ndim() > 0 ? 1u << axis : 0;
  const ReduceKernel* kernel = extremum_kernel(largest, diopi::compute_dtype(in.dtype), true);
  if (kernel == nullptr) return unsupported_dtype(in.dtype, {&in});
  DIOPI_TRY(require_elements(in, mask));
  DIOPI_TRY(diopi::require_castable(in.dtype, out[0]));
  DIOPI_REQUIRE(out[1].dtype == diopi_dtype_int64 || out[1].dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                "%s has dtype %s, expected int64", indices_name, diopi::dtype_name(out[1].dtype));
  DIOPI_TRY(diopi::require_reduced_shape(out[0], in, mask));
  DIOPI_TRY(diopi::require_reduced_shape(out[1], in, mask));
  DIOPI_TRY(diopi::require_numbered(out[1], in.ndim() > 0 ? in.shape[axis] : 1, in));
  return run_reduce(ctx, *kernel, out, in, mask);
}

Status extremum_over(diopiContextHandle_t ctx, ReduceOp op, const TensorView& out, const TensorView& in,
                     uint32_t mask) {
  const ReduceKernel* kernel = reduce_kernel(op, diopi::compute_dtype(in.dtype));
  if (kernel == nullptr) return unsupported_dtype(in.dtype, {&in});
  DIOPI_TRY(require_elements(in, mask));
  DIOPI_TRY(diopi::require_castable(in.dtype, out));
  DIOPI_TRY(diopi::require_reduced_shape(out, in, mask));
  return run_reduce(ctx, *kernel, &out, in, mask);
}

Status extremum_all(diopiContextHandle_t ctx, ReduceOp op, diopiTensorHandle_t value, const char* value_name,
                    diopiConstTensorHandle_t input) {
  TensorView in, out;
  DIOPI_TRY(read_tensor(input, "input", &in));
  DIOPI_TRY(read_tensor(value, value_name, &out));
  return extremum_over(ctx, op, out, in, (1u << in.ndim()) - 1);
}

}  // namespace

diopiError_t diopiMax(diopiContextHandle_t ctx, diopiTensorHandle_t max, diopiTensorHandle_t max_indices,
                      diopiConstTensorHandle_t input, int64_t dim) {
  return extremum_along(ctx, true, max, "max", max_indices, "max_indices", input, dim);
}

diopiError_t diopiMin(diopiContextHandle_t ctx, diopiTensorHandle_t min, diopiTensorHandle_t min_indices,
                      diopiConstTensorHandle_t input, int64_t dim) {
  return extremum_along(ctx, false, min, "min", min_indices, "min_indices", input, dim);
}

diopiError_t diopiMaxAll(diopiContextHandle_t ctx, diopiTensorHandle_t max, diopiConstTensorHandle_t input) {
  return extremum_all(ctx, ReduceOp::kMaximum, max, "max", input);
}

diopiError_t diopiMinAll(diopiContextHandle_t ctx, diopiTensorHandle_t min, diopiConstTensorHandle_t input) {
  return extremum_all(ctx, ReduceOp::kMinimum, min, "min", input);
}

diopiError_t diopiAmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t self,
                       diopiSize_t dim, bool keepdim) {
  TensorView in, o;
  uint32_t mask = 0;
  DIOPI_TRY(read_tensor(self, "self", &in));
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(diopi::read_axes(dim, in, "dim", &mask));
  DIOPI_TRY(diopi::require_result_shape(&o, diopi::reduced_shape(in.shape, mask, keepdim)));
  return extremum_over(ctx, ReduceOp::kMaximum, o, in, mask);
}

}  // namespace impl::cpu
