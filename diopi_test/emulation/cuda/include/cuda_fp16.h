// SPDX-License-Identifier: BSD-3-Clause
// Stand-in for CUDA's header: the type __half, its conversions, and its atomic addition. Conversions are explicit, and
// there is no arithmetic: kernels compute in float. CUDA's header accepts whatever compiles with this one.
#ifndef DIOPI_EMULATION_CUDA_FP16_H_
#define DIOPI_EMULATION_CUDA_FP16_H_

#include <diopi_emulation/atomics.hpp>

namespace diopi::emulation {

// Round to nearest, ties to even.
inline uint16_t half_bits(double value) {
  const _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  return bits;
}

inline float half_value(uint16_t bits) {
  _Float16 half;
  std::memcpy(static_cast<void*>(&half), &bits, sizeof(bits));
  return static_cast<float>(half);
}

}  // namespace diopi::emulation

struct __half {
  unsigned short bits;  // NOLINT(google-runtime-int): CUDA defines this type with these words
  __half() = default;
  explicit __half(float value) : bits(::diopi::emulation::half_bits(static_cast<double>(value))) {}
  explicit __half(double value) : bits(::diopi::emulation::half_bits(value)) {}
  explicit operator float() const { return ::diopi::emulation::half_value(bits); }
};
using half = __half;

inline __half __float2half(float value) { return __half(value); }
inline __half __float2half_rn(float value) { return __half(value); }
inline __half __double2half(double value) { return __half(value); }
inline float __half2float(__half value) { return static_cast<float>(value); }
// NOLINTBEGIN(google-runtime-int)
inline unsigned short __half_as_ushort(__half value) { return value.bits; }
inline __half __ushort_as_half(unsigned short bits) {
  __half value;
  value.bits = bits;
  return value;
}
// NOLINTEND(google-runtime-int)

inline __half atomicAdd(__half* address, __half value, DIOPI_EMULATION_SITE) {
  return ::diopi::emulation::update(address, {file, line}, [value](__half old) {
    return __half(static_cast<float>(old) + static_cast<float>(value));
  });
}

#endif  // DIOPI_EMULATION_CUDA_FP16_H_
