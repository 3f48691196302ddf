/* SPDX-License-Identifier: BSD-3-Clause */
// Gradients of the planes of channels, stored past the caches. Included inside each target's namespace.
#if defined(IMPL_CPU_POOL_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_POOL_PLANES_INL_H_
#undef IMPL_CPU_POOL_PLANES_INL_H_
#else
#define IMPL_CPU_POOL_PLANES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "impl/common/alignment.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/pool/partition.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Whether the gradient x consists of packed planes of at most `most` bytes and is too large for a cache. Then its
// planes can be computed in a buffer and stored past the caches, which does not read the memory first.
template <typename T>
HWY_INLINE bool can_stream_planes(const PoolArgs& a, int64_t most) {
  const int64_t h = a.dim[1].in, w = a.dim[2].in, plane = a.plane();
  const int64_t bytes = plane * static_cast<int64_t>(sizeof(T));
  const bool packed = (w == 1 || a.xs.spatial[2] == 1) && (h == 1 || a.xs.spatial[1] == w) &&
                      (a.dim[0].in == 1 || a.xs.spatial[0] == h * w) && (a.channels == 1 || a.xs.channel == plane) &&
                      (a.batch == 1 || a.xs.batch == a.channels * plane);
  return packed && !a.over_channels && bytes <= std::min(most, kStoredTogether) &&
         a.batch * a.channels * bytes >= stream_bytes();
}

// Calls compute(n, c, x) for planes [begin, end), the channels c of images n, and stores what it writes to x.
template <typename T, typename Compute>
HWY_INLINE void stream_planes(const PoolArgs& a, int64_t begin, int64_t end, const Compute& compute) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  alignas(diopi::kAlignment) T buffer[kStoredTogether / kSize];
  const int64_t plane = a.plane(), together = kStoredTogether / (plane * kSize);
  for (int64_t first = begin; first < end; first += together) {
    const int64_t count = std::min(together, end - first);
    for (int64_t k = 0; k < count; ++k) {
      compute((first + k) / a.channels, (first + k) % a.channels, buffer + k * plane);
    }
    stream_rows(static_cast<T*>(a.x) + first * plane, 0, buffer, 0, count * plane * kSize, 1);
  }
  finish_stores();
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
