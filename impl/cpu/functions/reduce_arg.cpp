// SPDX-License-Identifier: BSD-3-Clause
// Argmax and Argmin: the position of the first extreme element.
#include <diopi/functions.h>

#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/operands.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

Status position_of_extremum(diopiContextHandle_t ctx, bool largest, diopiTensorHandle_t out,
                            diopiConstTensorHandle_t input, const int64_t* dim, bool keepdim) {
  TensorView in, o;
  DIOPI_TRY(read_tensor(input, "input", &in));
  DIOPI_TRY(read_tensor(out, "out", &o));
  uint32_t mask = (1u << in.ndim()) - 1;
  if (dim != nullptr) {
    int axis = 0;
    DIOPI_TRY(diopi::wrap_dim(*dim, in, "dim", &axis));
    mask = in.ndim() > 0 ? 1u << axis : 0;
  }
  // As in torch, argmax does not accept bool, although max does.
  const ReduceKernel* kernel =
      in.dtype == diopi_dtype_bool ? nullptr : extremum_kernel(largest, diopi::compute_dtype(in.dtype), false);
  if (kernel == nullptr) return unsupported_dtype(in.dtype, {&in});
  int64_t count = 1;  // number of elements from which each result is chosen
  for (int i = 0; i < in.ndim(); ++i) {
    if ((mask >> i & 1) != 0) count *= in.shape[i];
    DIOPI_REQUIRE((mask >> i & 1) == 0 || in.shape[i] > 0, diopiErrorOccurred,
                  "input of shape %s has no elements in dimension %d, which is reduced", diopi::Text(in.shape).c_str(),
                  i);
  }
  DIOPI_REQUIRE(o.dtype == diopi_dtype_int64 || o.dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                "out has dtype %s, expected int64", diopi::dtype_name(o.dtype));
  DIOPI_TRY(diopi::require_result_shape(&o, diopi::reduced_shape(in.shape, mask, keepdim)));
  DIOPI_TRY(diopi::require_numbered(o, count, in));
  return run_reduce(ctx, *kernel, &o, in, mask);
}

}  // namespace

diopiError_t diopiArgmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         const int64_t* dim, bool keepdim) {
  return position_of_extremum(ctx, true, out, input, dim, keepdim);
}

diopiError_t diopiArgmin(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         const int64_t* dim, bool keepdim) {
  return position_of_extremum(ctx, false, out, input, dim, keepdim);
}

}  // namespace impl::cpu
