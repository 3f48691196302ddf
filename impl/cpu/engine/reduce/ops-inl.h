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
  static constexpr bool kLosesNaN = false;
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
  template <class D, class V>
  static V vector(D, V a, V b) {
    return hn::Mul(a, b);
  }
  template <class D, class V>
  static V lanes(D d, V v) {
    return hn::Set(d, product(d, v));
  }

 private:
  template <class D, class V>
  static HWY_INLINE hn::TFromD<D> product(D d, V v) {
#if HWY_TARGET != HWY_SCALAR  // which has no halves
    if constexpr (hn::MaxLanes(d) > 1) {
      const hn::Half<D> half;
      return product(half, hn::Mul(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    }
#endif
    return hn::GetLane(v);
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
inline constexpr bool kVectorised = std::is_same_v<Op, ProdOp> ? std::is_floating_point_v<T> : std::is_arithmetic_v<T>;

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

// Rows that are far from each other are read in turns: each begins pages of its own, and the processor finds the next
// pages of all of them at a time. Of 64 MiB, an AMD EPYC (Zen 4) reads 23 GB/s in one row, 26 GB/s in two or four;
// while other programs use the memory, 15, 19 and 22 GB/s.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr int kRowsApart = 4;  // four sums for each row fit 32 registers
#else
inline constexpr int kRowsApart = 2;
#endif

template <class D, typename T = hn::TFromD<D>>
bool has_nan(D d, const T* in, int64_t n) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    if (!hn::AllFalse(d, hn::IsNaN(hn::LoadU(d, in + i)))) return true;
  }
  for (; i < n; ++i) {
    if (in[i] != in[i]) return true;
  }
  return false;
}

// out[r] = the fold of n elements at in[r]. For an operation that loses NaN, the elements are also added up: the sum is
// NaN if an element is, and hardly otherwise.
template <class Op, int kRows, class D, typename T = hn::TFromD<D>>
HWY_INLINE void fold_rows_of(D d, const T* const (&in)[kRows], int64_t n, T (&out)[kRows]) {
  constexpr int kSums = 4;
  constexpr bool kChecksNaN = Op::kLosesNaN && std::is_floating_point_v<T>;
  constexpr int64_t kPage = 4096 / sizeof(T);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto identity = hn::Set(d, Op::template identity<T>());
  constexpr int kChecks = kSums / kRows;  // sums in different registers hide the latency of additions
  hn::Vec<D> sums[kRows][kSums], checks[kRows][kChecks];
  for (int r = 0; r < kRows; ++r) {
    for (int k = 0; k < kSums; ++k) sums[r][k] = identity;
    for (auto& check : checks[r]) check = hn::Zero(d);
  }
  const auto take = [&](int r, int k, auto v) HWY_ATTR {
    sums[r][k] = Op::vector(d, sums[r][k], v);
    if constexpr (kChecksNaN) checks[r][k % kChecks] = hn::Add(checks[r][k % kChecks], v);
  };
  const bool ahead = fetches_ahead();
  int64_t i = 0;
  for (; i + kSums * lanes <= n; i += kSums * lanes) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      if (ahead) hwy::Prefetch(in[r] + i + kPage);
#pragma GCC unroll 4
      for (int k = 0; k < kSums; ++k) take(r, k, hn::LoadU(d, in[r] + i + k * lanes));
    }
  }
  for (int r = 0; r < kRows; ++r) {
    int64_t j = i;
    for (; j + lanes <= n; j += lanes) take(r, 0, hn::LoadU(d, in[r] + j));
    if constexpr (std::is_floating_point_v<T>) {
      if (j < n) {
        const auto inside = hn::FirstN(d, static_cast<size_t>(n - j));
        const auto v = load_n(d, in[r] + j, static_cast<size_t>(n - j));
        sums[r][1] = Op::vector(d, sums[r][1], hn::IfThenElse(inside, v, identity));
        if constexpr (kChecksNaN) checks[r][0] = hn::Add(checks[r][0], v);
        j = n;
      }
    }
    if constexpr (kChecksNaN) {
      for (int k = 1; k < kChecks; ++k) checks[r][0] = hn::Add(checks[r][0], checks[r][k]);
      if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(checks[r][0])) && has_nan(d, in[r], n))) {
        out[r] = std::numeric_limits<T>::quiet_NaN();
        continue;
      }
    }
    const auto low = Op::vector(d, sums[r][0], sums[r][1]), high = Op::vector(d, sums[r][2], sums[r][3]);
    out[r] = fold_lanes<Op>(d, Op::vector(d, low, high));
    for (; j < n; ++j) out[r] = Op::apply(out[r], in[r][j]);
  }
}

template <class Op, int kRows, typename T>
void fold_vectors(const T* const (&in)[kRows], int64_t n, T (&out)[kRows]) {
  const hn::ScalableTag<T> d;
  if constexpr (hn::MaxLanes(d) * sizeof(T) > 32) {
    if (reads_half_lines()) return fold_rows_of<Op, kRows>(hn::CappedTag<T, 32 / sizeof(T)>(), in, n, out);
  }
  fold_rows_of<Op, kRows>(d, in, n, out);
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
  if constexpr (kVectorised<Op, T>) {
    const T* const rows[1] = {in};
    T result[1];
    fold_vectors<Op, 1>(rows, n, result);
    return result[0];
  } else {
    return fold_interleaved<Op>(in, n);
  }
}

// Rows shorter than this do not keep pages open for long: they are folded one after another.
inline constexpr int64_t kLongRow = 1024;  // bytes

// out[i] = the fold of n elements of row i; rows are `pitch` bytes apart.
template <class Op, typename T>
void fold_each_row(const char* in, int64_t pitch, int64_t rows, int64_t n, T* out) {
  int64_t done = 0;
  if constexpr (kVectorised<Op, T>) {
    const int64_t part = n * static_cast<int64_t>(sizeof(T)) < kLongRow ? 0 : rows / kRowsApart;
    for (int64_t i = 0; i < part; ++i) {
      const T* apart[kRowsApart];
      T results[kRowsApart];
      for (int r = 0; r < kRowsApart; ++r) apart[r] = reinterpret_cast<const T*>(in + (r * part + i) * pitch);
      fold_vectors<Op, kRowsApart>(apart, n, results);
      for (int r = 0; r < kRowsApart; ++r) out[r * part + i] = results[r];
    }
    done = part * kRowsApart;
  }
  for (; done < rows; ++done) out[done] = fold<Op>(reinterpret_cast<const T*>(in + done * pitch), n);
}

// fold() of an operation whose order does not matter.
template <class Op, typename T>
T fold_in_any_order(const T* in, int64_t n) {
  constexpr int64_t kLong = kRowsApart * kLongRow / static_cast<int64_t>(sizeof(T));
  if (n < 2 * kLong) return fold<Op>(in, n);
  const int64_t part = n / kRowsApart;
  T results[kRowsApart];
  fold_each_row<Op>(reinterpret_cast<const char*>(in), part * static_cast<int64_t>(sizeof(T)), kRowsApart, part,
                    results);
  T result = fold<Op>(in + kRowsApart * part, n - kRowsApart * part);
  for (const T& x : results) result = Op::apply(result, x);
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
