// SPDX-License-Identifier: BSD-3-Clause
// Stand-in for CUDA's header: the type __nv_bfloat16, its conversions, and its atomic addition. Conversions are
// explicit, and there is no arithmetic: kernels compute in float. CUDA's header accepts whatever compiles with this
// one.
#ifndef DIOPI_EMULATION_CUDA_BF16_H_
#define DIOPI_EMULATION_CUDA_BF16_H_

#include <diopi_emulation/atomics.hpp>

struct __nv_bfloat16 {
  unsigned short bits;  // NOLINT(google-runtime-int): CUDA defines this type with these words
  __nv_bfloat16() = default;
  // Round to nearest, ties to even; every NaN becomes 0x7FFF, as on the chip.
  explicit __nv_bfloat16(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    bits = value != value ? 0x7FFF : static_cast<uint16_t>((word + 0x7FFF + (word >> 16 & 1)) >> 16);
  }
  explicit operator float() const {
    const uint32_t word = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
  }
};
using nv_bfloat16 = __nv_bfloat16;

inline __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return __nv_bfloat16(value); }
inline float __bfloat162float(__nv_bfloat16 value) { return static_cast<float>(value); }
// NOLINTBEGIN(google-runtime-int)
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return value.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 value;
  value.bits = bits;
  return value;
}
// NOLINTEND(google-runtime-int)

inline __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value, DIOPI_EMULATION_SITE) {
  return ::diopi::emulation::update(address, {file, line}, [value](__nv_bfloat16 old) {
    return __nv_bfloat16(static_cast<float>(old) + static_cast<float>(value));
  });
}

#endif  // DIOPI_EMULATION_CUDA_BF16_H_
