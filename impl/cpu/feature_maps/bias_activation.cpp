// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/feature_maps/bias_activation.hpp"

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/feature_maps/bias_activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
void bias_activation(const BiasActivationCall& c, void* out, int64_t begin, int64_t end) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  // No number is greater than infinity.
  const auto least = c.slope_everywhere ? hn::Inf(d) : hn::Zero(d);
  const auto slope = hn::Set(d, static_cast<T>(c.slope)), scale = hn::Set(d, static_cast<T>(c.scale));
  const S* bias = static_cast<const S*>(c.bias);
  for (int64_t row = begin; row < end; ++row) {
    const S* in = static_cast<const S*>(c.input) + row * c.length;
    const S* refer = c.refer == nullptr ? nullptr : static_cast<const S*>(c.refer) + row * c.length;
    S* to = static_cast<S*>(out) + row * c.length;
    const bool by_row = bias != nullptr && c.channels > 0;
    const auto row_bias = hn::Set(d, by_row ? static_cast<T>(bias[row % c.channels]) : T{0});
    for_vectors<S>(c.length, [&](int64_t i, auto load, auto store, auto) {
      auto x = load(in + i);
      if (bias != nullptr) x = hn::Add(x, by_row ? row_bias : load(bias + i));
      const auto positive = hn::Gt(refer == nullptr ? x : load(refer + i), least);
      store(hn::Mul(hn::IfThenElse(positive, x, hn::Mul(slope, x)), scale), to + i);
    });
  }
}

BiasActivationFn GetBiasActivation(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return bias_activation<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetBiasActivation);
BiasActivationFn bias_activation_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetBiasActivation)(dtype); }
}  // namespace impl::cpu
#endif
