/* SPDX-License-Identifier: BSD-3-Clause */
// Sums over one packed row. Included inside each target's namespace.

// Per-target include guard
#if defined(IMPL_CPU_SIMD_ROW_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_ROW_SUMS_INL_H_
#undef IMPL_CPU_SIMD_ROW_SUMS_INL_H_
#else
#define IMPL_CPU_SIMD_ROW_SUMS_INL_H_
#endif

#include <cstdint>

#include <hwy/highway.h>
#include "impl/cpu/engine/reduce/ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Returns the sum of n terms. term(i) returns a vector of terms from i on; scalar(i) returns one term. Runs are summed
// in vectors, and their sums in double.
template <typename T, class Term, class Scalar>
HWY_INLINE double sum_terms(int64_t n, Term term, Scalar scalar) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  double total = 0;
  for (int64_t start = 0; start < n; start += run_of<T>()) {
    const int64_t end = HWY_MIN(n, start + run_of<T>());
    auto a = hn::Zero(d), b = hn::Zero(d);
    int64_t i = start;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      a = hn::Add(a, term(i));
      b = hn::Add(b, term(i + lanes));
    }
    for (; i + lanes <= end; i += lanes) a = hn::Add(a, term(i));
    double partial = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b))));
    for (; i < end; ++i) partial += static_cast<double>(scalar(i));
    total += partial;
  }
  return total;
}

template <typename T>
HWY_INLINE double sum_row(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  return sum_terms<T>(
      n, [&](int64_t i) { return hn::LoadU(d, x + i); }, [&](int64_t i) { return x[i]; });
}

// Returns the sum of x[i] * y[i].
template <typename T>
HWY_INLINE double dot_row(const T* x, const T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  return sum_terms<T>(
      n, [&](int64_t i) { return hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, y + i)); },
      [&](int64_t i) { return x[i] * y[i]; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
