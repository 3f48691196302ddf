// SPDX-License-Identifier: BSD-3-Clause
#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

Status relu(diopiTensorHandle_t out, diopiConstTensorHandle_t input, const char* out_name) {
  TensorView o, x;
  DIOPI_TRY(take(out, out_name, &o));
  DIOPI_TRY(take(input, "input", &x));
  DIOPI_TRY(diopi::require_result_shape(&o, x));
  DIOPI_TRY(diopi::require_castable(x.dtype, o));
  return diopi::visit_dtype<Computable>(x.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < x.numel; ++i) {
      const T value = x.ptr<T>()[i];
      const T result = value <= T{0} ? T{0} : value;  // NaN stays NaN
      if (o.dtype == diopi_dtype_int32) {
        o.ptr<int32_t>()[i] = static_cast<int32_t>(result);
      } else {
        o.ptr<float>()[i] = static_cast<float>(result);
      }
    }
    return diopiSuccess;
  });
}

}  // namespace

diopiError_t diopiRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return relu(out, input, "out");
}

diopiError_t diopiReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) { return relu(input, input, "input"); }

}  // namespace impl::skeleton
