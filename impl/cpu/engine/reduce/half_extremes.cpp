// SPDX-License-Identifier: BSD-3-Clause
// The largest and smallest elements of float16 and bfloat16. Rows are compared as integers, without conversion.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "impl/cpu/engine/reduce/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/reduce/half_extremes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/engine/reduce/ops-inl.h"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

using KeyTag = hn::ScalableTag<int16_t>;
using KeyVec = hn::Vec<KeyTag>;

constexpr int16_t kMagnitude = 0x7FFF;  // the bits of a number without its sign

template <typename S>
constexpr int16_t infinity_bits() {
  return std::is_same_v<S, diopi::float16> ? 0x7C00 : 0x7F80;
}

// Integers in the order of the numbers: the bits behind the sign are inverted if it is set. Applied twice, it gives the
// bits again.
HWY_INLINE KeyVec keys_of(KeyVec bits) {
  const KeyTag d;
  return hn::Xor(bits, hn::And(hn::ShiftRight<15>(bits), hn::Set(d, kMagnitude)));
}

// The extremum of keys, and the largest number without its sign, which is above infinity if an element is NaN.
template <bool kLargest>
struct KeyExtremes {
  KeyVec best, magnitude;

  HWY_INLINE KeyExtremes()
      : best(hn::Set(KeyTag(), ExtremumOp<kLargest>::template identity<int16_t>())), magnitude(hn::Zero(KeyTag())) {}

  HWY_INLINE void take(KeyVec bits) {
    best = ExtremumOp<kLargest>::vector(KeyTag(), best, keys_of(bits));
    magnitude = hn::Max(magnitude, hn::And(bits, hn::Set(KeyTag(), kMagnitude)));
  }
  // The bits of the extremum of each lane.
  template <typename S>
  HWY_INLINE KeyVec bits() const {
    const KeyTag d;
    const auto has_nan = hn::Gt(magnitude, hn::Set(d, infinity_bits<S>()));
    return hn::IfThenElse(has_nan, hn::Set(d, kMagnitude), keys_of(best));
  }
  HWY_INLINE void merge(const KeyExtremes& other) {
    best = ExtremumOp<kLargest>::vector(KeyTag(), best, other.best);
    magnitude = hn::Max(magnitude, other.magnitude);
  }
};

// Returns the extremum of n >= 1 elements.
template <typename S, bool kLargest>
float extremum_of(const S* x, int64_t n) {
  const KeyTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* const bits = reinterpret_cast<const int16_t*>(x);
  KeyExtremes<kLargest> even, odd;
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even.take(hn::LoadU(d, bits + i));
    odd.take(hn::LoadU(d, bits + i + lanes));
  }
  if (i + lanes <= n) {
    even.take(hn::LoadU(d, bits + i));
    i += lanes;
  }
  if (i < n) {
    // The lanes behind the end get the first element of the row.
    const auto count = static_cast<size_t>(n - i);
    odd.take(hn::IfThenElse(hn::FirstN(d, count), load_n(d, bits + i, count), hn::Set(d, bits[0])));
  }
  even.merge(odd);
  if (fold_lanes<ExtremumOp<true>>(d, even.magnitude) > infinity_bits<S>())
    return std::numeric_limits<float>::quiet_NaN();
  const int16_t key = fold_lanes<ExtremumOp<kLargest>>(d, even.best);
  const auto result = static_cast<int16_t>(key ^ ((key >> 15) & kMagnitude));
  S value;
  std::memcpy(static_cast<void*>(&value), &result, sizeof(value));
  return static_cast<float>(value);
}

// Vectors of float, of which NaN is beyond every number.
template <bool kLargest, class V>
HWY_INLINE V beyond(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(b), kLargest ? hn::Gt(b, a) : hn::Lt(b, a)), b, a);
}

template <typename S, bool kLargest>
void fold_extreme_row(void* accumulator, const void* in, int64_t n, int64_t, const void*) {
  auto* const a = static_cast<float*>(accumulator);
  if (n > 0) *a = ExtremumOp<kLargest>::apply(*a, extremum_of<S, kLargest>(static_cast<const S*>(in), n));
}

template <typename S, bool kLargest>
void fold_extreme_column(void* accumulators, const void* in, int64_t n, int64_t, const void*) {
  auto* const a = static_cast<float*>(accumulators);
  const S* const x = static_cast<const S*>(in);
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto)
                        HWY_ATTR { store(beyond<kLargest>(load(a + i), load(x + i)), a + i); });
}

// Folds up to kVectors vectors of columns.
template <typename S, bool kLargest, int kVectors>
HWY_INLINE void fold_columns(float* a, const char* in, int64_t pitch, int64_t rows, int64_t count) {
  const KeyTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  KeyExtremes<kLargest> columns[kVectors];
  for (int64_t r = 0; r < rows; ++r, in += pitch) {
    const auto* const bits = reinterpret_cast<const int16_t*>(in);
    for (int k = 0; k < kVectors; ++k) {
      const bool whole = kVectors > 1 || count == lanes;
      columns[k].take(whole ? hn::LoadU(d, bits + k * lanes) : load_n(d, bits, static_cast<size_t>(count)));
    }
  }
  HWY_ALIGN int16_t extremes[size_t{kVectors} * HWY_MAX_BYTES / sizeof(int16_t)];
  for (int k = 0; k < kVectors; ++k) hn::Store(columns[k].template bits<S>(), d, extremes + k * lanes);
  fold_extreme_column<S, kLargest>(a, extremes, count, 0, nullptr);
}

template <typename S, bool kLargest>
void fold_extreme_rows(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, int64_t,
                       const void*) {
  constexpr int kTogether = 4;
  auto* const a = static_cast<float*>(accumulators);
  const auto* const first = static_cast<const char*>(in);
  const auto lanes = static_cast<int64_t>(hn::Lanes(KeyTag()));
  int64_t i = 0;
  for (; i + kTogether * lanes <= n; i += kTogether * lanes) {
    fold_columns<S, kLargest, kTogether>(a + i, first + 2 * i, pitch, rows, kTogether * lanes);
  }
  for (; i < n; i += lanes) fold_columns<S, kLargest, 1>(a + i, first + 2 * i, pitch, rows, std::min(lanes, n - i));
}

// Short rows are converted, and folded as float.
template <typename S, bool kLargest>
void fold_short_each(float* a, const char* in, int64_t pitch, int64_t rows, int64_t n) {
  constexpr int64_t kRoom = 1024;
  static const ReduceKernel* const kernel =
      reduce_kernel(kLargest ? ReduceOp::kMaximum : ReduceOp::kMinimum, diopi_dtype_float32);
  HWY_ALIGN float wide[kRoom + HWY_MAX_BYTES / sizeof(float)];  // with room for a whole vector at the end
  const bool packed = pitch == n * static_cast<int64_t>(sizeof(S));
  const int64_t together = kRoom / n;
  for (int64_t r = 0; r < rows; r += together) {
    const int64_t count = std::min(together, rows - r);
    for (int64_t k = 0; k < (packed ? 1 : count); ++k) {
      const S* const x = reinterpret_cast<const S*>(in + (r + k) * pitch);
      for_vectors<S>(packed ? n * count : n, [&](int64_t i, auto load, auto, auto)
                                                 HWY_ATTR { hn::StoreU(load(x + i), TagOf<S>(), wide + k * n + i); });
    }
    kernel->fold_each(a + r, wide, n * static_cast<int64_t>(sizeof(float)), count, n, nullptr);
  }
}

template <typename S, bool kLargest>
void fold_extreme_each(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, const void*) {
  constexpr int64_t kShort = 32;
  auto* const a = static_cast<float*>(accumulators);
  const auto* const first = static_cast<const char*>(in);
  if (n < kShort) return fold_short_each<S, kLargest>(a, first, pitch, rows, n);
  for (int64_t r = 0; r < rows; ++r) {
    a[r] = extremum_of<S, kLargest>(reinterpret_cast<const S*>(first + r * pitch), n);
  }
}

// The float kernel with functions that read float16 or bfloat16.
template <typename S, bool kLargest>
const ReduceKernel* extreme_kernel() {
  static const ReduceKernel kKernel = [] {
    ReduceKernel k = *reduce_kernel(kLargest ? ReduceOp::kMaximum : ReduceOp::kMinimum, diopi_dtype_float32);
    k.in = diopi::dtype_of<S>;
    k.fold_row = fold_extreme_row<S, kLargest>;
    k.fold_each = fold_extreme_each<S, kLargest>;
    k.fold_column = fold_extreme_column<S, kLargest>;
    k.fold_rows = fold_extreme_rows<S, kLargest>;
    return k;
  }();
  return &kKernel;
}

const ReduceKernel* GetHalfExtremum(bool largest, diopiDtype_t dtype) {
  using diopi::bfloat16;
  using diopi::float16;
  if (dtype == diopi_dtype_float16) return largest ? extreme_kernel<float16, true>() : extreme_kernel<float16, false>();
  if (dtype != diopi_dtype_bfloat16) return nullptr;
  return largest ? extreme_kernel<bfloat16, true>() : extreme_kernel<bfloat16, false>();
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetHalfExtremum);

const ReduceKernel* half_extremum_kernel(bool largest, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetHalfExtremum)(largest, dtype);
}
}  // namespace impl::cpu
#endif
