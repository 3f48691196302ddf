// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sampling/penalty.hpp"

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/penalty.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
void apply_temperature_to_row(void* logits, const void* bias, double temperature, int64_t n, int64_t all, double rest) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  S* x = static_cast<S*>(logits);
  const T* b = static_cast<const T*>(bias);
  const auto factor = hn::Set(d, T(1) / (static_cast<T>(temperature) + T(1e-6)));
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    const auto v = b != nullptr ? hn::Add(load(x + i), load(b + i)) : load(x + i);
    store(hn::Mul(v, factor), x + i);
  });
  for (int64_t i = n; i < all; ++i) x[i] = static_cast<S>(static_cast<T>(rest));
}

// Computes all results before it writes one: equal ids have equal results.
template <typename S>
void penalise_ids(const LogitsOfIds& of, double penalty, bool divides, void* results) {
  using T = ComputeOf<S>;
  const T by = static_cast<T>(penalty);
  S* const logits = static_cast<S*>(of.logits);
  T* const after = static_cast<T*>(results);
  for (int64_t i = 0; i < of.count; ++i) {
    const T before = static_cast<T>(logits[of.ids[i] * of.step]);
    after[i] = !divides ? before - by : before < 0 ? before * by : before / by;
  }
  for (int64_t i = 0; i < of.count; ++i) logits[of.ids[i] * of.step] = static_cast<S>(after[i]);
}

TemperatureFn GetTemperature(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return apply_temperature_to_row<diopi::tagged<decltype(tag)>>; });
}

RepetitionFn GetRepetition(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return penalise_ids<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetTemperature);
HWY_EXPORT(GetRepetition);

TemperatureFn temperature_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetTemperature)(dtype); }
RepetitionFn repetition_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetRepetition)(dtype); }
}  // namespace impl::cpu
#endif
