#include "impl/cpu/kernels/norm.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/norm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "impl/cpu/kernels/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Mean and squared deviations run by run, then joined. The sums are of distances: first from an element of the run,
// so that a large common offset costs no digits, then from the rounded mean.
template <typename T>
Moments row_moments(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  Moments all;
  for (int64_t start = 0; start < n; start += kSumRun) {
    const int64_t length = HWY_MIN(kSumRun, n - start);
    const double count = static_cast<double>(length);
    const T* run = x + start;
    const T first = run[0];
    const auto first_v = hn::Set(d, first);
    const double mean =
        static_cast<double>(first) + sum_terms<T>(
                                         length, [&](int64_t i) { return hn::Sub(hn::LoadU(d, run + i), first_v); },
                                         [&](int64_t i) { return run[i] - first; }) /
                                         count;
    const T pivot = static_cast<T>(mean);
    const auto pivot_v = hn::Set(d, pivot);
    const double squares = sum_terms<T>(
        length,
        [&](int64_t i) {
          const auto delta = hn::Sub(hn::LoadU(d, run + i), pivot_v);
          return hn::Mul(delta, delta);
        },
        [&](int64_t i) { return (run[i] - pivot) * (run[i] - pivot); });
    const double off = mean - static_cast<double>(pivot);
    all.add(count, mean, squares - off * off * count);
  }
  return all;
}

template <typename T>
void moments_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const Moments m = row_moments(static_cast<const T*>(in[0]), n);
  *static_cast<double*>(out[0]) = m.mean;
  *static_cast<double*>(out[1]) = m.m2;
}

template <typename T>
void grad_sums_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<T> d;
  const T* dy = static_cast<const T*>(in[0]);
  const T* x = static_cast<const T*>(in[1]);
  const T mean = *static_cast<const T*>(in[2]);
  const auto mean_v = hn::Set(d, mean);
  *static_cast<double*>(out[0]) = sum_row(dy, n);
  *static_cast<double*>(out[1]) = sum_terms<T>(
      n, [&](int64_t i) { return hn::Mul(hn::LoadU(d, dy + i), hn::Sub(hn::LoadU(d, x + i), mean_v)); },
      [&](int64_t i) { return dy[i] * (x[i] - mean); });
}

template <typename T>
void normalize_row(void* const* out, const void* const* in, int64_t n, const void*) {
  T* y = static_cast<T*>(out[0]);
  const T* x = static_cast<const T*>(in[0]);
  const T mean = *static_cast<const T*>(in[1]), scale = *static_cast<const T*>(in[2]);
  const T shift = *static_cast<const T*>(in[3]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * scale + shift;
}

template <typename T>
void grad_input_row(void* const* out, const void* const* in, int64_t n, const void*) {
  T* dx = static_cast<T*>(out[0]);
  const T* dy = static_cast<const T*>(in[0]);
  const T* x = static_cast<const T*>(in[1]);
  const T mean = *static_cast<const T*>(in[2]), a = *static_cast<const T*>(in[3]);
  const T b = *static_cast<const T*>(in[4]), scale = *static_cast<const T*>(in[5]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * scale - a - (x[i] - mean) * b;
}

template <typename T>
void layer_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& p = *static_cast<const LayerParams*>(params);
  const T* x = static_cast<const T*>(in[0]);
  const Moments m = row_moments(x, n);
  const T mean = static_cast<T>(m.mean);
  const T rstd = static_cast<T>(1 / std::sqrt(m.m2 / static_cast<double>(n) + p.eps));
  T* y = static_cast<T*>(out[0]);
  *static_cast<T*>(out[1]) = mean;
  *static_cast<T*>(out[2]) = rstd;
  const T* w = p.has_weight ? static_cast<const T*>(in[1]) : nullptr;
  const T* b = p.has_bias ? static_cast<const T*>(in[p.has_weight ? 2 : 1]) : nullptr;
  if (w != nullptr && b != nullptr) {
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * w[i] + b[i];
  } else if (w != nullptr) {
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * w[i];
  } else if (b != nullptr) {
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd + b[i];
  } else {
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd;
  }
}

// dx = rstd (g - mean(g) - h mean(g h)) with g = dy weight and h = (x - mean) rstd.
template <typename T>
void layer_backward_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const hn::ScalableTag<T> d;
  const auto& p = *static_cast<const LayerParams*>(params);
  T* dx = static_cast<T*>(out[0]);
  const T* dy = static_cast<const T*>(in[0]);
  const T* x = static_cast<const T*>(in[1]);
  const T mean = *static_cast<const T*>(in[2]), rstd = *static_cast<const T*>(in[3]);
  const T* w = p.has_weight ? static_cast<const T*>(in[4]) : nullptr;
  const auto mean_v = hn::Set(d, mean), rstd_v = hn::Set(d, rstd);
  const auto g_v = [&](int64_t i) {
    const auto v = hn::LoadU(d, dy + i);
    return w != nullptr ? hn::Mul(v, hn::LoadU(d, w + i)) : v;
  };
  const auto g = [&](int64_t i) { return w != nullptr ? dy[i] * w[i] : dy[i]; };
  const double count = static_cast<double>(n);
  const T sum_g = static_cast<T>(sum_terms<T>(n, g_v, g) / count);
  const T sum_gh = static_cast<T>(sum_terms<T>(
                                      n,
                                      [&](int64_t i) {
                                        const auto h = hn::Mul(hn::Sub(hn::LoadU(d, x + i), mean_v), rstd_v);
                                        return hn::Mul(g_v(i), h);
                                      },
                                      [&](int64_t i) { return g(i) * ((x[i] - mean) * rstd); }) /
                                  count);
  if (w != nullptr) {
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) dx[i] = (dy[i] * w[i] - sum_g - (x[i] - mean) * rstd * sum_gh) * rstd;
  } else {
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) dx[i] = (dy[i] - sum_g - (x[i] - mean) * rstd * sum_gh) * rstd;
  }
}

template <typename T>
void normalize_block(void* const* out, const void* const* in, int64_t n, const void*) {
  T* y = static_cast<T*>(out[0]);
  const T* x = static_cast<const T*>(in[0]);
  const T* mean = static_cast<const T*>(in[1]);
  const T* scale = static_cast<const T*>(in[2]);
  const T* shift = static_cast<const T*>(in[3]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean[i]) * scale[i] + shift[i];
}

template <typename T>
void grad_input_block(void* const* out, const void* const* in, int64_t n, const void*) {
  T* dx = static_cast<T*>(out[0]);
  const T* dy = static_cast<const T*>(in[0]);
  const T* x = static_cast<const T*>(in[1]);
  const T* mean = static_cast<const T*>(in[2]);
  const T* a = static_cast<const T*>(in[3]);
  const T* b = static_cast<const T*>(in[4]);
  const T* scale = static_cast<const T*>(in[5]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * scale[i] - a[i] - (x[i] - mean[i]) * b[i];
}

template <typename T>
void grad_weight_block(void* const* out, const void* const* in, int64_t n, const void*) {
  T* o = static_cast<T*>(out[0]);
  const T* dy = static_cast<const T*>(in[0]);
  const T* x = static_cast<const T*>(in[1]);
  const T* mean = static_cast<const T*>(in[2]);
  const T* rstd = static_cast<const T*>(in[3]);
  IMPL_CPU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = dy[i] * ((x[i] - mean[i]) * rstd[i]);
}

template <typename T>
RowFn row_of(NormRow op) {
  switch (op) {
    case NormRow::kMoments:
      return moments_row<T>;
    case NormRow::kGradSums:
      return grad_sums_row<T>;
    case NormRow::kNormalize:
      return normalize_row<T>;
    case NormRow::kGradInput:
      return grad_input_row<T>;
    case NormRow::kLayer:
      return layer_row<T>;
    case NormRow::kLayerBackward:
      return layer_backward_row<T>;
  }
  return nullptr;
}

template <typename T>
BlockFn block_of(NormBlock op) {
  switch (op) {
    case NormBlock::kNormalize:
      return normalize_block<T>;
    case NormBlock::kGradInput:
      return grad_input_block<T>;
    case NormBlock::kGradWeight:
      return grad_weight_block<T>;
  }
  return nullptr;
}

RowFn GetRow(NormRow op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return row_of<float>(op);
  return dtype == diopi_dtype_float64 ? row_of<double>(op) : nullptr;
}

BlockFn GetBlock(NormBlock op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return block_of<float>(op);
  return dtype == diopi_dtype_float64 ? block_of<double>(op) : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetRow);
HWY_EXPORT(GetBlock);

RowFn norm_row_kernel(NormRow op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetRow)(op, dtype); }
BlockFn norm_block_kernel(NormBlock op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetBlock)(op, dtype); }
}  // namespace impl::cpu
#endif
