/* SPDX-License-Identifier: BSD-3-Clause */
// Loops and sums over packed rows and columns of any floating point storage type. Included inside each target's
// namespace.
#if defined(IMPL_CPU_SIMD_ROW_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_SIMD_ROW_LOOPS_INL_H_
#undef IMPL_CPU_SIMD_ROW_LOOPS_INL_H_
#else
#define IMPL_CPU_SIMD_ROW_LOOPS_INL_H_
#endif

#include <algorithm>

#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Calls f(i, load, store, keep) for each vector of a row of n elements; the last vector may be shorter. load(p + i) and
// store(v, p + i) access only its elements, and load sets the other lanes to zero. keep(v) sets the other lanes to
// zero.
template <typename S, class F>
HWY_INLINE void for_vectors(int64_t n, F f) {
  const int64_t lanes = lanes_of<S>();
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    f(
        i, [](auto* p) { return load_vector(p); }, [](auto v, auto* p) { store_vector(v, p); },
        [](auto v) { return v; });
  }
  if (i < n) {
    const int64_t count = n - i;
    f(
        i, [count](auto* p) { return load_some(p, count); }, [count](auto v, auto* p) { store_some(v, p, count); },
        [count](auto v) { return keep_some<S>(v, count); });
  }
}

// Adds vectors over n elements to kSums sums at once. f(i, load, store, terms) sets terms[0..kSums) for the elements
// from i on. Several vectors are summed in parallel, which hides the latency of additions.
template <typename S, int kSums, class F>
HWY_INLINE void add_terms(int64_t n, VecOf<S> (&sum)[kSums], F f) {
  constexpr int kWays = kSums == 1 ? 4 : 2;
  const int64_t lanes = lanes_of<S>();
  const auto load = [](auto* p) { return load_vector(p); };
  const auto store = [](auto v, auto* p) { store_vector(v, p); };
  VecOf<S> other[kWays - 1][kSums], terms[kSums];
  for (int w = 0; w < kWays - 1; ++w) {
    for (int k = 0; k < kSums; ++k) other[w][k] = hn::Zero(TagOf<S>());
  }
  int64_t i = 0;
  for (; i + kWays * lanes <= n; i += kWays * lanes) {
    f(i, load, store, terms);
    for (int k = 0; k < kSums; ++k) sum[k] = hn::Add(sum[k], terms[k]);
    for (int w = 0; w < kWays - 1; ++w) {
      f(i + (w + 1) * lanes, load, store, terms);
      for (int k = 0; k < kSums; ++k) other[w][k] = hn::Add(other[w][k], terms[k]);
    }
  }
  for (; i + lanes <= n; i += lanes) {
    f(i, load, store, terms);
    for (int k = 0; k < kSums; ++k) sum[k] = hn::Add(sum[k], terms[k]);
  }
  if (i < n) {
    const int64_t count = n - i;
    f(
        i, [count](auto* p) { return load_some(p, count); }, [count](auto v, auto* p) { store_some(v, p, count); },
        terms);
    for (int k = 0; k < kSums; ++k) other[0][k] = hn::Add(other[0][k], keep_some<S>(terms[k], count));
  }
  for (int w = kWays - 2; w >= 0; --w) {
    for (int k = 0; k < kSums; ++k) sum[k] = hn::Add(sum[k], other[w][k]);
  }
}

// Returns the sum of a vector's lanes.
template <typename S>
HWY_INLINE double sum_of_lanes(VecOf<S> v) {
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(TagOf<S>(), v)));
}

// So many elements are summed in vectors of the compute type before the sum is added to a double: 128 for each lane.
template <typename S>
HWY_INLINE int64_t vector_run() {
  return 128 * lanes_of<S>();
}

// Returns the sum of the vectors f(i, load, store) over n elements; see for_vectors. Runs are summed in vectors, and
// their sums in double.
template <typename S, class F>
HWY_INLINE double sum_vectors(int64_t n, F f) {
  double total = 0;
  const int64_t run = vector_run<S>();
  for (int64_t start = 0; start < n; start += run) {
    VecOf<S> sum[1] = {hn::Zero(TagOf<S>())};
    add_terms<S, 1>(std::min(run, n - start), sum, [&](int64_t i, auto load, auto store, VecOf<S>(&terms)[1]) {
      terms[0] = f(start + i, load, store);
    });
    total += sum_of_lanes<S>(sum[0]);
  }
  return total;
}

// total[j] += the sum of element j of `rows` rows of n elements, `pitch` bytes apart. Eight rows are summed pairwise
// before they are added to the total.
template <typename S>
HWY_INLINE void add_rows(ComputeOf<S>* total, const S* in, int64_t pitch, int64_t rows, int64_t n) {
  const auto row = [&](int64_t i) { return reinterpret_cast<const S*>(reinterpret_cast<const char*>(in) + i * pitch); };
  int64_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    const S *p0 = row(i), *p1 = row(i + 1), *p2 = row(i + 2), *p3 = row(i + 3);
    const S *p4 = row(i + 4), *p5 = row(i + 5), *p6 = row(i + 6), *p7 = row(i + 7);
    for_vectors<S>(n, [&](int64_t j, auto load, auto store, auto) {
      const auto a = hn::Add(hn::Add(load(p0 + j), load(p1 + j)), hn::Add(load(p2 + j), load(p3 + j)));
      const auto b = hn::Add(hn::Add(load(p4 + j), load(p5 + j)), hn::Add(load(p6 + j), load(p7 + j)));
      store(hn::Add(load(total + j), hn::Add(a, b)), total + j);
    });
  }
  for (; i < rows; ++i) {
    const S* p = row(i);
    for_vectors<S>(
        n, [&](int64_t j, auto load, auto store, auto) { store(hn::Add(load(total + j), load(p + j)), total + j); });
  }
}

// Returns the largest of n > 0 elements; if one of them is NaN, any element.
template <typename S>
HWY_INLINE ComputeOf<S> row_maximum(const S* x, int64_t n) {
  const TagOf<S> d;
  const int64_t lanes = lanes_of<S>();
  if (n < lanes) {
    const auto v = load_some(x, n);
    const auto inside = hn::FirstN(d, static_cast<size_t>(n));
    return hn::GetLane(hn::MaxOfLanes(d, hn::IfThenElse(inside, v, hn::Set(d, hn::GetLane(v)))));
  }
  // The last vector overlaps the one before it.
  auto a = load_vector(x), b = load_vector(x + n - lanes);
  int64_t i = lanes;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    a = hn::Max(a, load_vector(x + i));
    b = hn::Max(b, load_vector(x + i + lanes));
  }
  if (i + lanes <= n) a = hn::Max(a, load_vector(x + i));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(a, b)));
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
