// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/parallel.hpp"
#include "impl/cpu/pool/pool.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pool/global_avg.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sums n elements: in two vectors, then over their lanes, then the remaining elements.
template <typename T>
HWY_INLINE T sum_of(const T* HWY_RESTRICT x, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto even = hn::Zero(d), odd = hn::Zero(d);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even = hn::Add(even, hn::LoadU(d, x + i));
    odd = hn::Add(odd, hn::LoadU(d, x + i + lanes));
  }
  if (i + lanes <= n) {
    even = hn::Add(even, hn::LoadU(d, x + i));
    i += lanes;
  }
  T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  for (; i < n; ++i) sum += x[i];
  return sum;
}

template <typename T>
void means(const void* in, void* out, int64_t begin, int64_t end, int64_t n) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  for (int64_t plane = begin; plane < end; ++plane) y[plane] = sum_of(x + plane * n, n) / static_cast<T>(n);
}

void FloatMeans(const void* x, void* y, int64_t begin, int64_t end, int64_t n) { means<float>(x, y, begin, end, n); }
void DoubleMeans(const void* x, void* y, int64_t begin, int64_t end, int64_t n) { means<double>(x, y, begin, end, n); }

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(FloatMeans);
HWY_EXPORT(DoubleMeans);

}  // namespace

bool small_plane_means(diopiDtype_t dtype, const void* x, void* y, int64_t planes, int64_t n) {
  constexpr int64_t kSmall = 1024;  // other functions add longer sums in chunks
  if (n > kSmall || (dtype != diopi_dtype_float32 && dtype != diopi_dtype_float64)) return false;
  const auto run = dtype == diopi_dtype_float32 ? HWY_DYNAMIC_DISPATCH(FloatMeans) : HWY_DYNAMIC_DISPATCH(DoubleMeans);
  diopi::parallel_for(planes, 32768 / n + 1, [&](int64_t begin, int64_t end) { run(x, y, begin, end, n); });
  return true;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
