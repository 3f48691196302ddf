/* SPDX-License-Identifier: BSD-3-Clause */
// Conversions in plain loops, which the compiler vectorises. cast_simd.cpp includes this file once per target; cast.cpp
// includes it for the rare pairs, which get one loop for all targets.
#if defined(IMPL_CPU_ENGINE_CAST_CAST_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ENGINE_CAST_CAST_LOOPS_INL_H_
#undef IMPL_CPU_ENGINE_CAST_CAST_LOOPS_INL_H_
#else
#define IMPL_CPU_ENGINE_CAST_CAST_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T, typename F>
T truncate(F x) {
  using Through = std::conditional_t<sizeof(T) < 4 || std::is_same_v<T, int32_t>, int32_t, int64_t>;
  constexpr F kLow = static_cast<F>(std::is_same_v<Through, int32_t> ? -2147483648.0 : -9223372036854775808.0);
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (x >= -kLow && x < -2 * kLow) return static_cast<uint64_t>(x);
  }
  // The value is bounded before the conversion, so that no conversion is undefined and the loop vectorises.
  const F fitting = static_cast<int>(x >= kLow) & static_cast<int>(x < -kLow) ? x : kLow;
  return static_cast<T>(static_cast<Through>(fitting));
}

template <typename T, typename F>
T convert(F x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<F> && std::is_integral_v<T>) {
    return truncate<T>(x);
  } else {
    return static_cast<T>(x);
  }
}

template <typename T, typename F>
void convert_loop(void* dst_bytes, const void* src_bytes, int64_t n) {
  T* __restrict dst = static_cast<T*>(dst_bytes);
  if constexpr (std::is_same_v<F, bool>) {  // any byte except 0 is true
    const uint8_t* __restrict src = static_cast<const uint8_t*>(src_bytes);
    for (int64_t i = 0; i < n; ++i) dst[i] = static_cast<T>(std::min<uint8_t>(src[i], 1));  // has no branch
  } else {
    const F* __restrict src = static_cast<const F*>(src_bytes);
    for (int64_t i = 0; i < n; ++i) dst[i] = convert<T>(src[i]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
