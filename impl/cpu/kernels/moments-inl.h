/* SPDX-License-Identifier: BSD-3-Clause */
// Mean and variance of packed elements. Included inside each target's namespace.
#if defined(IMPL_CPU_KERNELS_MOMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_KERNELS_MOMENTS_INL_H_
#undef IMPL_CPU_KERNELS_MOMENTS_INL_H_
#else
#define IMPL_CPU_KERNELS_MOMENTS_INL_H_
#endif

#include "impl/cpu/kernels/channels.hpp"
#include "impl/cpu/kernels/storage_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Calls f(first element, piece) for pieces of about vector_run elements: some whole segments, or parts of one.
template <typename S, class F>
HWY_INLINE void for_pieces(const Span& span, F f) {
  const int64_t run = vector_run<S>();
  if (span.length == 0) return;
  const int64_t together = std::max<int64_t>(1, run / span.length);
  for (int64_t s = 0; s < span.segments; s += together) {
    for (int64_t start = 0; start < span.length; start += run) {
      f(s * span.step + start,
        Span{std::min(together, span.segments - s), std::min(run, span.length - start), span.step});
    }
  }
}

// The moments of a few thousand elements. The sums are of distances from one of the elements, so that a large common
// offset costs no digits. Where that element lies far from the mean, the squares are summed again, from the mean.
// pass(x + i) is called for each vector on the way.
template <typename S, class Pass>
HWY_INLINE Moments piece_moments(const S* x, const Span& piece, Pass pass) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  // In variances: so much larger may the errors of the first squares be. The fewer the lanes, the longer the sums that
  // each adds up, with errors enough.
  const double far = hn::Lanes(d) >= 8 ? 6 : hn::Lanes(d) >= 4 ? 2 : 1;
  const double count = static_cast<double>(piece.segments * piece.length);
  VecOf<S> sum[2];
  const auto sum_from = [&](T pivot) {
    const auto pivot_v = hn::Set(d, pivot);
    sum[0] = sum[1] = hn::Zero(d);
    for (int64_t s = 0; s < piece.segments; ++s) {
      add_terms<S, 2>(piece.length, sum, [&](int64_t i, auto load, auto, VecOf<S>(&terms)[2]) {
        const S* at = x + s * piece.step + i;
        pass(at);
        terms[0] = hn::Sub(load(at), pivot_v);
        terms[1] = hn::Mul(terms[0], terms[0]);
      });
    }
  };
  const T first = static_cast<T>(x[0]);
  sum_from(first);
  const double off = sum_of_lanes<S>(sum[0]) / count, mean = static_cast<double>(first) + off;
  const double m2 = sum_of_lanes<S>(sum[1]) - off * off * count;
  if (HWY_LIKELY(off * off * count <= far * m2)) return {count, mean, m2};
  const T pivot = static_cast<T>(mean);
  sum_from(pivot);
  const double rest = sum_of_lanes<S>(sum[0]) / count;
  return {count, static_cast<double>(pivot) + rest, sum_of_lanes<S>(sum[1]) - rest * rest * count};
}

// The moments of a span, piece by piece.
template <typename S, class Pass>
HWY_INLINE Moments span_moments(const S* x, const Span& span, Pass pass) {
  Moments all;
  for_pieces<S>(span, [&](int64_t at, const Span& piece) {
    const Moments m = piece_moments(x + at, piece, pass);
    if (all.count == 0) {
      all = m;
    } else {
      all.add(m.count, m.mean, m.m2);
    }
  });
  return all;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
