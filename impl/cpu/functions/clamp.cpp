// SPDX-License-Identifier: BSD-3-Clause
// Clamp and its one-sided forms. A null bound does not limit. The result is NaN if the input or a bound is NaN.
#include <diopi/functions.h>

#include <cstring>

#include "impl/cpu/functions/operands.hpp"
#include "impl/cpu/pointwise/ternary.hpp"

namespace impl::cpu {

using diopi::read_tensor;
using diopi::ResultType;

namespace {

// Clamps to the operands `min` and `max`. One of them may be null.
Status clamp(diopiContextHandle_t ctx, const TensorView& out, const TensorView& input, const TensorView* min,
             const TensorView* max, diopiDtype_t promoted) {
  DIOPI_REQUIRE(min != nullptr || max != nullptr, diopiErrorOccurred,
                "min and max are both null, expected at least one");
  if (max == nullptr) return call_binary(ctx, BinaryOp::kMaximum, out, input, *min, promoted);
  if (min == nullptr) return call_binary(ctx, BinaryOp::kMinimum, out, input, *max, promoted);
  const diopiDtype_t compute = diopi::compute_dtype(promoted);
  const BlockFn fn = ternary_kernel(TernaryOp::kClamp, compute);
  if (fn == nullptr) return unsupported_dtype(promoted, {&input, min, max});
  DIOPI_TRY(diopi::require_castable(promoted, out));
  Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(input, *min, &shape));
  DIOPI_TRY(diopi::broadcast_shapes(shape, input.name, *max, &shape));
  DIOPI_TRY(diopi::require_result_shape(out, shape));
  const TensorView inputs[] = {input, *min, *max};
  return run_elementwise(ctx, uniform_kernel(fn, compute, 3), &out, inputs);
}

// Clamps between two numbers of the compute dtype.
Status clamp_between(diopiContextHandle_t ctx, BlockFn fn, const TensorView& out, const TensorView& input,
                     const TensorView& min, const TensorView& max, diopiDtype_t promoted) {
  DIOPI_TRY(diopi::require_castable(promoted, out));
  DIOPI_TRY(diopi::require_result_shape(out, input.shape));
  alignas(16) char bounds[2 * sizeof(double)];
  const int size = min.itemsize();
  std::memcpy(bounds, min.data, size);
  std::memcpy(bounds + size, max.data, size);
  return run_elementwise(ctx, uniform_kernel(fn, min.dtype, 1, bounds), &out, &input);
}

Status clamp_tensors(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                     diopiConstTensorHandle_t input, diopiConstTensorHandle_t min, diopiConstTensorHandle_t max) {
  TensorView o, a, low, high;
  ResultType type;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  type.tensor(a.dtype, a.ndim());
  if (min != nullptr) {
    DIOPI_TRY(read_tensor(min, "min", &low));
    type.tensor(low.dtype, low.ndim());
  }
  if (max != nullptr) {
    DIOPI_TRY(read_tensor(max, "max", &high));
    type.tensor(high.dtype, high.ndim());
  }
  return clamp(ctx, o, a, min != nullptr ? &low : nullptr, max != nullptr ? &high : nullptr, type.get());
}

Status clamp_scalars(diopiContextHandle_t ctx, diopiTensorHandle_t out, const char* out_name,
                     diopiConstTensorHandle_t input, const diopiScalar_t* min, const diopiScalar_t* max) {
  TensorView o, a;
  ResultType type;
  DIOPI_TRY(read_tensor(input, "input", &a));
  DIOPI_TRY(read_tensor(out, out_name, &o));
  type.tensor(a.dtype, a.ndim());
  if (min != nullptr) type.scalar(*min);
  if (max != nullptr) type.scalar(*max);
  const diopiDtype_t promoted = type.get();
  ScalarValue low, high;
  if (min != nullptr) DIOPI_TRY(low.read(*min, "min", promoted));
  if (max != nullptr) DIOPI_TRY(high.read(*max, "max", promoted));
  if (min != nullptr && max != nullptr) {
    const BlockFn fn = ternary_kernel(TernaryOp::kClampBetween, diopi::compute_dtype(promoted));
    if (fn != nullptr) return clamp_between(ctx, fn, o, a, low.view(), high.view(), promoted);
  }
  return clamp(ctx, o, a, min != nullptr ? &low.view() : nullptr, max != nullptr ? &high.view() : nullptr, promoted);
}

}  // namespace

diopiError_t diopiClampScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                              const diopiScalar_t* min, const diopiScalar_t* max) {
  return clamp_scalars(ctx, out, "out", input, min, max);
}

diopiError_t diopiClamp(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                        diopiConstTensorHandle_t min, diopiConstTensorHandle_t max) {
  return clamp_tensors(ctx, out, "out", input, min, max);
}

diopiError_t diopiClampInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* min,
                                 const diopiScalar_t* max) {
  return clamp_scalars(ctx, input, "input", input, min, max);
}

diopiError_t diopiClampInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t min,
                           diopiConstTensorHandle_t max) {
  return clamp_tensors(ctx, input, "input", input, min, max);
}

diopiError_t diopiClampMaxScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 const diopiScalar_t* max) {
  return clamp_scalars(ctx, out, "out", input, nullptr, max);
}

diopiError_t diopiClampMax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           diopiConstTensorHandle_t max) {
  return clamp_tensors(ctx, out, "out", input, nullptr, max);
}

diopiError_t diopiClampMaxInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* max) {
  return clamp_scalars(ctx, input, "input", input, nullptr, max);
}

diopiError_t diopiClampMaxInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t max) {
  return clamp_tensors(ctx, input, "input", input, nullptr, max);
}

diopiError_t diopiClampMinScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                 const diopiScalar_t* min) {
  return clamp_scalars(ctx, out, "out", input, min, nullptr);
}

diopiError_t diopiClampMin(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                           diopiConstTensorHandle_t min) {
  return clamp_tensors(ctx, out, "out", input, min, nullptr);
}

diopiError_t diopiClampMinInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* min) {
  return clamp_scalars(ctx, input, "input", input, min, nullptr);
}

diopiError_t diopiClampMinInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t min) {
  return clamp_tensors(ctx, input, "input", input, min, nullptr);
}

}  // namespace impl::cpu
