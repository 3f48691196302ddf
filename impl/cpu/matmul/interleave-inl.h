/* SPDX-License-Identifier: BSD-3-Clause */
// Pairs of 16-bit elements, as the bfloat16 instructions read them.
#if defined(IMPL_CPU_MATMUL_INTERLEAVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_MATMUL_INTERLEAVE_INL_H_
#undef IMPL_CPU_MATMUL_INTERLEAVE_INL_H_
#else
#define IMPL_CPU_MATMUL_INTERLEAVE_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// dst[i] = even[i] in the lower half and odd[i] in the upper half. If `odd` is null, the upper half is zero.
HWY_INLINE void interleave(const uint16_t* HWY_RESTRICT even, const uint16_t* HWY_RESTRICT odd, int64_t n,
                           uint32_t* HWY_RESTRICT dst) {
  const hn::ScalableTag<uint32_t> d;
  const hn::Rebind<uint16_t, decltype(d)> half;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto pair = hn::PromoteTo(d, hn::LoadU(half, even + i));
    if (odd != nullptr) pair = hn::Or(pair, hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(half, odd + i))));
    hn::StoreU(pair, d, dst + i);
  }
  for (; i < n; ++i) dst[i] = even[i] | (odd == nullptr ? 0u : static_cast<uint32_t>(odd[i]) << 16);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard
