// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/roi/larger.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/roi/larger.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
HWY_INLINE auto load_double(const T* p) {
  const hn::ScalableTag<double> d;
  if constexpr (sizeof(T) == sizeof(double)) {
    return hn::LoadU(d, p);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, hn::ScalableTag<double>>(), p));
  }
}

template <typename T>
void take_larger(const Tap* taps, int64_t n, const void* rows_, int64_t pitch, int64_t count, bool first, double a,
                 double b, double* best, double* mark_a, double* mark_b) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* rows = static_cast<const T*>(rows_);
  const auto always = first ? hn::Eq(hn::Zero(d), hn::Zero(d)) : hn::Lt(hn::Zero(d), hn::Zero(d));
  int64_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    auto value = hn::Zero(d);
    for (int64_t i = 0; i < n; ++i) {
      value = hn::Add(value, hn::Mul(hn::Set(d, taps[i].weight), load_double(rows + taps[i].row * pitch + c)));
    }
    const auto old = hn::LoadU(d, best + c);
    const auto better = hn::Or(always, hn::Gt(value, old));
    hn::StoreU(hn::IfThenElse(better, value, old), d, best + c);
    hn::StoreU(hn::IfThenElse(better, hn::Set(d, a), hn::LoadU(d, mark_a + c)), d, mark_a + c);
    if (mark_b != nullptr) {
      hn::StoreU(hn::IfThenElse(better, hn::Set(d, b), hn::LoadU(d, mark_b + c)), d, mark_b + c);
    }
  }
  for (; c < count; ++c) {
    double value = 0;
    for (int64_t i = 0; i < n; ++i) value += taps[i].weight * static_cast<double>(rows[taps[i].row * pitch + c]);
    if (!first && !(value > best[c])) continue;
    best[c] = value;
    mark_a[c] = a;
    if (mark_b != nullptr) mark_b[c] = b;
  }
}

LargerFn GetLarger(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? take_larger<double> : take_larger<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetLarger);

}  // namespace

LargerFn larger_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetLarger)(dtype); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
