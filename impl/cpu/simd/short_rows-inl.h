/* SPDX-License-Identifier: BSD-3-Clause */
// Short rows of float16, bfloat16 or float32, of which four are in registers at a time: the lanes of their vectors are
// folded together. Included inside each target's namespace.
#if defined(IMPL_CPU_SIMD_SHORT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_SHORT_ROWS_INL_H_
#undef IMPL_CPU_SIMD_SHORT_ROWS_INL_H_
#else
#define IMPL_CPU_SIMD_SHORT_ROWS_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "impl/cpu/simd/lanes_by_fours-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int kShortRows = 4;  // that are computed together

// Rows of kVectors vectors, the last of which has `tail` elements.
template <typename S, int kVectors>
struct ShortRows {
  using V = VecOf<S>;
  using Vectors = V[kShortRows][kVectors];
  const TagOf<S> d;
  int64_t tail;

  // For rows of n elements, which have kVectors vectors. (The limit is for compilers that do not know this.)
  explicit ShortRows(int64_t n) : tail(std::min(n - (kVectors - 1) * lanes_of<S>(), lanes_of<S>())) {}

  bool is_whole() const { return tail == lanes_of<S>(); }
  // Lanes behind the end are 0.
  HWY_INLINE void load(const S* const (&from)[kShortRows], Vectors& v) const {
    const int64_t lanes = lanes_of<S>();
    for (int r = 0; r < kShortRows; ++r) {
      for (int k = 0; k + 1 < kVectors; ++k) v[r][k] = load_vector(from[r] + k * lanes);
      const S* const last = from[r] + (kVectors - 1) * lanes;
      v[r][kVectors - 1] = is_whole() ? load_vector(last) : load_some(last, tail);
    }
  }
  HWY_INLINE void store(const Vectors& v, S* const (&to)[kShortRows]) const {
    const int64_t lanes = lanes_of<S>();
    for (int r = 0; r < kShortRows; ++r) {
      for (int k = 0; k + 1 < kVectors; ++k) store_vector<S>(v[r][k], to[r] + k * lanes);
      S* const last = to[r] + (kVectors - 1) * lanes;
      is_whole() ? store_vector<S>(v[r][kVectors - 1], last) : store_some<S>(v[r][kVectors - 1], last, tail);
    }
  }
  // Sets the lanes behind the end.
  HWY_INLINE void pad(Vectors& v, float value) const {
    const auto inside = hn::FirstN(d, static_cast<size_t>(tail));
    for (int r = 0; r < kShortRows; ++r) {
      v[r][kVectors - 1] = hn::IfThenElse(inside, v[r][kVectors - 1], hn::Set(d, value));
    }
  }
  // Folds each row to a number.
  template <class F>
  HWY_INLINE void fold(const Vectors& v, F f, float (&out)[kShortRows]) const {
    V all[kShortRows];
    for (int r = 0; r < kShortRows; ++r) {
      all[r] = v[r][0];
      for (int k = 1; k < kVectors; ++k) all[r] = f(all[r], v[r][k]);
    }
    fold_lanes_by_fours(all, f, out);
  }
  // Calls f(v, number) for the vectors of each row and the number of the row.
  template <class F>
  HWY_INLINE void each(const float (&number)[kShortRows], Vectors& v, F f) const {
    for (int r = 0; r < kShortRows; ++r) {
      const auto of_row = hn::Set(d, number[r]);
      for (int k = 0; k < kVectors; ++k) v[r][k] = f(v[r][k], of_row);
    }
  }
  // Sets each vector to f(vector of a) or f(vectors of a and b).
  template <class F>
  HWY_INLINE void map(const Vectors& a, Vectors& out, F f) const {
    for (int r = 0; r < kShortRows; ++r) {
      for (int k = 0; k < kVectors; ++k) out[r][k] = f(a[r][k]);
    }
  }
  template <class F>
  HWY_INLINE void map(const Vectors& a, const Vectors& b, Vectors& out, F f) const {
    for (int r = 0; r < kShortRows; ++r) {
      for (int k = 0; k < kVectors; ++k) out[r][k] = f(a[r][k], b[r][k]);
    }
  }
  // Replaces the numbers of the rows by f(numbers).
  template <class F>
  HWY_INLINE void map_numbers(float (&number)[kShortRows], F f) const {
    const hn::CappedTag<float, kShortRows> few;
    for (size_t r = 0; r < kShortRows; r += hn::Lanes(few)) {
      hn::StoreU(f(few, hn::LoadU(few, number + r)), few, number + r);
    }
  }
};

// The vectors of an operand that is the same for all rows, or a number if there is no such operand.
template <int kVectors>
struct SharedRow {
  VecOf<float> v[kVectors];
  HWY_INLINE SharedRow(const float* from, int64_t tail, float otherwise) {
    const TagOf<float> d;
    const int64_t lanes = lanes_of<float>();
    for (int k = 0; k < kVectors; ++k) {
      if (from == nullptr) {
        v[k] = hn::Set(d, otherwise);
      } else {
        v[k] = k + 1 < kVectors || tail == lanes ? hn::LoadU(d, from + k * lanes) : load_some(from + k * lanes, tail);
      }
    }
  }
};

// Calls f() with the number of vectors, 1 to kMost, as a constant.
template <int kMost, class F>
HWY_INLINE void call_with_vectors(int64_t vectors, const F& f) {
  if constexpr (kMost > 1) {
    if (vectors < kMost) return call_with_vectors<kMost - 1>(vectors, f);
  }
  f(std::integral_constant<int, kMost>());
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
