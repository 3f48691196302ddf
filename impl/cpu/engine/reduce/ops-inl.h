/* SPDX-License-Identifier: BSD-3-Clause */
// The operations of the reduction kernels, with their vector forms. Included inside each target's namespace.

// Per-target include guard
#if defined(IMPL_CPU_ENGINE_REDUCE_OPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_ENGINE_REDUCE_OPS_INL_H_
#undef IMPL_CPU_ENGINE_REDUCE_OPS_INL_H_
#else
#define IMPL_CPU_ENGINE_REDUCE_OPS_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <type_traits>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "impl/cpu/prefetch.hpp"
#include "impl/cpu/simd/block_loops-inl.h"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct SumOp {
  static constexpr bool kExact = false;
  static constexpr bool kLosesNaN = false;
  template <typename T>
  static T identity() {
    return T(0);
  }
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  }
  template <class D, class V>
  static V vector(D, V a, V b) {
    return hn::Add(a, b);
  }
  template <class D, class V>
  static V lanes(D d, V v) {
    return hn::SumOfLanes(d, v);
  }
};

struct ProdOp {
  static constexpr bool kExact = false;
  template <typename T>
  static T identity() {
    return T(1);
  }
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return a * b;
    } else {
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    }
  }
};

template <bool kLargest>
struct ExtremumOp {
  static constexpr bool kExact = true;
  template <typename T>
  static T identity() {
    using L = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>)
      return kLargest ? -L::infinity() : L::infinity();
    else
      return kLargest ? L::lowest() : L::max();
  }
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a != a || (kLargest ? a > b : a < b) ? a : b;
    else
      return (kLargest ? a > b : a < b) ? a : b;
  }
  // A vector minimum or maximum may drop a NaN: fold_vectors checks for NaN separately.
  static constexpr bool kLosesNaN = true;
  template <class D, class V>
  static V vector(D, V a, V b) {
    if constexpr (kLargest) {
      return hn::Max(a, b);
    } else {
      return hn::Min(a, b);
    }
  }
  template <class D, class V>
  static V lanes(D d, V v) {
#if HWY_TARGET == HWY_EMU128  // its MinOfLanes begins with the largest finite number, so it loses infinities
    HWY_ALIGN hn::TFromD<D> lane[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
    hn::Store(v, d, lane);
    for (size_t k = 1; k < hn::Lanes(d); ++k) lane[0] = apply(lane[0], lane[k]);
    return hn::Set(d, lane[0]);
#else
    if constexpr (kLargest) {
      return hn::MaxOfLanes(d, v);
    } else {
      return hn::MinOfLanes(d, v);
    }
#endif
  }
};

// If the order matters, so many elements are folded one after another before the result is merged: 128 for each lane.
template <typename T>
int64_t run_of() {
  return static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>())) * 128;
}

// Whether the operation has a vector form. The others fold eight interleaved partial results.
template <class Op, typename T>
inline constexpr bool kVectorised = !std::is_same_v<Op, ProdOp> && std::is_arithmetic_v<T>;

// Folds the lanes of a vector into one value.
template <class Op, class D, class V, typename T = hn::TFromD<D>>
T fold_lanes(D d, V v) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return hn::GetLane(Op::lanes(d, v));
  } else {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    HWY_ALIGN T lane[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(v, d, lane);
    for (int64_t width = lanes / 2; width > 0; width /= 2) {
      for (int64_t k = 0; k < width; ++k) lane[k] = Op::apply(lane[k], lane[k + width]);
    }
    return lane[0];
  }
}

template <class Op, class D, typename T = hn::TFromD<D>>
T fold_vectors_of(D d, const T* in, int64_t n) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kPage = 4096 / sizeof(T);
  const auto identity = hn::Set(d, Op::template identity<T>());
  auto a = identity, b = identity, c = identity, e = identity;
  auto unordered = hn::Ne(identity, identity);  // no lane has been NaN yet
  const auto take = [&](auto& sum, const T* p) {
    const auto v = hn::LoadU(d, p);
    sum = Op::vector(d, sum, v);
    if constexpr (Op::kLosesNaN && std::is_floating_point_v<T>) unordered = hn::Or(unordered, hn::IsNaN(v));
  };
  const bool ahead = fetches_ahead();
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    if (ahead) hwy::Prefetch(in + i + kPage);
    take(a, in + i);
    take(b, in + i + lanes);
    take(c, in + i + 2 * lanes);
    take(e, in + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) take(a, in + i);
#if IMPL_CPU_MASKS_MEMORY
  if constexpr (std::is_floating_point_v<T>) {
    if (i < n) {
      const auto inside = hn::FirstN(d, static_cast<size_t>(n - i));
      const auto v = hn::IfThenElse(inside, hn::MaskedLoad(inside, d, in + i), identity);
      b = Op::vector(d, b, v);
      if constexpr (Op::kLosesNaN) unordered = hn::Or(unordered, hn::IsNaN(v));
      i = n;
    }
  }
#endif
  if constexpr (Op::kLosesNaN && std::is_floating_point_v<T>) {
    if (HWY_UNLIKELY(!hn::AllFalse(d, unordered))) return std::numeric_limits<T>::quiet_NaN();
  }
  T result = fold_lanes<Op>(d, Op::vector(d, Op::vector(d, a, b), Op::vector(d, c, e)));
  for (; i < n; ++i) result = Op::apply(result, in[i]);
  return result;
}

template <class Op, typename T>
T fold_vectors(const T* in, int64_t n) {
  const hn::ScalableTag<T> d;
  if constexpr (hn::MaxLanes(d) * sizeof(T) > 32) {
    if (reads_half_lines()) return fold_vectors_of<Op>(hn::CappedTag<T, 32 / sizeof(T)>(), in, n);
  }
  return fold_vectors_of<Op>(d, in, n);
}

// Returns the position of the first of n elements that equals `wanted`, or is NaN if `wanted` is. There must be one.
template <typename T>
int64_t find_first(const T* in, int64_t n, T wanted) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto target = hn::Set(d, wanted);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, in + i);
    auto found = hn::Eq(v, target);
    if constexpr (std::is_floating_point_v<T>) {
      if (wanted != wanted) found = hn::IsNaN(v);
    }
    if (!hn::AllFalse(d, found)) return i + hn::FindFirstTrue(d, found);
  }
  while (wanted != wanted ? in[i] == in[i] : in[i] != wanted) ++i;
  return i;
}

template <class Op, typename T>
T fold_interleaved(const T* in, int64_t n) {
  constexpr int kLanes = 8;
  T lane[kLanes];
  for (T& value : lane) value = Op::template identity<T>();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lane[k] = Op::apply(lane[k], in[i + k]);
  }
  for (int k = 0; i < n; ++i, ++k) lane[k] = Op::apply(lane[k], in[i]);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) lane[k] = Op::apply(lane[k], lane[k + width]);
  }
  return lane[0];
}

template <class Op, typename T>
T fold(const T* in, int64_t n) {
  if constexpr (kVectorised<Op, T>)
    return fold_vectors<Op>(in, n);
  else
    return fold_interleaved<Op>(in, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
