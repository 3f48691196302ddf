// SPDX-License-Identifier: BSD-3-Clause
#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

diopiError_t diopiLinear(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias) {
  TensorView o, x, w, b;
  DIOPI_TRY(take(out, "out", &o));
  DIOPI_TRY(take(input, "input", &x));
  DIOPI_TRY(take(weight, "weight", &w));
  DIOPI_REQUIRE(w.ndim() == 1 || w.ndim() == 2, diopiErrorOccurred, "weight has shape %s, expected 1 or 2 dimensions",
                Text(w.shape).c_str());
  // A one-dimensional weight is a single unit; then out lacks the dimension of the units.
  const bool single = w.ndim() == 1;
  const int64_t features = w.shape[single ? 0 : 1], units = single ? 1 : w.shape[0];
  DIOPI_REQUIRE(x.ndim() > 0, diopiErrorOccurred, "input has no dimension");
  const int64_t given = x.shape[x.ndim() - 1];
  DIOPI_REQUIRE(given == features, diopiErrorOccurred,
                "weight of shape %s has %lld columns, expected %lld, the last dimension of input of shape %s",
                Text(w.shape).c_str(), static_cast<long long>(features), static_cast<long long>(given),
                Text(x.shape).c_str());
  Dims shape = x.shape;
  --shape.n;
  if (!single) shape.push_back(units);
  DIOPI_TRY(diopi::require_result_shape(&o, shape));
  if (bias != nullptr) {
    DIOPI_TRY(take(bias, "bias", &b));
    DIOPI_REQUIRE(!single, diopiErrorOccurred, "bias has shape %s, expected null with a weight of one dimension",
                  Text(b.shape).c_str());
    DIOPI_TRY(diopi::broadcast_shapes(b, o, &shape));
    DIOPI_TRY(diopi::require_result_shape(&o, shape));
    DIOPI_TRY(diopi::require_dtype(b, x.dtype));
  }
  DIOPI_TRY(diopi::require_dtype(w, x.dtype));
  DIOPI_TRY(diopi::require_dtype(o, x.dtype));
  for (TensorView* operand : {&x, &w, &b}) DIOPI_TRY(copy_if_overlapping(ctx, o, operand));
  if (bias != nullptr) b = b.expand(o.shape);
  return diopi::visit_dtype<Computable>(x.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    int64_t position = 0;
    for_each_index(o.shape, [&](const int64_t* index) {
      const T* row = x.ptr<T>() + position / units * features;
      const T* column = w.ptr<T>() + position % units * features;
      Sum sum = bias != nullptr ? static_cast<Sum>(b.ptr<T>()[offset_of(b, index)]) : Sum{0};
      for (int64_t i = 0; i < features; ++i) sum += static_cast<Sum>(row[i]) * column[i];
      o.ptr<T>()[position++] = static_cast<T>(sum);
    });
    return diopiSuccess;
  });
}

}  // namespace impl::skeleton
