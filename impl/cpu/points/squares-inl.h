/* SPDX-License-Identifier: BSD-3-Clause */
// Squared distances of vectors of points. Included inside each target's namespace.
#if defined(IMPL_CPU_POINTS_SQUARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_POINTS_SQUARES_INL_H_
#undef IMPL_CPU_POINTS_SQUARES_INL_H_
#else
#define IMPL_CPU_POINTS_SQUARES_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include <hwy/highway.h>
#include "impl/cpu/points/nearest.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
constexpr int64_t kMaxLanes = HWY_MAX_BYTES / sizeof(T);

// The squared distances from a centre to the points from i on.
template <int kDims, typename T, class D>
HWY_INLINE hn::Vec<D> squares(D d, const T* planes, int64_t stride, const T* centre, int64_t i) {
  const auto dx = hn::Sub(hn::LoadU(d, planes + i), hn::Set(d, centre[0]));
  const auto dy = hn::Sub(hn::LoadU(d, planes + stride + i), hn::Set(d, centre[1]));
  const auto sum = hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy));
  if constexpr (kDims == 2) {
    return sum;
  } else {
    const auto dz = hn::Sub(hn::LoadU(d, planes + 2 * stride + i), hn::Set(d, centre[2]));
    return hn::Add(sum, hn::Mul(dz, dz));
  }
}

// Whether squared distances are in [low, high), or 0 if `with_centre`.
template <typename T, class D>
HWY_INLINE hn::Mask<D> is_near(D d, hn::Vec<D> square, T low, T high, bool with_centre) {
  const auto near = hn::And(hn::Ge(square, hn::Set(d, low)), hn::Lt(square, hn::Set(d, high)));
  return with_centre ? hn::Or(near, hn::Eq(square, hn::Zero(d))) : near;
}

// Calls f(lane) for the lanes of a mask, in order.
template <class D, class M, class F>
HWY_INLINE void for_lanes(D d, M mask, F f) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof(bits));
  for (; bits != 0; bits &= bits - 1) f(__builtin_ctzll(bits));
}

// Fills the places of a ball behind the indices that were found.
HWY_INLINE void fill_ball(const BallQuery& q, int64_t found, int32_t* index) {
  if (found > 0) {
    std::fill(index + found, index + q.samples, index[0]);
  } else if (q.samples > 0) {
    std::fill(index, index + q.samples, 0);
    index[0] = q.if_none;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
