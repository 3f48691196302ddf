// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/norm/layer.hpp"

#include <cmath>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/layer.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/moments-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
void layer_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const auto& p = *static_cast<const LayerParams*>(params);
  const S* x = static_cast<const S*>(in[0]);
  S* y = static_cast<S*>(out[0]);
  // A store waits for its line. A prefetch during the reads lets the line of y arrive earlier.
  const double inverse_n = 1 / static_cast<double>(n);
  const Moments m = segment_moments<MeanSum::kOfDistances>(x, StridedSegments{1, n, n},
                                                           [&](const S* at) { hwy::Prefetch(y + (at - x)); });
  const T mean = static_cast<T>(m.mean);
  const T rstd = static_cast<T>(1 / std::sqrt(m.m2 * inverse_n + p.eps));
  *static_cast<T*>(out[1]) = mean;
  *static_cast<T*>(out[2]) = rstd;
  const T* w = p.has_weight ? static_cast<const T*>(in[1]) : nullptr;
  const T* b = p.has_bias ? static_cast<const T*>(in[p.has_weight ? 2 : 1]) : nullptr;
  const auto mean_v = hn::Set(d, mean), rstd_v = hn::Set(d, rstd);
  // The next row mostly follows. It is prefetched here: this loop waits for no loads, the sums of a row do.
  const auto write = [&](auto affine) {
    for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
      hwy::Prefetch(x + n + i);
      store(affine(hn::Mul(hn::Sub(load(x + i), mean_v), rstd_v), i, load), y + i);
    });
  };
  if (w != nullptr && b != nullptr) {
    write([&](auto v, int64_t i, auto load) { return hn::MulAdd(v, load(w + i), load(b + i)); });
  } else if (w != nullptr) {
    write([&](auto v, int64_t i, auto load) { return hn::Mul(v, load(w + i)); });
  } else if (b != nullptr) {
    write([&](auto v, int64_t i, auto load) { return hn::Add(v, load(b + i)); });
  } else {
    write([&](auto v, int64_t, auto) { return v; });
  }
}

// Normalisation by the root mean square subtracts no means.
enum class Norm { kLayer, kRms };

// The gradient of a row. With g = dy weight and h = (x - mean) rstd, dx = rstd (g - mean(g) - h mean(g h)). The sums
// over rows have the terms dy h and dy.
template <Norm kNorm, typename S>
struct LayerBackward {
  using T = ComputeOf<S>;
  const S* dy;
  const S* x;
  const T* w;
  VecOf<S> mean, rstd;

  template <class Load>
  HWY_INLINE VecOf<S> g(int64_t i, Load load) const {
    return w != nullptr ? hn::Mul(load(dy + i), load(w + i)) : load(dy + i);
  }
  template <class Load>
  HWY_INLINE VecOf<S> h(int64_t i, Load load) const {
    if constexpr (kNorm == Norm::kRms) return hn::Mul(load(x + i), rstd);
    return hn::Mul(hn::Sub(load(x + i), mean), rstd);
  }
};

// Writes dx. In its first pass it calls each(i, load, store) for each vector of the row.
template <Norm kNorm, typename S, class F>
HWY_INLINE void write_layer_gradient(const LayerBackward<kNorm, S>& row, int64_t n, S* dx, F each) {
  constexpr int kSums = kNorm == Norm::kLayer ? 2 : 1;
  const TagOf<S> d;
  double sum_g = 0, sum_gh = 0;
  const int64_t run = vector_run<S>();
  for (int64_t start = 0; start < n; start += run) {
    VecOf<S> sum[kSums];
    for (auto& s : sum) s = hn::Zero(d);
    add_terms<S, kSums>(std::min(run, n - start), sum, [&](int64_t i, auto load, auto store, VecOf<S>(&terms)[kSums]) {
      hwy::Prefetch(dx + start + i);
      terms[0] = row.g(start + i, load);
      terms[kSums - 1] = hn::Mul(terms[0], row.h(start + i, load));
      each(start + i, load, store);
    });
    if (kNorm == Norm::kLayer) sum_g += sum_of_lanes<S>(sum[0]);
    sum_gh += sum_of_lanes<S>(sum[kSums - 1]);
  }
  const double inverse_n = 1 / static_cast<double>(n);
  const auto mean_g = hn::Set(d, static_cast<ComputeOf<S>>(sum_g * inverse_n));
  const auto mean_gh = hn::Set(d, static_cast<ComputeOf<S>>(sum_gh * inverse_n));
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    hwy::Prefetch(row.dy + n + i);
    hwy::Prefetch(row.x + n + i);
    const auto g = row.g(i, load);
    const auto centred = kNorm == Norm::kLayer ? hn::Sub(g, mean_g) : g;
    store(hn::Mul(hn::Sub(centred, hn::Mul(row.h(i, load), mean_gh)), row.rstd), dx + i);
  });
}

template <Norm kNorm, typename S>
void layer_backward_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const auto& p = *static_cast<const LayerGradients*>(params);
  constexpr int kScale = kNorm == Norm::kLayer ? 3 : 2;  // the input that is rstd; the mean is before it
  const LayerBackward<kNorm, S> row{static_cast<const S*>(in[0]), static_cast<const S*>(in[1]),
                                    p.has_weight ? static_cast<const T*>(in[kScale + 1]) : nullptr,
                                    hn::Set(d, *static_cast<const T*>(in[2])),
                                    hn::Set(d, *static_cast<const T*>(in[kScale]))};
  T* dw = p.wants_weight ? static_cast<T*>(out[p.wants_input]) : nullptr;
  T* db = p.wants_bias ? static_cast<T*>(out[p.wants_input + p.wants_weight]) : nullptr;
  const auto add_weight = [&](int64_t i, auto load, auto store) {
    store(hn::Add(load(dw + i), hn::Mul(load(row.dy + i), row.h(i, load))), dw + i);
  };
  const auto add_bias = [&](int64_t i, auto load, auto store) {
    store(hn::Add(load(db + i), load(row.dy + i)), db + i);
  };
  const auto nothing = [](int64_t, auto, auto) {};
  if (p.wants_input && dw != nullptr && db != nullptr) {
    write_layer_gradient(row, n, static_cast<S*>(out[0]), [&](int64_t i, auto load, auto store) {
      add_weight(i, load, store);
      add_bias(i, load, store);
    });
    return;
  }
  // dx is written last, because it may be the same array as dy.
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    if (dw != nullptr) add_weight(i, load, store);
    if (db != nullptr) add_bias(i, load, store);
  });
  if (p.wants_input) write_layer_gradient(row, n, static_cast<S*>(out[0]), nothing);
}

RowFn GetLayerNorm(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return layer_row<diopi::tagged<decltype(tag)>>; });
}

RowFn GetLayerNormBackward(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return layer_backward_row<Norm::kLayer, diopi::tagged<decltype(tag)>>; });
}

RowFn GetRmsNormBackward(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return layer_backward_row<Norm::kRms, diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetLayerNorm);
HWY_EXPORT(GetLayerNormBackward);
HWY_EXPORT(GetRmsNormBackward);

RowFn layer_norm_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetLayerNorm)(dtype); }
RowFn layer_norm_backward_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetLayerNormBackward)(dtype); }
RowFn rms_norm_backward_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetRmsNormBackward)(dtype); }
}  // namespace impl::cpu
#endif
