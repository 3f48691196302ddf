/* SPDX-License-Identifier: BSD-3-Clause */
// Sums of products of rows. Included inside each target's namespace.
#if defined(IMPL_CPU_FEATURE_MAPS_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IMPL_CPU_FEATURE_MAPS_PRODUCTS_INL_H_
#undef IMPL_CPU_FEATURE_MAPS_PRODUCTS_INL_H_
#else
#define IMPL_CPU_FEATURE_MAPS_PRODUCTS_INL_H_
#endif

#include <algorithm>

#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// So many terms are summed in a register before their sum is added to memory: few, because rounding errors of equal
// terms add up.
constexpr int64_t kTermsInRegister = 16;

// Rows of numbers, `step` elements apart.
template <typename T>
struct ProductRows {
  const T* first;
  int64_t step;
};

// sum[w * lanes + i] += the sum over k < count of a[k][w * lanes + i] * b[k][w * lanes + i] for kVectors vectors.
template <typename T, int kVectors>
HWY_INLINE void add_product_vectors(T* sum, ProductRows<T> a, ProductRows<T> b, int64_t count) {
  const TagOf<T> d;
  const int64_t lanes = lanes_of<T>();
  for (int64_t start = 0; start < count; start += kTermsInRegister) {
    const int64_t end = std::min(count, start + kTermsInRegister);
    VecOf<T> total[kVectors];
    for (int w = 0; w < kVectors; ++w) total[w] = hn::Zero(d);
    for (int64_t k = start; k < end; ++k) {
      const T *p = a.first + k * a.step, *q = b.first + k * b.step;
      for (int w = 0; w < kVectors; ++w) {
        total[w] = hn::Add(total[w], hn::Mul(hn::LoadU(d, p + w * lanes), hn::LoadU(d, q + w * lanes)));
      }
    }
    for (int w = 0; w < kVectors; ++w) {
      hn::StoreU(hn::Add(hn::LoadU(d, sum + w * lanes), total[w]), d, sum + w * lanes);
    }
  }
}

// sum[i] += the sum over k < count of a[k][i] * b[k][i] for i < n. If `kPadded`, the rows may be read and `sum` may be
// written up to a whole number of vectors.
template <typename T, bool kPadded>
HWY_INLINE void add_products(T* sum, ProductRows<T> a, ProductRows<T> b, int64_t count, int64_t n) {
  const int64_t lanes = lanes_of<T>();
  int64_t i = 0;
  const auto from = [](ProductRows<T> rows, int64_t place) { return ProductRows<T>{rows.first + place, rows.step}; };
  for (; i + 4 * lanes <= n; i += 4 * lanes) add_product_vectors<T, 4>(sum + i, from(a, i), from(b, i), count);
  const int64_t stop = kPadded ? n : n - lanes + 1;
  for (; i < stop; i += lanes) add_product_vectors<T, 1>(sum + i, from(a, i), from(b, i), count);
  if (i >= n) return;
  const int64_t rest = n - i;
  for (int64_t start = 0; start < count; start += kTermsInRegister) {
    const int64_t end = std::min(count, start + kTermsInRegister);
    VecOf<T> total = hn::Zero(TagOf<T>());
    for (int64_t k = start; k < end; ++k) {
      const auto p = load_some(a.first + k * a.step + i, rest), q = load_some(b.first + k * b.step + i, rest);
      total = hn::Add(total, hn::Mul(p, q));
    }
    store_some(hn::Add(load_some(sum + i, rest), total), sum + i, rest);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
