// SPDX-License-Identifier: BSD-3-Clause
// Normalisation of short rows by the root mean square, four at a time.
#include <algorithm>
#include <cmath>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/norm/layer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/rms_short.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/column_loops-inl.h"
#include "impl/cpu/simd/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int kMostVectors = 8;  // of a row
constexpr float kOne = 1, kZero = 0;

template <typename S, int kVectors>
void rms_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
              const RmsParams& p) {
  const ShortRows<S, kVectors> g(n);
  const SharedRow<kVectors> w(p.has_weight ? static_cast<const float*>(in[1]) : nullptr, g.tail, kOne);
  const SharedRow<kVectors> b(p.has_bias ? static_cast<const float*>(in[p.has_weight ? 2 : 1]) : nullptr, g.tail,
                              kZero);
  const int64_t in_step = step[p.wants_inv_rms ? 2 : 1];
  const double inverse_n = 1 / static_cast<double>(n);
  for (int64_t i = 0; i < rows; i += kShortRows) {
    const S* x[kShortRows];
    S* y[kShortRows];
    typename ShortRows<S, kVectors>::Vectors v, squares;
    float scale[kShortRows];
    // The last rows are computed together with one of them again, so that each row is computed in the same way.
    for (int r = 0; r < kShortRows; ++r) {
      const int64_t at = std::min(i + r, rows - 1);
      x[r] = row_at<S>(in[0], at, in_step);
      y[r] = row_at<S>(out[0], at, step[0]);
    }
    g.load(x, v);
    g.map(v, squares, [](auto a) HWY_ATTR { return hn::Mul(a, a); });
    g.fold(squares, AddLanes(), scale);
    for (float& s : scale) s = static_cast<float>(1 / std::sqrt(static_cast<double>(s) * inverse_n + p.eps));
    g.each(scale, v, [](auto a, auto s) HWY_ATTR { return hn::Mul(a, s); });
    for (int r = 0; r < kShortRows; ++r) {
      for (int k = 0; k < kVectors; ++k) {
        if (p.has_weight) v[r][k] = hn::Mul(v[r][k], w.v[k]);
        if (p.has_bias) v[r][k] = hn::Add(v[r][k], b.v[k]);
      }
      if (p.wants_inv_rms) *row_at<float>(out[1], std::min(i + r, rows - 1), step[1]) = scale[r];
    }
    g.store(v, y);
  }
}

template <typename S>
void short_rms_norm(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                    const void* params) {
  const auto& p = *static_cast<const RmsParams*>(params);
  call_with_vectors<kMostVectors>((n + lanes_of<S>() - 1) / lanes_of<S>(),
                                  [&](auto vectors) { rms_rows<S, vectors()>(out, in, step, n, rows, p); });
}

RowsFn GetRmsNormRows(diopiDtype_t dtype) {
  using Types = diopi::TypeList<diopi::float16, diopi::bfloat16, float>;
  return diopi::kernel_for<Types>(dtype, [](auto tag) { return short_rms_norm<diopi::tagged<decltype(tag)>>; });
}

// From 5 vectors on, rows of float32, which need no conversion, are as fast one by one.
int64_t GetShortRmsRow(diopiDtype_t dtype) {
  return (dtype == diopi_dtype_float32 ? kMostVectors / 2 : kMostVectors) * lanes_of<float>();
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GetRmsNormRows);
HWY_EXPORT(GetShortRmsRow);

RowsFn rms_norm_rows_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetRmsNormRows)(dtype); }
int64_t rms_norm_short_row(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetShortRmsRow)(dtype); }

}  // namespace impl::cpu
#endif  // HWY_ONCE
