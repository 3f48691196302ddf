// SPDX-License-Identifier: BSD-3-Clause
// Channels in planes: statistics and normalisation of packed segments.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/norm/batch_group.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/batch_group_nchw.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/block_loops-inl.h"
#include "impl/cpu/simd/moments-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S, MeanSum kMean>
Moments moments_of_segments(const void* in, const void* out, const StridedSegments& segments) {
  const S* const x = static_cast<const S*>(in);
  const S* const y = static_cast<const S*>(out);
  if (y == nullptr) return segment_moments<kMean>(x, segments, [](const S*) {});
  // A store waits for its line. A prefetch during the reads lets the line of y arrive earlier.
  return segment_moments<kMean>(x, segments, [x, y](const S* at) { hwy::Prefetch(y + (at - x)); });
}

// y[i] = f(d, i, load) for the vectors of n packed elements.
template <typename S, class F>
HWY_INLINE void map_segment(S* y, int64_t n, F f) {
  constexpr int64_t kLong = 64;  // shorter segments are computed with masks
  if constexpr (std::is_same_v<S, ComputeOf<S>>) {
    if (n >= kLong) {
      streaming_map(y, n, [=](auto d, int64_t i) HWY_ATTR {
        return f(d, i, [d](const S* p) HWY_ATTR { return hn::LoadU(d, p); });
      });
      return;
    }
  }
  const TagOf<S> d;
  for_vectors<S>(n, [=](int64_t i, auto load, auto store, auto) { store(f(d, i, load), y + i); });
}

// y = (x - mean) scale + shift for n packed elements.
template <typename S>
HWY_INLINE void normalize_segment(S* y, const S* x, int64_t n, double mean, double scale, double shift) {
  using T = ComputeOf<S>;
  const T less = static_cast<T>(mean), by = static_cast<T>(scale), plus = static_cast<T>(shift);
  map_segment(y, n, [=](auto d, int64_t i, auto load) HWY_ATTR {
    return hn::Add(hn::Mul(hn::Sub(load(x + i), hn::Set(d, less)), hn::Set(d, by)), hn::Set(d, plus));
  });
}

// Whether the segments are single elements that lie side by side: then vectors go across the segments.
HWY_INLINE bool are_elements(const StridedSegments& segments, const SegmentConstants& constants) {
  return segments.length == 1 && segments.step == 1 && constants.step == 1;
}

template <typename S>
void normalize_segments(void* out, const void* in, const StridedSegments& segments, double mean,
                        const SegmentConstants& constants) {
  using T = ComputeOf<S>;
  if (are_elements(segments, constants)) {
    S* const y = static_cast<S*>(out);
    const S* const x = static_cast<const S*>(in);
    IMPL_CPU_INDEPENDENT
    for (int64_t s = 0; s < segments.count; ++s) {
      const T scaled = (static_cast<T>(x[s]) - static_cast<T>(mean)) * static_cast<T>(constants.scale[s]);
      y[s] = static_cast<S>(scaled + static_cast<T>(constants.shift[s]));
    }
    return;
  }
  for (int64_t s = 0; s < segments.count; ++s) {
    normalize_segment(static_cast<S*>(out) + s * segments.step, static_cast<const S*>(in) + s * segments.step,
                      segments.length, mean, constants.scale[s * constants.step], constants.shift[s * constants.step]);
  }
}

template <typename S>
void normalize_planes(void* out, const void* in, int64_t planes, int64_t space, const PlaneConstants& constants) {
  for (int64_t k = 0; k < planes; ++k) {
    normalize_segment(static_cast<S*>(out) + k * space, static_cast<const S*>(in) + k * space, space, constants.mean[k],
                      constants.scale[k], constants.shift[k]);
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
void grad_sums_of_segments(const void* grad, const void* in, const StridedSegments& segments, double mean,
                           double* sums) {
  const TagOf<S> d;
  const auto mean_v = hn::Set(d, static_cast<ComputeOf<S>>(mean));
  sums[0] = sums[1] = 0;
  for_tiles<S>(segments, [&](int64_t at, const StridedSegments& tile) {
    VecOf<S> sum[2] = {hn::Zero(d), hn::Zero(d)};
    for (int64_t s = 0; s < tile.count; ++s) {
      const S* dy = static_cast<const S*>(grad) + at + s * tile.step;
      const S* x = static_cast<const S*>(in) + at + s * tile.step;
      add_grad_sums(dy, x, tile.length, mean_v, sum);
    }
    for (int k = 0; k < 2; ++k) sums[k] += sum_of_lanes<S>(sum[k]);
  });
}

template <typename S>
void grad_sums_of_each_segment(const void* grad, const void* in, const StridedSegments& segments, double mean,
                               double* sum_dy, double* sum_dy_xmu) {
  const TagOf<S> d;
  const auto mean_v = hn::Set(d, static_cast<ComputeOf<S>>(mean));
  const int64_t run = vector_run<S>();
  if (segments.length == 1 && segments.step == 1) {
    using T = ComputeOf<S>;
    const S *const dy = static_cast<const S*>(grad), *const x = static_cast<const S*>(in);
    IMPL_CPU_INDEPENDENT
    for (int64_t s = 0; s < segments.count; ++s) {
      const T g = static_cast<T>(dy[s]);
      sum_dy[s] = static_cast<double>(g);
      sum_dy_xmu[s] = static_cast<double>(g * (static_cast<T>(x[s]) - static_cast<T>(mean)));
    }
    return;
  }
  for (int64_t s = 0; s < segments.count; ++s) {
    const S* dy = static_cast<const S*>(grad) + s * segments.step;
    const S* x = static_cast<const S*>(in) + s * segments.step;
    double total[2] = {0, 0};
    for (int64_t start = 0; start < segments.length; start += run) {
      VecOf<S> sum[2] = {hn::Zero(d), hn::Zero(d)};
      add_grad_sums(dy + start, x + start, std::min(run, segments.length - start), mean_v, sum);
      for (int k = 0; k < 2; ++k) total[k] += sum_of_lanes<S>(sum[k]);
    }
    sum_dy[s] = total[0];
    sum_dy_xmu[s] = total[1];
  }
}

template <typename S>
void grad_input_of_segments(void* out, const void* grad, const void* in, const StridedSegments& segments, double mean,
                            double a, double b, const SegmentConstants& constants) {
  using T = ComputeOf<S>;
  const T less = static_cast<T>(mean), minus = static_cast<T>(a), slope = static_cast<T>(b);
  if (are_elements(segments, constants)) {
    S* const dx = static_cast<S*>(out);
    const S *const dy = static_cast<const S*>(grad), *const x = static_cast<const S*>(in);
    IMPL_CPU_INDEPENDENT
    for (int64_t s = 0; s < segments.count; ++s) {
      const T direct = static_cast<T>(dy[s]) * static_cast<T>(constants.scale[s]) - minus;
      dx[s] = static_cast<S>(direct - (static_cast<T>(x[s]) - less) * slope);
    }
    return;
  }
  for (int64_t s = 0; s < segments.count; ++s) {
    S* dx = static_cast<S*>(out) + s * segments.step;
    const S* dy = static_cast<const S*>(grad) + s * segments.step;
    const S* x = static_cast<const S*>(in) + s * segments.step;
    const T scale = static_cast<T>(constants.scale[s * constants.step]);
    map_segment(dx, segments.length, [=](auto d, int64_t i, auto load) HWY_ATTR {
      const auto direct = hn::Sub(hn::Mul(load(dy + i), hn::Set(d, scale)), hn::Set(d, minus));
      return hn::Sub(direct, hn::Mul(hn::Sub(load(x + i), hn::Set(d, less)), hn::Set(d, slope)));
    });
  }
}

template <typename S>
const NchwKernels* kernels_of() {
  static constexpr NchwKernels kKernels{moments_of_segments<S, MeanSum::kOfDistances>,
                                        moments_of_segments<S, MeanSum::kOfElements>,
                                        normalize_segments<S>,
                                        normalize_planes<S>,
                                        grad_sums_of_segments<S>,
                                        grad_sums_of_each_segment<S>,
                                        grad_input_of_segments<S>};
  return &kKernels;
}

const NchwKernels* GetNchwKernels(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return kernels_of<diopi::tagged<decltype(tag)>>(); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetNchwKernels);

const NchwKernels* nchw_kernels(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetNchwKernels)(dtype); }
}  // namespace impl::cpu
#endif
