// SPDX-License-Identifier: BSD-3-Clause
// Channels in columns: statistics and normalisation of rows that hold one element of each channel.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/norm/batch_group.hpp"
#include "impl/cpu/norm/wide_moments.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/batch_group_nhwc.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/column_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The moments of columns: sums of distances from the first row give means, and sums of distances from these means
// correct them, because an element of the first row may be far from its mean. See tile_moments. Columns whose sums
// overflow are computed again in double.
template <typename S>
void column_moments(const void* p, int64_t rows, int64_t pitch, int64_t width, double* mean, double* m2) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const S* x = static_cast<const S*>(p);
  const double count = static_cast<double>(rows);
  PerColumn<T> pivot;
  PerColumn<double> sum, sums[2];
  for_vectors<S>(width, [&](int64_t j, auto load, auto, auto) { hn::StoreU(load(x + j), d, pivot.v + j); });
  const auto distance = [&](int64_t i, int64_t j, auto load) {
    return hn::Sub(load(x + i * pitch + j), hn::LoadU(d, pivot.v + j));
  };
  sum_columns<S>(rows, width, &sum, [&](int64_t i, int64_t j, auto load, auto) { return distance(i, j, load); });
  for (int64_t j = 0; j < width; ++j) {
    const double m = static_cast<double>(pivot.v[j]) + sum.v[j] / count;
    pivot.v[j] = static_cast<T>(static_cast<S>(m));
  }
  add_columns<S, 2>(rows, width, sums, [&](int64_t i, int64_t j, auto load, auto, VecOf<S>(&terms)[2]) {
    terms[0] = distance(i, j, load);
    terms[1] = hn::Mul(terms[0], terms[0]);
  });
  bool any_overflowed = false;
  for (int64_t j = 0; j < width; ++j) {
    const double off = sums[0].v[j] / count;
    mean[j] = static_cast<double>(pivot.v[j]) + off;
    m2[j] = sums[1].v[j] - off * off * count;
    any_overflowed |= overflowed(m2[j]);
  }
  if (std::is_same_v<T, double> || HWY_LIKELY(!any_overflowed)) return;
  for (int64_t j = 0; j < width; ++j) {
    if (!overflowed(m2[j])) continue;
    const Moments m = moments_in_double<T>(x + j, {rows, 1, pitch});
    mean[j] = m.mean;
    m2[j] = m.m2;
  }
}

template <typename S>
void column_normalize(void* out, const void* in, int64_t rows, int64_t pitch, int64_t width,
                      const void* const* constants) {
  using T = ComputeOf<S>;
  const auto* mean = static_cast<const T*>(constants[0]);
  const auto* scale = static_cast<const T*>(constants[1]);
  const auto* shift = static_cast<const T*>(constants[2]);
  for (int64_t r = 0; r < rows; ++r) {
    S* y = static_cast<S*>(out) + r * pitch;
    const S* x = static_cast<const S*>(in) + r * pitch;
    for_vectors<S>(width, [&](int64_t j, auto load, auto store, auto) {
      store(hn::Add(hn::Mul(hn::Sub(load(x + j), load(mean + j)), load(scale + j)), load(shift + j)), y + j);
    });
  }
}

template <typename S>
void column_grad_sums(const void* grad, const void* in, int64_t rows, int64_t pitch, int64_t width, const void* mean,
                      double* sum_dy, double* sum_dy_xmu) {
  const S* dy = static_cast<const S*>(grad);
  const S* x = static_cast<const S*>(in);
  const auto* m = static_cast<const ComputeOf<S>*>(mean);
  PerColumn<double> sums[2];
  add_columns<S, 2>(rows, width, sums, [&](int64_t i, int64_t j, auto load, auto, VecOf<S>(&terms)[2]) {
    terms[0] = load(dy + i * pitch + j);
    terms[1] = hn::Mul(terms[0], hn::Sub(load(x + i * pitch + j), load(m + j)));
  });
  std::copy_n(sums[0].v, width, sum_dy);
  std::copy_n(sums[1].v, width, sum_dy_xmu);
}

template <typename S>
void column_grad_input(void* out, const void* grad, const void* in, int64_t rows, int64_t pitch, int64_t width,
                       const void* const* constants) {
  using T = ComputeOf<S>;
  const auto* mean = static_cast<const T*>(constants[0]);
  const auto* scale = static_cast<const T*>(constants[1]);
  const auto* a = static_cast<const T*>(constants[2]);
  const auto* b = static_cast<const T*>(constants[3]);
  for (int64_t r = 0; r < rows; ++r) {
    S* dx = static_cast<S*>(out) + r * pitch;
    const S* dy = static_cast<const S*>(grad) + r * pitch;
    const S* x = static_cast<const S*>(in) + r * pitch;
    for_vectors<S>(width, [&](int64_t j, auto load, auto store, auto) {
      const auto direct = hn::Sub(hn::Mul(load(dy + j), load(scale + j)), load(a + j));
      store(hn::Sub(direct, hn::Mul(hn::Sub(load(x + j), load(mean + j)), load(b + j))), dx + j);
    });
  }
}

template <typename S>
const NhwcKernels* kernels_of() {
  static constexpr NhwcKernels kKernels{column_moments<S>, column_normalize<S>, column_grad_sums<S>,
                                        column_grad_input<S>};
  return &kKernels;
}

const NhwcKernels* GetNhwcKernels(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return kernels_of<diopi::tagged<decltype(tag)>>(); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetNhwcKernels);

const NhwcKernels* nhwc_kernels(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetNhwcKernels)(dtype); }
}  // namespace impl::cpu
#endif
