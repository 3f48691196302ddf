/* SPDX-License-Identifier: BSD-3-Clause */
// Minima and maxima of several rows, and of short rows. Included inside each target's namespace.

// Per-target include guard
#if defined(IMPL_CPU_ENGINE_REDUCE_EXTREMES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ENGINE_REDUCE_EXTREMES_INL_H_
#undef IMPL_CPU_ENGINE_REDUCE_EXTREMES_INL_H_
#else
#define IMPL_CPU_ENGINE_REDUCE_EXTREMES_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "impl/cpu/engine/reduce/ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Folds rows, `pitch` bytes apart, into the vector at `a`, for minima and maxima.
template <class Op, class D, typename T = hn::TFromD<D>>
HWY_INLINE void fold_rows_into(D d, T* a, const T* in, int64_t pitch, int64_t rows) {
  const auto row = [&](int64_t r) { return reinterpret_cast<const T*>(reinterpret_cast<const char*>(in) + r * pitch); };
  const auto before = hn::LoadU(d, a);
  auto value = before, check = before;
  for (int64_t r = 0; r < rows; ++r) {
    const auto v = hn::LoadU(d, row(r));
    value = Op::vector(d, value, v);
    if constexpr (std::is_floating_point_v<T>) check = hn::Add(check, v);
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(check)))) {
      auto unordered = hn::IsNaN(before);
      for (int64_t r = 0; r < rows; ++r) unordered = hn::Or(unordered, hn::IsNaN(hn::LoadU(d, row(r))));
      value = hn::IfThenElse(unordered, hn::Set(d, std::numeric_limits<T>::quiet_NaN()), value);
    }
  }
  hn::StoreU(value, d, a);
}

// a[i] = the minimum or maximum of a[i] and element i of the rows. The last vector may overlap the one before it,
// because an element may be folded twice.
template <class Op, typename T>
void fold_extreme_rows(T* a, const T* in, int64_t pitch, int64_t rows, int64_t n) {
  constexpr int64_t kTogether = 8, kPage = 4096;
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto row = [&](int64_t r) { return reinterpret_cast<const T*>(reinterpret_cast<const char*>(in) + r * pitch); };
  if (n < lanes) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < n; ++i) a[i] = Op::apply(a[i], row(r)[i]);
    }
    return;
  }
  const auto fold_some = [&](int64_t first, int64_t some) HWY_ATTR {
    for (int64_t i = 0; i < n; i += lanes) {
      const int64_t at = std::min(i, n - lanes);
      fold_rows_into<Op>(d, a + at, row(first) + at, pitch, some);
    }
  };
  int64_t r = 0;
  if (pitch >= kPage) {  // one row after another is read faster than parts of rows on several pages
    for (; r < rows; ++r) fold_some(r, 1);
  }
  for (; r + kTogether <= rows; r += kTogether) fold_some(r, kTogether);
  if (r < rows) fold_some(r, rows - r);
}

// The minimum or maximum of a row of at least one vector and few more. The last vector may overlap the one before it.
template <class Op, typename T>
HWY_INLINE T extreme_of_short_row(const T* in, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto value = hn::LoadU(d, in), check = value;
  for (int64_t i = lanes; i < n; i += lanes) {
    const auto v = hn::LoadU(d, in + std::min(i, n - lanes));
    value = Op::vector(d, value, v);
    if constexpr (std::is_floating_point_v<T>) check = hn::Add(check, v);
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(check)) && has_nan(d, in, n))) {
      return std::numeric_limits<T>::quiet_NaN();
    }
  }
  return fold_lanes<Op>(d, value);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
