// SPDX-License-Identifier: BSD-3-Clause
// Channels in planes: statistics and normalisation of spans of packed segments.
#include "impl/cpu/norm/batch_group.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/batch_group_nchw.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "impl/cpu/simd/moments-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S, MeanSum kMean>
Moments moments_of_span(const void* in, const void* out, const Span& span) {
  const S* const x = static_cast<const S*>(in);
  const S* const y = static_cast<const S*>(out);
  if (y == nullptr) return span_moments<kMean>(x, span, [](const S*) {});
  // A store waits for its line. A prefetch during the reads lets the line of y arrive earlier.
  return span_moments<kMean>(x, span, [x, y](const S* at) { hwy::Prefetch(y + (at - x)); });
}

template <typename S>
void span_normalize(void* out, const void* in, const Span& span, double mean, const SegmentConstants& constants) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const auto mean_v = hn::Set(d, static_cast<T>(mean));
  for (int64_t s = 0; s < span.segments; ++s) {
    S* y = static_cast<S*>(out) + s * span.step;
    const S* x = static_cast<const S*>(in) + s * span.step;
    const auto scale = hn::Set(d, static_cast<T>(constants.scale[s * constants.step]));
    const auto shift = hn::Set(d, static_cast<T>(constants.shift[s * constants.step]));
    for_vectors<S>(span.length, [&](int64_t i, auto load, auto store, auto) {
      store(hn::Add(hn::Mul(hn::Sub(load(x + i), mean_v), scale), shift), y + i);
    });
  }
}

// Adds the sums of a few thousand elements of dy and of dy (x - mean) to `sum`.
template <typename S>
HWY_INLINE void add_grad_sums(const S* dy, const S* x, int64_t n, VecOf<S> mean, VecOf<S> (&sum)[2]) {
  add_terms<S, 2>(n, sum, [&](int64_t i, auto load, auto, VecOf<S>(&terms)[2]) {
    terms[0] = load(dy + i);
    terms[1] = hn::Mul(terms[0], hn::Sub(load(x + i), mean));
  });
}

template <typename S>
void span_grad_sums(const void* grad, const void* in, const Span& span, double mean, double* sums) {
  const TagOf<S> d;
  const auto mean_v = hn::Set(d, static_cast<ComputeOf<S>>(mean));
  sums[0] = sums[1] = 0;
  for_pieces<S>(span, [&](int64_t at, const Span& piece) {
    VecOf<S> sum[2] = {hn::Zero(d), hn::Zero(d)};
    for (int64_t s = 0; s < piece.segments; ++s) {
      const S* dy = static_cast<const S*>(grad) + at + s * piece.step;
      const S* x = static_cast<const S*>(in) + at + s * piece.step;
      add_grad_sums(dy, x, piece.length, mean_v, sum);
    }
    for (int k = 0; k < 2; ++k) sums[k] += sum_of_lanes<S>(sum[k]);
  });
}

template <typename S>
void span_segment_sums(const void* grad, const void* in, const Span& span, double mean, double* sum_dy,
                       double* sum_dy_xmu) {
  const TagOf<S> d;
  const auto mean_v = hn::Set(d, static_cast<ComputeOf<S>>(mean));
  const int64_t run = vector_run<S>();
  for (int64_t s = 0; s < span.segments; ++s) {
    const S* dy = static_cast<const S*>(grad) + s * span.step;
    const S* x = static_cast<const S*>(in) + s * span.step;
    double total[2] = {0, 0};
    for (int64_t start = 0; start < span.length; start += run) {
      VecOf<S> sum[2] = {hn::Zero(d), hn::Zero(d)};
      add_grad_sums(dy + start, x + start, std::min(run, span.length - start), mean_v, sum);
      for (int k = 0; k < 2; ++k) total[k] += sum_of_lanes<S>(sum[k]);
    }
    sum_dy[s] = total[0];
    sum_dy_xmu[s] = total[1];
  }
}

template <typename S>
void span_grad_input(void* out, const void* grad, const void* in, const Span& span, double mean, double a, double b,
                     const SegmentConstants& constants) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const auto mean_v = hn::Set(d, static_cast<T>(mean)), a_v = hn::Set(d, static_cast<T>(a));
  const auto b_v = hn::Set(d, static_cast<T>(b));
  for (int64_t s = 0; s < span.segments; ++s) {
    S* dx = static_cast<S*>(out) + s * span.step;
    const S* dy = static_cast<const S*>(grad) + s * span.step;
    const S* x = static_cast<const S*>(in) + s * span.step;
    const auto scale = hn::Set(d, static_cast<T>(constants.scale[s * constants.step]));
    for_vectors<S>(span.length, [&](int64_t i, auto load, auto store, auto) {
      const auto direct = hn::Sub(hn::Mul(load(dy + i), scale), a_v);
      store(hn::Sub(direct, hn::Mul(hn::Sub(load(x + i), mean_v), b_v)), dx + i);
    });
  }
}

template <typename S>
const SpanKernels* kernels_of() {
  static constexpr SpanKernels kKernels{moments_of_span<S, MeanSum::kOfDistances>,
                                        moments_of_span<S, MeanSum::kOfElements>,
                                        span_normalize<S>,
                                        span_grad_sums<S>,
                                        span_segment_sums<S>,
                                        span_grad_input<S>};
  return &kKernels;
}

const SpanKernels* GetSpanKernels(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return kernels_of<diopi::float16>();
    case diopi_dtype_bfloat16:
      return kernels_of<diopi::bfloat16>();
    case diopi_dtype_float32:
      return kernels_of<float>();
    default:
      return kernels_of<double>();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSpanKernels);

const SpanKernels* span_kernels(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSpanKernels)(dtype); }
}  // namespace impl::cpu
#endif
