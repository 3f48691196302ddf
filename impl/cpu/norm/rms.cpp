// SPDX-License-Identifier: BSD-3-Clause
// Normalisation by the root mean square; its gradients are in layer.cpp.
#include <cmath>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/norm/layer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/rms.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
T inverse_rms(double squares, int64_t n, double eps) {
  return static_cast<T>(1 / std::sqrt(squares * (1 / static_cast<double>(n)) + eps));
}

template <typename S>
void rms_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  using T = ComputeOf<S>;
  const auto& p = *static_cast<const RmsParams*>(params);
  const S* x = static_cast<const S*>(in[0]);
  S* y = static_cast<S*>(out[0]);
  const double squares = sum_vectors<S>(n, [&](int64_t i, auto load, auto) {
    hwy::Prefetch(y + i);
    const auto v = load(x + i);
    return hn::Mul(v, v);
  });
  const T scale = inverse_rms<T>(squares, n, p.eps);
  if (p.wants_inv_rms) *static_cast<T*>(out[1]) = scale;
  const T* w = p.has_weight ? static_cast<const T*>(in[1]) : nullptr;
  const T* b = p.has_bias ? static_cast<const T*>(in[p.has_weight ? 2 : 1]) : nullptr;
  const auto scale_v = hn::Set(TagOf<S>(), scale);
  // The next row mostly follows. It is prefetched here: this loop waits for no loads, the sums of a row do.
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    hwy::Prefetch(x + n + i);
    auto v = hn::Mul(load(x + i), scale_v);
    if (w != nullptr) v = hn::Mul(v, load(w + i));
    if (b != nullptr) v = hn::Add(v, load(b + i));
    store(v, y + i);
  });
}

// The squares are those of the rounded sums, which the second loop reads again.
template <typename S>
void add_rms_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  using T = ComputeOf<S>;
  const auto& p = *static_cast<const RmsParams*>(params);
  const S *x = static_cast<const S*>(in[0]), *before = static_cast<const S*>(in[1]);
  const T *w = static_cast<const T*>(in[2]), *b = p.has_bias ? static_cast<const T*>(in[3]) : nullptr;
  S *residual = static_cast<S*>(out[0]), *y = static_cast<S*>(out[1]);
  const double squares = sum_vectors<S>(n, [&](int64_t i, auto load, auto store) {
    auto v = hn::Add(load(before + i), load(x + i));
    if (b != nullptr) v = hn::Add(v, load(b + i));
    store(v, residual + i);
    const auto rounded = load(residual + i);
    return hn::Mul(rounded, rounded);
  });
  const auto scale = hn::Set(TagOf<S>(), inverse_rms<T>(squares, n, p.eps));
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    hwy::Prefetch(x + n + i);
    hwy::Prefetch(before + n + i);
    store(hn::Mul(hn::Mul(load(residual + i), scale), load(w + i)), y + i);
  });
}

RowFn GetRmsNorm(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [](auto tag) { return rms_row<diopi::tagged<decltype(tag)>>; });
}

RowFn GetAddRmsNorm(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return add_rms_row<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetRmsNorm);
HWY_EXPORT(GetAddRmsNorm);

RowFn rms_norm_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetRmsNorm)(dtype); }
RowFn add_rms_norm_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetAddRmsNorm)(dtype); }
}  // namespace impl::cpu
#endif
