/* SPDX-License-Identifier: BSD-3-Clause */
// A copy of packed bytes with vectors. Included inside each target's namespace.
#if defined(IMPL_CPU_ENGINE_COPY_COPY_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ENGINE_COPY_COPY_BYTES_INL_H_
#undef IMPL_CPU_ENGINE_COPY_COPY_BYTES_INL_H_
#else
#define IMPL_CPU_ENGINE_COPY_COPY_BYTES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies forwards, which the processor's prefetches follow; memcpy() may go backwards.
HWY_INLINE void copy_bytes(char* HWY_RESTRICT to, const char* HWY_RESTRICT from, int64_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const hn::Half<hn::Half<decltype(d)>> quarter;
  const auto n = static_cast<int64_t>(hn::Lanes(d)), small = static_cast<int64_t>(hn::Lanes(quarter));
  auto* out = reinterpret_cast<uint8_t*>(to);
  const auto* in = reinterpret_cast<const uint8_t*>(from);
  if (bytes < small) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  int64_t i = 0;
  if (bytes >= 8 * n) {  // stores that begin at multiples of their size cross no cache line
    hn::StoreU(hn::LoadU(d, in), d, out);
    i = n - static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) & static_cast<uintptr_t>(n - 1));
  }
  for (; i + n <= bytes; i += n) hn::StoreU(hn::LoadU(d, in + i), d, out + i);
  if (i == bytes) return;
  if (bytes >= n) {
    hn::StoreU(hn::LoadU(d, in + bytes - n), d, out + bytes - n);
    return;
  }
  for (; i + small <= bytes; i += small) hn::StoreU(hn::LoadU(quarter, in + i), quarter, out + i);
  hn::StoreU(hn::LoadU(quarter, in + bytes - small), quarter, out + bytes - small);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
