/* SPDX-License-Identifier: BSD-3-Clause */
// Loads and stores vectors of any floating point storage type. float16 and bfloat16 are converted to float. Included
// inside each target's namespace.
#if defined(IMPL_CPU_SIMD_LOAD_STORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_LOAD_STORE_INL_H_
#undef IMPL_CPU_SIMD_LOAD_STORE_INL_H_
#else
#define IMPL_CPU_SIMD_LOAD_STORE_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include <hwy/highway.h>
#include "impl/common/dtype.hpp"
#include "impl/cpu/simd/float16-inl.h"
#include "impl/cpu/simd/load_store_n-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The type in which elements stored as S are computed, its vectors and their number of lanes.
template <typename S>
using ComputeOf = std::conditional_t<std::is_same_v<S, double>, double, float>;
template <typename S>
using TagOf = hn::ScalableTag<ComputeOf<S>>;
template <typename S>
using VecOf = hn::Vec<TagOf<S>>;
template <typename S>
HWY_INLINE int64_t lanes_of() {
  return static_cast<int64_t>(hn::Lanes(TagOf<S>()));
}

// Vectors in memory format: for float16 and bfloat16 the bit patterns.
template <typename S>
using MemoryTag = std::conditional_t<sizeof(S) == 2, hn::Rebind<uint16_t, TagOf<S>>, TagOf<S>>;

template <typename S>
HWY_INLINE VecOf<S> from_storage(hn::Vec<MemoryTag<S>> v) {
  if constexpr (std::is_same_v<S, diopi::float16>) {
    return from_float16(TagOf<S>(), v);
  } else if constexpr (std::is_same_v<S, diopi::bfloat16>) {
    return from_bfloat16(TagOf<S>(), v);
  } else {
    return v;
  }
}

template <typename S>
HWY_INLINE hn::Vec<MemoryTag<S>> to_storage(VecOf<S> v) {
  if constexpr (std::is_same_v<S, diopi::float16>) {
    return to_float16(TagOf<S>(), v);
  } else if constexpr (std::is_same_v<S, diopi::bfloat16>) {
    return to_bfloat16(TagOf<S>(), v);
  } else {
    return v;
  }
}

template <typename S>
HWY_INLINE VecOf<S> load_vector(const S* p) {
  return from_storage<S>(hn::LoadU(MemoryTag<S>(), reinterpret_cast<const hn::TFromD<MemoryTag<S>>*>(p)));
}

template <typename S>
HWY_INLINE void store_vector(VecOf<S> v, S* p) {
  hn::StoreU(to_storage<S>(v), MemoryTag<S>(), reinterpret_cast<hn::TFromD<MemoryTag<S>>*>(p));
}

// Loads the first `count` lanes, 0 < count < lanes; the other lanes are 0.
template <typename S>
HWY_INLINE VecOf<S> load_some(const S* p, int64_t count) {
  const auto* const memory = reinterpret_cast<const hn::TFromD<MemoryTag<S>>*>(p);
  return from_storage<S>(load_n(MemoryTag<S>(), memory, static_cast<size_t>(count)));
}

// Stores only the first `count` lanes, 0 < count < lanes.
template <typename S>
HWY_INLINE void store_some(VecOf<S> v, S* p, int64_t count) {
  auto* const memory = reinterpret_cast<hn::TFromD<MemoryTag<S>>*>(p);
  store_n(to_storage<S>(v), MemoryTag<S>(), memory, static_cast<size_t>(count));
}

// Returns v with 0 in all lanes from `count` on.
template <typename S>
HWY_INLINE VecOf<S> keep_some(VecOf<S> v, int64_t count) {
  return hn::IfThenElseZero(hn::FirstN(TagOf<S>(), static_cast<size_t>(count)), v);
}

using DoubleTag = hn::ScalableTag<double>;
using DoubleVec = hn::Vec<DoubleTag>;
// The vectors of double that hold the elements of one vector of the compute type.
template <typename S>
inline constexpr int kDoubleParts = std::is_same_v<ComputeOf<S>, double> || HWY_TARGET == HWY_SCALAR ? 1 : 2;

template <typename S>
HWY_INLINE void to_doubles(VecOf<S> v, DoubleVec (&parts)[kDoubleParts<S>]) {
  if constexpr (std::is_same_v<ComputeOf<S>, double>) {
    parts[0] = v;
  } else {
#if HWY_TARGET == HWY_SCALAR
    parts[0] = hn::PromoteTo(DoubleTag(), v);
#else
    const hn::Half<TagOf<S>> half;
    parts[0] = hn::PromoteTo(DoubleTag(), hn::LowerHalf(half, v));
    parts[1] = hn::PromoteTo(DoubleTag(), hn::UpperHalf(half, v));
#endif
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
