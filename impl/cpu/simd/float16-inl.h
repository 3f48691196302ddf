/* SPDX-License-Identifier: BSD-3-Clause */
// Conversion of float32 vectors from and to float16 and bfloat16 in memory, with the same bits on every target.
#if defined(IMPL_CPU_SIMD_FLOAT16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_FLOAT16_INL_H_
#undef IMPL_CPU_SIMD_FLOAT16_INL_H_
#else
#define IMPL_CPU_SIMD_FLOAT16_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "impl/cpu/simd/bfloat16_rounding.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Only for AVX2 and better do Highway's PromoteTo and DemoteTo use the hardware's exact conversions of float16. On
// other targets Highway does not support infinities and NaN, so this file computes the bits.
#undef DIOPI_FLOAT16_IN_HARDWARE
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define DIOPI_FLOAT16_IN_HARDWARE 1
#else
#define DIOPI_FLOAT16_IN_HARDWARE 0
#endif

// Converts bit patterns of float16 to float32.
template <class D, class DU16 = hn::Rebind<uint16_t, D>>
HWY_INLINE hn::Vec<D> from_float16(D d, hn::Vec<DU16> v) {
#if DIOPI_FLOAT16_IN_HARDWARE
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(d, hn::BitCast(d16, v));
#else
  const hn::RebindToSigned<D> di;
  const auto bits = hn::PromoteTo(di, v);
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(di, 0x8000)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(di, 0x7FFF)));
  const auto exponent = hn::And(magnitude, hn::Set(di, 0x0F800000));
  const auto normal = hn::Add(magnitude, hn::Set(di, 0x38000000));
  // A subnormal: the exponent of 2^-14 is added to the bits, then 2^-14 is subtracted from the number.
  const auto offset = hn::BitCast(d, hn::Add(magnitude, hn::Set(di, 0x38800000)));
  const auto subnormal = hn::BitCast(di, hn::Sub(offset, hn::Set(d, 6.103515625e-05f)));
  const auto is_nan = hn::Gt(magnitude, hn::Set(di, 0x0F800000));
  const auto infinite =
      hn::Or(hn::Add(magnitude, hn::Set(di, 0x70000000)), hn::IfThenElseZero(is_nan, hn::Set(di, 0x00400000)));
  auto result = hn::IfThenElse(hn::Eq(exponent, hn::Zero(di)), subnormal, normal);
  result = hn::IfThenElse(hn::Eq(exponent, hn::Set(di, 0x0F800000)), infinite, result);
  return hn::BitCast(d, hn::Or(result, sign));
#endif
}

template <class D, class DU16 = hn::Rebind<uint16_t, D>>
HWY_INLINE hn::Vec<DU16> to_float16(D d, hn::Vec<D> v) {
#if DIOPI_FLOAT16_IN_HARDWARE
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::BitCast(DU16(), hn::DemoteTo(d16, v));
#else
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, v);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 1));
  // Changes the bias of the exponent by -112 and rounds to nearest even. A carry into the exponent gives the right
  // result.
  const auto normal = hn::ShiftRight<13>(hn::Add(hn::Add(magnitude, hn::Set(di, 0x0FFF - 0x38000000)), odd));
  // Adding 0.5 aligns the last bit of a float16 subnormal with that of the float, so the addition rounds.
  const auto aligned = hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f));
  const auto subnormal = hn::Sub(hn::BitCast(di, aligned), hn::Set(di, 0x3F000000));
  const auto payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 0x3FF));
  const auto nan = hn::Or(payload, hn::Set(di, 0x7E00));
  auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x38800000)), subnormal, normal);
  result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x477FEFFF)), hn::Set(di, 0x7C00), result);
  result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7F800000)), nan, result);
  return hn::DemoteTo(DU16(), hn::Or(result, sign));
#endif
}

template <class D, class DU16 = hn::Rebind<uint16_t, D>>
HWY_INLINE hn::Vec<D> from_bfloat16(D d, hn::Vec<DU16> v) {
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, v)));
}

// Rounds numbers that are not NaN to nearest even, like PyTorch; Highway's DemoteTo does not. The result is in the
// upper half of each lane.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> round_number_to_bfloat16(D /*d*/, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  return hn::Add(hn::Add(bits, hn::Set(du, 0x7FFF)), odd);
}
// The same for any lanes.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> round_to_bfloat16(D d, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto nan = hn::Or(hn::BitCast(du, v), hn::Set(du, 0x00400000));
  return hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), nan, round_number_to_bfloat16(d, v));
}

template <class D>
HWY_INLINE bool has_nan(D d, hn::Vec<D> a, hn::Vec<D> b) {
#if HWY_TARGET == HWY_AVX2  // one comparison for both vectors
  if constexpr (hn::MaxLanes(D()) == 8) return _mm256_movemask_ps(_mm256_cmp_ps(a.raw, b.raw, _CMP_UNORD_Q)) != 0;
#endif
  return !hn::AllFalse(d, hn::Or(hn::IsNaN(a), hn::IsNaN(b)));
}

// Whether vectors may be rounded by the processor's instructions, which are written as assembler: this target does not
// require them.
#undef DIOPI_BFLOAT16_IN_HARDWARE
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define DIOPI_BFLOAT16_IN_HARDWARE 1
template <class V>
HWY_INLINE bool has_denormals(V v) {
  constexpr int kDenormal = 0x20;
  return _mm512_fpclass_ps_mask(v.raw, kDenormal) != 0;
}
#else
#define DIOPI_BFLOAT16_IN_HARDWARE 0
#endif

template <class D, class DU16 = hn::Rebind<uint16_t, D>>
HWY_INLINE hn::Vec<DU16> to_bfloat16(D d, hn::Vec<D> v) {
#if DIOPI_BFLOAT16_IN_HARDWARE
  if constexpr (hn::MaxLanes(D()) == 16) {
    if (HWY_LIKELY(rounds_to_bfloat16() && !has_denormals(v))) {
      __m256i rounded;
      __asm__("vcvtneps2bf16 %1, %0" : "=v"(rounded) : "v"(v.raw));
      return hn::Vec<DU16>{rounded};
    }
  }
#endif
  const hn::RebindToSigned<D> di;
  return hn::DemoteTo(DU16(), hn::BitCast(di, hn::ShiftRight<16>(round_to_bfloat16(d, v))));
}

template <class D, class DU16 = hn::Rebind<uint16_t, D>>
HWY_INLINE hn::Vec<D> load_float16(D d, const uint16_t* src) {
  return from_float16(d, hn::LoadU(DU16(), src));
}
template <class D, class DU16 = hn::Rebind<uint16_t, D>>
HWY_INLINE void store_float16(D d, hn::Vec<D> v, uint16_t* dst) {
  hn::StoreU(to_float16(d, v), DU16(), dst);
}
template <class D, class DU16 = hn::Rebind<uint16_t, D>>
HWY_INLINE hn::Vec<D> load_bfloat16(D d, const uint16_t* src) {
  return from_bfloat16(d, hn::LoadU(DU16(), src));
}
template <class D, class DU16 = hn::Rebind<uint16_t, D>>
HWY_INLINE void store_bfloat16(D d, hn::Vec<D> v, uint16_t* dst) {
  hn::StoreU(to_bfloat16(d, v), DU16(), dst);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
