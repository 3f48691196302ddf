#include "../skeleton.hpp"

namespace impl::skeleton {

diopiError_t diopiLinear(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias) {
  TensorView o, x, w, b;
  DIOPI_TRY(take(out, "out", &o));
  DIOPI_TRY(take(input, "input", &x));
  DIOPI_TRY(take(weight, "weight", &w));
  if (bias != nullptr) DIOPI_TRY(take(bias, "bias", &b));
  DIOPI_REQUIRE(w.ndim() == 2, diopiErrorOccurred, "weight has shape %s, expected two dimensions",
                Text(w.shape).c_str());
  const int64_t features = w.shape[1], units = w.shape[0];
  DIOPI_REQUIRE(x.ndim() > 0 && x.shape[x.ndim() - 1] == features, diopiErrorOccurred,
                "input has shape %s, expected %lld in the last dimension, as weight of shape %s has",
                Text(x.shape).c_str(), static_cast<long long>(features), Text(w.shape).c_str());
  Dims shape = x.shape;
  shape[x.ndim() - 1] = units;
  DIOPI_TRY(diopi::require_shape(o, shape));
  Dims bias_shape;
  bias_shape.push_back(units);
  if (bias != nullptr) DIOPI_TRY(diopi::require_shape(b, bias_shape));
  for (const TensorView* view : {&w, &o, bias != nullptr ? &b : &x}) DIOPI_TRY(diopi::require_dtype(*view, x.dtype));
  const int64_t rows = units == 0 ? 0 : o.numel / units;
  return diopi::visit_dtype<Computable>(x.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t unit = 0; unit < units; ++unit) {
        Sum sum = bias != nullptr ? static_cast<Sum>(b.ptr<T>()[unit]) : Sum{0};
        for (int64_t i = 0; i < features; ++i) {
          sum += static_cast<Sum>(x.ptr<T>()[row * features + i]) * w.ptr<T>()[unit * features + i];
        }
        o.ptr<T>()[row * units + unit] = static_cast<T>(sum);
      }
    }
    return diopiSuccess;
  });
}

}  // namespace impl::skeleton
