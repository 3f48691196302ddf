// SPDX-License-Identifier: BSD-3-Clause
// Layer normalisation and its gradient of short rows, four at a time.
#include <algorithm>
#include <cmath>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/norm/layer.hpp"
#include "impl/cpu/norm/wide_moments.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/layer_short.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/column_loops-inl.h"
#include "impl/cpu/simd/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int kMostVectors = 8, kMostGradientVectors = 5;  // of a row
constexpr float kOne = 1, kZero = 0;

// Replaces rows by their distances from the mean. The mean of the distances from a first mean corrects it.
template <typename S, int kVectors>
HWY_INLINE void subtract_means(const ShortRows<S, kVectors>& g, int64_t n, typename ShortRows<S, kVectors>::Vectors& v,
                               float (&mean)[kShortRows]) {
  const float inverse_n = 1 / static_cast<float>(n);
  float rest[kShortRows];
  g.fold(v, AddLanes(), mean);
  for (float& m : mean) m *= inverse_n;
  g.each(mean, v, [](auto x, auto m) HWY_ATTR { return hn::Sub(x, m); });
  g.pad(v, 0);
  g.fold(v, AddLanes(), rest);
  for (float& r : rest) r *= inverse_n;
  g.each(rest, v, [](auto x, auto r) HWY_ATTR { return hn::Sub(x, r); });
  g.pad(v, 0);
  for (int r = 0; r < kShortRows; ++r) mean[r] += rest[r];
}

// Computes those of four rows whose moments left the range of float32, one by one. This is slow; such rows are rare.
// Their results in registers are useless, so that `y` names `unused` for them.
template <typename S>
[[gnu::noinline]] void overflowed_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n,
                                       int64_t first, const float (&squares)[kShortRows], int64_t rows,
                                       const LayerParams& p, S* (&y)[kShortRows], S* unused) {
  const RowFn one_row = layer_norm_kernel(diopi::dtype_of<S>);
  for (int64_t r = 0; r < kShortRows; ++r) {
    if (!overflowed(squares[r])) continue;
    y[r] = unused;
    const int64_t at = first + r;
    if (at >= rows) continue;
    void* const results[] = {row_at<S>(out[0], at, step[0]), row_at<float>(out[1], at, step[1]),
                             row_at<float>(out[2], at, step[2])};
    const void* operands[] = {row_at<S>(in[0], at, step[3]), nullptr, nullptr};
    std::copy_n(in + 1, p.has_weight + p.has_bias, operands + 1);
    one_row(results, operands, n, &p);
  }
}

template <typename S, int kVectors>
void layer_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                const LayerParams& p) {
  const ShortRows<S, kVectors> g(n);
  const SharedRow<kVectors> w(p.has_weight ? static_cast<const float*>(in[1]) : nullptr, g.tail, kOne);
  const SharedRow<kVectors> b(p.has_bias ? static_cast<const float*>(in[p.has_weight ? 2 : 1]) : nullptr, g.tail,
                              kZero);
  const double inverse_n = 1 / static_cast<double>(n);
  S unused[size_t{kVectors} * HWY_MAX_BYTES / sizeof(float)];
  for (int64_t i = 0; i < rows; i += kShortRows) {
    const S* x[kShortRows];
    S* y[kShortRows];
    typename ShortRows<S, kVectors>::Vectors v, squares;
    float mean[kShortRows], squares_sum[kShortRows], scale[kShortRows];
    // The last rows are computed together with one of them again, so that each row is computed in the same way.
    for (int r = 0; r < kShortRows; ++r) {
      const int64_t at = std::min(i + r, rows - 1);
      x[r] = row_at<S>(in[0], at, step[3]);
      y[r] = row_at<S>(out[0], at, step[0]);
    }
    g.load(x, v);
    subtract_means(g, n, v, mean);
    g.map(v, squares, [](auto a) HWY_ATTR { return hn::Mul(a, a); });
    g.fold(squares, AddLanes(), squares_sum);
    bool in_range = true;
    for (int r = 0; r < kShortRows; ++r) {
      in_range &= !overflowed(squares_sum[r]);
      scale[r] = static_cast<float>(1 / std::sqrt(static_cast<double>(squares_sum[r]) * inverse_n + p.eps));
    }
    g.each(scale, v, [](auto a, auto s) HWY_ATTR { return hn::Mul(a, s); });
    for (int r = 0; r < kShortRows; ++r) {
      for (int k = 0; k < kVectors; ++k) v[r][k] = hn::MulAdd(v[r][k], w.v[k], b.v[k]);
      const int64_t at = std::min(i + r, rows - 1);
      *row_at<float>(out[1], at, step[1]) = mean[r];
      *row_at<float>(out[2], at, step[2]) = scale[r];
    }
    if (HWY_UNLIKELY(!in_range)) overflowed_rows<S>(out, in, step, n, i, squares_sum, rows, p, y, unused);
    g.store(v, y);
  }
}

template <typename S>
void short_layer_norm(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                      const void* params) {
  const auto& p = *static_cast<const LayerParams*>(params);
  const auto compute = [&](auto vectors) { layer_rows<S, vectors()>(out, in, step, n, rows, p); };
  call_with_vectors<kMostVectors>((n + lanes_of<S>() - 1) / lanes_of<S>(), compute);
}

// The gradients of a group of rows: with g = dy weight and h = (x - mean) rstd, dx = rstd (g - mean(g) - h mean(g h)).
template <typename S, int kVectors>
struct GradientGroup {
  typename ShortRows<S, kVectors>::Vectors dy, h;
  float rstd[kShortRows];

  HWY_INLINE void load(const ShortRows<S, kVectors>& g, const void* const* in, const int64_t* step,
                       const int64_t (&at)[kShortRows]) {
    const S *grad[kShortRows], *x[kShortRows];
    float mean[kShortRows];
    for (int r = 0; r < kShortRows; ++r) {
      grad[r] = row_at<S>(in[0], at[r], step[0]);
      x[r] = row_at<S>(in[1], at[r], step[1]);
      mean[r] = *row_at<float>(in[2], at[r], step[2]);
      rstd[r] = *row_at<float>(in[3], at[r], step[3]);
    }
    g.load(grad, dy);
    g.load(x, h);
    g.each(mean, h, [](auto a, auto m) HWY_ATTR { return hn::Sub(a, m); });
    g.each(rstd, h, [](auto a, auto s) HWY_ATTR { return hn::Mul(a, s); });
  }
  // Adds dy h and dy of the first `count` rows.
  HWY_INLINE void add(int64_t count, VecOf<S> (&dw)[kVectors], VecOf<S> (&db)[kVectors]) const {
    for (int64_t r = 0; r < count; ++r) {
      for (int k = 0; k < kVectors; ++k) {
        dw[k] = hn::MulAdd(dy[r][k], h[r][k], dw[k]);
        db[k] = hn::Add(db[k], dy[r][k]);
      }
    }
  }
  // dy = dx
  HWY_INLINE void differentiate(const ShortRows<S, kVectors>& g, const SharedRow<kVectors>& w, double inverse_n) {
    typename ShortRows<S, kVectors>::Vectors gh;
    float mean_g[kShortRows], mean_gh[kShortRows];
    for (int r = 0; r < kShortRows; ++r) {
      for (int k = 0; k < kVectors; ++k) dy[r][k] = hn::Mul(dy[r][k], w.v[k]);
    }
    g.map(dy, h, gh, [](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); });
    g.fold(dy, AddLanes(), mean_g);
    g.fold(gh, AddLanes(), mean_gh);
    for (float& m : mean_g) m = static_cast<float>(m * inverse_n);
    for (float& m : mean_gh) m = static_cast<float>(m * inverse_n);
    g.each(mean_g, dy, [](auto a, auto m) HWY_ATTR { return hn::Sub(a, m); });
    g.each(mean_gh, h, [](auto a, auto m) HWY_ATTR { return hn::Mul(a, m); });
    g.map(dy, h, dy, [](auto a, auto b) HWY_ATTR { return hn::Sub(a, b); });
    g.each(rstd, dy, [](auto a, auto s) HWY_ATTR { return hn::Mul(a, s); });
  }
};

// Adds the first elements of vectors to a row.
template <int kVectors>
HWY_INLINE void add_to(const VecOf<float> (&v)[kVectors], int64_t n, float* out) {
  HWY_ALIGN float sums[size_t{kVectors} * HWY_MAX_BYTES / sizeof(float)] = {};
  for (int k = 0; k < kVectors; ++k) hn::Store(v[k], TagOf<float>(), sums + k * lanes_of<float>());
  for (int64_t i = 0; i < n; ++i) out[i] += sums[i];
}

template <typename S, int kVectors>
void layer_gradient_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                         const LayerGradients& p) {
  const int outputs = p.wants_input + p.wants_weight + p.wants_bias;
  const ShortRows<S, kVectors> g(n);
  const SharedRow<kVectors> w(p.has_weight ? static_cast<const float*>(in[4]) : nullptr, g.tail, kOne);
  const double inverse_n = 1 / static_cast<double>(n);
  VecOf<S> dw[kVectors], db[kVectors];
  for (int k = 0; k < kVectors; ++k) dw[k] = db[k] = hn::Zero(TagOf<float>());
  for (int64_t i = 0; i < rows; i += kShortRows) {
    int64_t at[kShortRows];
    for (int r = 0; r < kShortRows; ++r) at[r] = std::min(i + r, rows - 1);
    GradientGroup<S, kVectors> group;
    group.load(g, in, step + outputs, at);
    group.add(std::min<int64_t>(kShortRows, rows - i), dw, db);
    if (!p.wants_input) continue;
    group.differentiate(g, w, inverse_n);
    S* dx[kShortRows];
    for (int r = 0; r < kShortRows; ++r) dx[r] = row_at<S>(out[0], at[r], step[0]);
    g.store(group.dy, dx);
  }
  if (p.wants_weight) add_to(dw, n, static_cast<float*>(out[p.wants_input]));
  if (p.wants_bias) add_to(db, n, static_cast<float*>(out[p.wants_input + p.wants_weight]));
}

template <typename S>
void short_layer_gradient(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                          const void* params) {
  const auto& p = *static_cast<const LayerGradients*>(params);
  const auto compute = [&](auto vectors) { layer_gradient_rows<S, vectors()>(out, in, step, n, rows, p); };
  call_with_vectors<kMostGradientVectors>((n + lanes_of<S>() - 1) / lanes_of<S>(), compute);
}

using ShortTypes = diopi::TypeList<diopi::float16, diopi::bfloat16, float>;

RowsFn GetLayerNormRows(diopiDtype_t dtype) {
  return diopi::kernel_for<ShortTypes>(dtype, [](auto tag) { return short_layer_norm<diopi::tagged<decltype(tag)>>; });
}
RowsFn GetLayerNormBackwardRows(diopiDtype_t dtype) {
  return diopi::kernel_for<ShortTypes>(dtype,
                                       [](auto tag) { return short_layer_gradient<diopi::tagged<decltype(tag)>>; });
}

int64_t GetShortLayer(bool gradient) { return (gradient ? kMostGradientVectors : kMostVectors) * lanes_of<float>(); }

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetLayerNormRows);
HWY_EXPORT(GetLayerNormBackwardRows);
HWY_EXPORT(GetShortLayer);

RowsFn layer_norm_rows_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetLayerNormRows)(dtype); }
RowsFn layer_norm_backward_rows_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetLayerNormBackwardRows)(dtype);
}
int64_t layer_norm_short_row(bool gradient) { return HWY_DYNAMIC_DISPATCH(GetShortLayer)(gradient); }
}  // namespace impl::cpu
#endif
