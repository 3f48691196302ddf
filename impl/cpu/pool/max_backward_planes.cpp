// SPDX-License-Identifier: BSD-3-Clause
// The gradient of max pooling of planes without gaps. Groups of planes that fit the first-level cache are cleared at
// once, then the gradients are added. Gradients of half types are added in float32.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/pool/pool.hpp"
#include "impl/cpu/pool/small_planes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pool/max_backward_planes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

#include "impl/cpu/pool/planes-inl.h"
#include "impl/cpu/pool/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
using SumOf = std::conditional_t<std::is_same_v<S, double>, double, float>;
// Gradients in the buffers of a group.
template <typename T>
constexpr int64_t kRoom = kStoredTogether / static_cast<int64_t>(sizeof(T));

// Adds n gradients of each of `count` planes. Additions to one element wait for each other, so two small planes are
// computed at a time. In larger ones, a load would often wait for one of the last stores, 4096 bytes away, which the
// processor takes for a store to the same address.
template <typename T, typename I>
HWY_INLINE void add_to_planes(int64_t count, int64_t plane, int64_t n, T* x, const T* y, const I* index) {
  if (n == 1) {
    for (int64_t p = 0; p < count; ++p) x[p * plane + index[p]] += y[p];
    return;
  }
  constexpr int64_t kLastStores = 512, kDistance = (4096 - kLastStores) / static_cast<int64_t>(sizeof(T));
  int64_t p = 0;
  for (; plane <= kDistance && p + 2 <= count; p += 2, x += 2 * plane, y += 2 * n, index += 2 * n) {
    for (int64_t k = 0; k < n; ++k) {
      x[index[k]] += y[k];
      x[plane + index[n + k]] += y[n + k];
    }
  }
  for (; p < count; ++p, x += plane, y += n, index += n) {
    for (int64_t k = 0; k < n; ++k) x[index[k]] += y[k];
  }
}

// Adds the gradients of planes [first, first + count) to their sums. If these are several planes of a half type, their
// gradients fit the buffer.
template <typename S, typename I>
HWY_INLINE void add_group(const PoolArgs& a, int64_t first, int64_t count, SumOf<S>* x) {
  const int64_t n = a.outputs(), plane = a.plane();
  const S* const y = static_cast<const S*>(a.y) + first * n;
  const I* const index = static_cast<const I*>(a.index) + first * n;
  if constexpr (std::is_same_v<S, SumOf<S>>) {
    add_to_planes(count, plane, n, x, y, index);
  } else {
    alignas(diopi::kAlignment) float wide[kRoom<float>];
    const CastFn widen = cast_function(diopi::dtype_of<S>, diopi_dtype_float32);
    for (int64_t begin = 0; begin < count * n; begin += kRoom<float>) {
      const int64_t part = std::min(kRoom<float>, count * n - begin);
      widen(wide, y + begin, part);
      add_to_planes(count, plane, count == 1 ? part : n, x, wide, index + begin);
    }
  }
}

// Writes the only gradients of `count` planes of a half type. A sum of one gradient is not rounded, but it is never -0.
template <typename S, typename I>
HWY_INLINE void put_single(const PoolArgs& a, int64_t first, int64_t count, S* x) {
  const int64_t plane = a.plane();
  const I* const index = static_cast<const I*>(a.index) + first;
  alignas(diopi::kAlignment) float wide[kRoom<float>];
  S sums[kRoom<float>];
  cast_function(diopi::dtype_of<S>, diopi_dtype_float32)(wide, static_cast<const S*>(a.y) + first, count);
  for (int64_t p = 0; p < count; ++p) wide[p] += 0.0F;
  cast_function(diopi_dtype_float32, diopi::dtype_of<S>)(sums, wide, count);
  for (int64_t p = 0; p < count; ++p) x[p * plane + index[p]] = sums[p];
}

// max_backward_planes() for a half type and one output in each plane.
template <typename S>
void max_backward_singles(const PoolArgs& a, int64_t begin, int64_t end) {
  const int64_t plane = a.plane(), together = std::max<int64_t>(1, kRoom<float> / plane);
  for (int64_t first = begin; first < end; first += together) {
    const int64_t count = std::min(together, end - first);
    S* const x = static_cast<S*>(a.x) + first * plane;
    std::fill_n(x, count * plane, S{});
    if (a.narrow_index) {
      put_single<S, int32_t>(a, first, count, x);
    } else {
      put_single<S, int64_t>(a, first, count, x);
    }
  }
}

// Computes planes [begin, end) in groups. The sums of a half type, and those that are stored past the caches, are in a
// buffer.
template <typename S>
void max_backward_planes(const PoolArgs& a, int64_t begin, int64_t end) {
  using T = SumOf<S>;
  constexpr int64_t kSmallPlane = 4096;  // a larger one is stored as fast without a buffer
  constexpr bool kHalf = !std::is_same_v<S, T>;
  alignas(diopi::kAlignment) T sums[kRoom<T>];
  alignas(diopi::kAlignment) S rounded[kHalf ? kRoom<T> : 1];
  const int64_t plane = a.plane(), n = a.outputs();
  const bool stream = can_stream_planes<S>(a, kHalf ? kStoredTogether : kSmallPlane);
  const int64_t by_outputs = kHalf && n > 0 ? std::max<int64_t>(1, kRoom<T> / n) : end;
  const int64_t together = std::min(by_outputs, std::max<int64_t>(1, kRoom<T> / plane));
  for (int64_t first = begin; first < end; first += together) {
    const int64_t count = std::min(together, end - first);
    S* const to = static_cast<S*>(a.x) + first * plane;
    T* x = sums;
    if constexpr (!kHalf) x = stream ? sums : to;
    std::fill_n(x, count * plane, T{});
    if (a.narrow_index) {
      add_group<S, int32_t>(a, first, count, x);
    } else {
      add_group<S, int64_t>(a, first, count, x);
    }
    const S* from = rounded;
    if constexpr (kHalf) {
      cast_function(diopi_dtype_float32, diopi::dtype_of<S>)(stream ? rounded : to, sums, count * plane);
    } else {
      from = sums;
    }
    if (stream) stream_rows(to, 0, from, 0, count * plane * static_cast<int64_t>(sizeof(S)), 1);
  }
  if (stream) finish_stores();
}

template <typename S>
PoolChunksFn max_backward_of(const PoolArgs& a) {
  if constexpr (!std::is_same_v<S, SumOf<S>>) {
    if (a.outputs() == 1) return max_backward_singles<S>;
  }
  return max_backward_planes<S>;
}

PoolChunksFn GetMaxBackwardPlanes(diopiDtype_t dtype, const PoolArgs& a) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [&a](auto tag) { return max_backward_of<diopi::tagged<decltype(tag)>>(a); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetMaxBackwardPlanes);

}  // namespace

bool max_pool_backward_planes(diopiDtype_t dtype, const PoolArgs& a) {
  if (!has_packed_planes(a)) return false;
  if (diopi::is_reduced_float(dtype) && a.plane() * static_cast<int64_t>(sizeof(float)) > kStoredTogether) return false;
  return run_backward(HWY_DYNAMIC_DISPATCH(GetMaxBackwardPlanes)(dtype, a), a);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
