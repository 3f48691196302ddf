// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/pointwise/list.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/list.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <bool kAdd, typename S>
void with_number(void* out, const void* in, int64_t n, double number) {
  constexpr int64_t kAhead = 1024 / sizeof(S);  // prefetch distance: a store waits for its line
  const auto b = hn::Set(TagOf<S>(), static_cast<ComputeOf<S> >(number));
  const S* x = static_cast<const S*>(in);
  S* y = static_cast<S*>(out);
  const bool ahead = fetches_ahead();
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    if (ahead) hwy::Prefetch(y + i + kAhead);
    const auto v = load(x + i);
    store(kAdd ? hn::Add(v, b) : hn::Mul(v, b), y + i);
  });
}

template <typename S>
bool unscale(void* data, int64_t n, double factor) {
  constexpr int64_t kAhead = 1024 / sizeof(S);
  constexpr int kWays = 4;  // sums in different registers hide the latency of additions
  const TagOf<S> d;
  const auto scale = hn::Set(d, static_cast<ComputeOf<S> >(factor));
  const int64_t lanes = lanes_of<S>(), whole = n - n % (kWays * lanes);
  S* x = static_cast<S*>(data);
  const bool ahead = fetches_ahead();
  VecOf<S> infinite[kWays];  // x - x is 0 for numbers and NaN otherwise
  for (auto& way : infinite) way = hn::Zero(d);
  for (int64_t i = 0; i < whole; i += kWays * lanes) {
    for (int k = 0; k < kWays; ++k) {
      S* at = x + i + k * lanes;
      if (ahead) hwy::Prefetch(at + kAhead);
      const auto v = load_vector(at);
      infinite[k] = hn::Add(infinite[k], hn::Sub(v, v));
      if (factor != 1) store_vector(hn::Mul(v, scale), at);
    }
  }
  for_vectors<S>(n - whole, [&](int64_t i, auto load, auto store, auto) {
    const auto v = load(x + whole + i);
    infinite[0] = hn::Add(infinite[0], hn::Sub(v, v));
    if (factor != 1) store(hn::Mul(v, scale), x + whole + i);
  });
  for (int k = 1; k < kWays; ++k) infinite[0] = hn::Add(infinite[0], infinite[k]);
  return !hn::AllTrue(d, hn::Eq(infinite[0], hn::Zero(d)));
}

template <bool kAdd>
NumberFn with_number_kernel(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return with_number<kAdd, diopi::tagged<decltype(tag)> >; });
}
NumberFn GetAddNumber(diopiDtype_t dtype) { return with_number_kernel<true>(dtype); }
NumberFn GetMultiplyNumber(diopiDtype_t dtype) { return with_number_kernel<false>(dtype); }
UnscaleFn GetUnscale(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return unscale<diopi::tagged<decltype(tag)> >; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetAddNumber);
HWY_EXPORT(GetMultiplyNumber);
HWY_EXPORT(GetUnscale);

NumberFn add_number_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetAddNumber)(dtype); }
NumberFn multiply_number_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetMultiplyNumber)(dtype); }
UnscaleFn unscale_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetUnscale)(dtype); }
}  // namespace impl::cpu
#endif
