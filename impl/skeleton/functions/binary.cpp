// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

// Calls `f` for each pair of elements. The elements are int64 if both dtypes are integers, otherwise double; both hold
// every result before rounding.
template <typename F>
Status binary(diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
              const char* out_name, F&& f) {
  TensorView o, a, b;
  DIOPI_TRY(take(out, out_name, &o));
  DIOPI_TRY(take(input, "input", &a));
  DIOPI_TRY(take(other, "other", &b));
  Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(a, b, &shape));
  DIOPI_TRY(diopi::require_result_shape(&o, shape));
  DIOPI_TRY(diopi::require_castable(diopi::promote_types(a.dtype, b.dtype), o));
  const TensorView x = a.expand(shape), y = b.expand(shape);
  const auto value = [](const TensorView& view, int64_t i) -> double {
    return view.dtype == diopi_dtype_int32 ? view.ptr<int32_t>()[i] : view.ptr<float>()[i];
  };
  const bool integers = a.dtype == diopi_dtype_int32 && b.dtype == diopi_dtype_int32;
  for_each_index(shape, [&](const int64_t* index) {
    const int64_t i = offset_of(x, index), j = offset_of(y, index), k = offset_of(o, index);
    if (o.dtype == diopi_dtype_int32) {
      o.ptr<int32_t>()[k] = static_cast<int32_t>(f(int64_t{x.ptr<int32_t>()[i]}, int64_t{y.ptr<int32_t>()[j]}));
    } else if (integers) {
      o.ptr<float>()[k] =
          static_cast<float>(static_cast<int32_t>(f(int64_t{x.ptr<int32_t>()[i]}, int64_t{y.ptr<int32_t>()[j]})));
    } else {
      o.ptr<float>()[k] = static_cast<float>(f(value(x, i), value(y, j)));
    }
  });
  return diopiSuccess;
}

Status add(diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
           const diopiScalar_t* alpha, const char* out_name) {
  const double scale = alpha == nullptr ? 1.0 : diopi::scalar_as<double>(*alpha);
  diopiDtype_t a = diopi_dtype_unsupported, b = diopi_dtype_unsupported;
  DIOPI_TRY_RUNTIME("input", diopiGetTensorDtype, input, &a);
  DIOPI_TRY_RUNTIME("other", diopiGetTensorDtype, other, &b);
  if (alpha != nullptr) DIOPI_TRY(diopi::require_fits(*alpha, "alpha", diopi::promote_types(a, b)));
  DIOPI_REQUIRE(scale == std::floor(scale) || a == diopi_dtype_float32 || b == diopi_dtype_float32, diopiErrorOccurred,
                "alpha = %g is not a whole number, which integer operands need", scale);
  return binary(out, input, other, out_name, [&](auto x, auto y) {
    using T = decltype(x);
    return static_cast<T>(x + static_cast<T>(scale) * y);
  });
}

}  // namespace

diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return add(out, input, other, alpha, "out");
}

diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return add(input, input, other, alpha, "input");
}

diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other) {
  return binary(out, input, other, "out", [](auto x, auto y) { return x * y; });
}

}  // namespace impl::skeleton
