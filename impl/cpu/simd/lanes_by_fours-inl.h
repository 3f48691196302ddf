/* SPDX-License-Identifier: BSD-3-Clause */
// Folds the lanes of four vectors of float together, in fewer instructions than one vector after another. Included
// inside each target's namespace.
#if defined(IMPL_CPU_SIMD_LANES_BY_FOURS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_LANES_BY_FOURS_INL_H_
#undef IMPL_CPU_SIMD_LANES_BY_FOURS_INL_H_
#else
#define IMPL_CPU_SIMD_LANES_BY_FOURS_INL_H_
#endif

#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

struct AddLanes {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};
struct LargestLane {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Max(a, b);
  }
};

#if HWY_TARGET == HWY_SCALAR
template <class F>
HWY_INLINE void fold_lanes_by_fours(const VecOf<float>* v, F /*f*/, float* out) {
  for (int k = 0; k < 4; ++k) out[k] = hn::GetLane(v[k]);
}
#else
// Folds the upper half of the lanes into the lower half until four lanes are left, and stores these.
template <class D, class V, class F>
HWY_INLINE void fold_to_four(D d, V v, F f, float* out) {
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<D> half;
    fold_to_four(half, f(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), f, out);
  } else {
    hn::StoreU(v, d, out);
  }
}

// out[k] = the fold of the lanes of v[k], for four vectors. After two rounds of interleaving, each block of 16 bytes
// has a part of each of the four results.
template <class F>
HWY_INLINE void fold_lanes_by_fours(const VecOf<float>* v, F f, float* out) {
  const TagOf<float> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto a = f(hn::InterleaveLower(d, v[0], v[1]), hn::InterleaveUpper(d, v[0], v[1]));
  const auto b = f(hn::InterleaveLower(d, v[2], v[3]), hn::InterleaveUpper(d, v[2], v[3]));
  const auto c = hn::BitCast(pairs, a), e = hn::BitCast(pairs, b);
  fold_to_four(d, f(hn::BitCast(d, hn::InterleaveLower(pairs, c, e)), hn::BitCast(d, hn::InterleaveUpper(pairs, c, e))),
               f, out);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
