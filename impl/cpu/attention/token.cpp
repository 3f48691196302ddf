// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/attention/token.hpp"

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/token.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/math-inl.h"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kTokensTogether = 64;  // whose products are added before the sum is added to that of all tokens

template <typename S>
const S* cache_row(const CacheRows& cache, int64_t t) {
  return reinterpret_cast<const S*>(cache.cache + cache.rows[t] * cache.stride);
}

template <typename S>
void score_rows(const CacheRows& cache, const void* q, double scale, void* scores, int64_t step) {
  const S* x = static_cast<const S*>(q);
  S* out = static_cast<S*>(scores);
  for (int64_t t = 0; t < cache.count; ++t) {
    const S* row = cache_row<S>(cache, t);
    const double dot =
        sum_vectors<S>(cache.d, [&](int64_t i, auto load, auto) { return hn::Mul(load(x + i), load(row + i)); });
    out[t * step] = static_cast<S>(static_cast<ComputeOf<S>>(dot * scale));
  }
}

// Replaces the scores by exp(score - largest), and returns their sum.
template <typename T>
double make_powers(T* weights, int64_t n) {
  const TagOf<T> d;
  const auto most = hn::Set(d, row_maximum(weights, n));
  return sum_vectors<T>(n, [&](int64_t i, auto load, auto store) {
    const auto power = Exp(d, hn::Sub(load(weights + i), most));
    store(power, weights + i);
    return power;
  });
}

template <typename S>
void sum_rows(const CacheRows& cache, void* scores, void* sums, void* out) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  T *weights = static_cast<T*>(scores), *total = static_cast<T*>(sums), *part = total + cache.d;
  S* y = static_cast<S*>(out);
  const double sum = make_powers(weights, cache.count);
  std::fill_n(total, cache.d, T(0));
  for (int64_t first = 0; first < cache.count; first += kTokensTogether) {
    const int64_t end = std::min(cache.count, first + kTokensTogether);
    std::fill_n(part, cache.d, T(0));
    for (int64_t t = first; t < end; ++t) {
      const S* row = cache_row<S>(cache, t);
      const auto weight = hn::Set(d, weights[t]);
      for_vectors<S>(cache.d, [&](int64_t i, auto load, auto store, auto) {
        store(hn::MulAdd(weight, load(row + i), load(part + i)), part + i);
      });
    }
    for_vectors<S>(cache.d, [&](int64_t i, auto load, auto store, auto) {
      store(hn::Add(load(total + i), load(part + i)), total + i);
    });
  }
  const auto inverse = hn::Set(d, static_cast<T>(1 / sum));
  for_vectors<S>(cache.d,
                 [&](int64_t i, auto load, auto store, auto) { store(hn::Mul(load(total + i), inverse), y + i); });
}

ScoreRowsFn GetScoreRows(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return score_rows<diopi::tagged<decltype(tag)>>; });
}

SumRowsFn GetSumRows(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return sum_rows<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetScoreRows);
HWY_EXPORT(GetSumRows);

ScoreRowsFn score_rows_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetScoreRows)(dtype); }
SumRowsFn sum_rows_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSumRows)(dtype); }
}  // namespace impl::cpu
#endif
