/* SPDX-License-Identifier: BSD-3-Clause */
// Vector conversions between float32 and float16, bfloat16, float64, integers, for every target. cast_simd.cpp includes
// this file once per target.
#if defined(IMPL_CPU_ENGINE_CAST_CAST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ENGINE_CAST_CAST_INL_H_
#undef IMPL_CPU_ENGINE_CAST_CAST_INL_H_
#else
#define IMPL_CPU_ENGINE_CAST_CAST_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "impl/cpu/math/common-inl.h"
#include "impl/cpu/simd/float16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls `step(dst, src)`, which converts one vector of `lanes` elements, for `n` elements. The tail is copied to a
// buffer of a whole vector, so that every element passes through the same instructions.
template <typename To, typename From, class Step>
HWY_INLINE void convert_all(void* dst_bytes, const void* src_bytes, int64_t n, int64_t lanes, Step step) {
  To* HWY_RESTRICT dst = static_cast<To*>(dst_bytes);
  const From* HWY_RESTRICT src = static_cast<const From*>(src_bytes);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    step(dst + i, src + i);
    step(dst + i + lanes, src + i + lanes);
  }
  if (i + lanes <= n) {
    step(dst + i, src + i);
    i += lanes;
  }
  if (i < n) {
    constexpr int64_t kMaxLanes = HWY_MAX_BYTES / 4;
    From in[kMaxLanes] = {};
    To out[kMaxLanes];
    std::memcpy(in, src + i, static_cast<size_t>(n - i) * sizeof(From));
    step(out, in);
    std::memcpy(dst + i, out, static_cast<size_t>(n - i) * sizeof(To));
  }
}

void Float16ToFloat32(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<float> d;
  convert_all<float, uint16_t>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)),
                               [&](float* to, const uint16_t* from) { hn::StoreU(load_float16(d, from), d, to); });
}

void Float32ToFloat16(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<float> d;
  convert_all<uint16_t, float>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)),
                               [&](uint16_t* to, const float* from) { store_float16(d, hn::LoadU(d, from), to); });
}

void Bfloat16ToFloat32(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<float> d;
  convert_all<float, uint16_t>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)),
                               [&](float* to, const uint16_t* from) { hn::StoreU(load_bfloat16(d, from), d, to); });
}

void Float32ToBfloat16(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<float> d;
  convert_all<uint16_t, float>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)),
                               [&](uint16_t* to, const float* from) { store_bfloat16(d, hn::LoadU(d, from), to); });
}

void Float64ToFloat32(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  convert_all<float, double>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)), [&](float* to, const double* from) {
    hn::StoreU(RoundToFloat(df, hn::LoadU(d, from)), df, to);
  });
}

void Float32ToFloat64(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  convert_all<double, float>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)), [&](double* to, const float* from) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(df, from)), d, to);
  });
}

// Converts float to int32. NaN and values out of range become the smallest int32.
template <class D, class DI = hn::RebindToSigned<D>>
HWY_INLINE hn::Vec<DI> to_int32([[maybe_unused]] D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_AVX3  // one instruction; Highway's conversion would return the largest int32
  return hn::Vec<DI>{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<DI>{_mm256_cvttps_epi32(v.raw)};
#else
  const auto low = hn::Set(d, -2147483648.0f);
  return hn::ConvertTo(DI(), hn::IfThenElse(hn::Lt(v, hn::Neg(low)), v, low));
#endif
}

void Float32ToInt32(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  convert_all<int32_t, float>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)), [&](int32_t* to, const float* from) {
    hn::StoreU(to_int32(d, hn::LoadU(d, from)), di, to);
  });
}

void Bfloat16ToInt32(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  convert_all<int32_t, uint16_t>(
      dst, src, n, static_cast<int64_t>(hn::Lanes(d)),
      [&](int32_t* to, const uint16_t* from) { hn::StoreU(to_int32(d, load_bfloat16(d, from)), di, to); });
}

void Float16ToInt32(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  convert_all<int32_t, uint16_t>(
      dst, src, n, static_cast<int64_t>(hn::Lanes(d)),
      [&](int32_t* to, const uint16_t* from) { hn::StoreU(to_int32(d, load_float16(d, from)), di, to); });
}

// Converts double to int32. NaN and values out of range become the smallest int32.
template <class D, class DI = hn::Rebind<int32_t, D>>
HWY_INLINE hn::Vec<DI> double_to_int32([[maybe_unused]] D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_AVX3  // one instruction
  return hn::Vec<DI>{_mm512_cvttpd_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<DI>{_mm256_cvttpd_epi32(v.raw)};
#else
  const auto low = hn::Set(d, -2147483648.0);
  const auto fits = hn::And(hn::Ge(v, low), hn::Lt(v, hn::Neg(low)));
  return hn::DemoteTo(DI(), hn::IfThenElse(fits, v, low));
#endif
}

void Float64ToInt32(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  convert_all<int32_t, double>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)), [&](int32_t* to, const double* from) {
    hn::StoreU(double_to_int32(d, hn::LoadU(d, from)), di, to);
  });
}

// Converts double to int64. NaN and values out of range become the smallest int64.
template <class D, class DI = hn::RebindToSigned<D>>
HWY_INLINE void store_int64(D d, hn::Vec<D> v, int64_t* dst) {
  const DI di;
#if !(HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)
  // No instruction converts them. The sum of a whole number below 2^51 and 1.5 2^52 has the number in its low bits.
  if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(v), hn::Set(d, 0x1p51))))) {
    const auto magic = hn::Set(d, 0x1.8p52);
    hn::StoreU(hn::Sub(hn::BitCast(di, hn::Add(hn::Trunc(v), magic)), hn::BitCast(di, magic)), di, dst);
    return;
  }
#endif
  const auto low = hn::Set(d, -9223372036854775808.0);
  const auto fits = hn::And(hn::Ge(v, low), hn::Lt(v, hn::Neg(low)));
  hn::StoreU(hn::ConvertTo(di, hn::IfThenElse(fits, v, low)), di, dst);
}

void Float64ToInt64(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<double> d;
  convert_all<int64_t, double>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)),
                               [&](int64_t* to, const double* from) { store_int64(d, hn::LoadU(d, from), to); });
}

void Float32ToInt64(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  convert_all<int64_t, float>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)), [&](int64_t* to, const float* from) {
    store_int64(d, hn::PromoteTo(d, hn::LoadU(df, from)), to);
  });
}

void Int32ToFloat32(void* dst, const void* src, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  convert_all<float, int32_t>(dst, src, n, static_cast<int64_t>(hn::Lanes(d)), [&](float* to, const int32_t* from) {
    hn::StoreU(hn::ConvertTo(d, hn::LoadU(di, from)), d, to);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
