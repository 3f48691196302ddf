#include "impl/cpu/kernels/softmax.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/kernels/softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "impl/cpu/kernels/math_exp-inl.h"
#include "impl/cpu/kernels/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename T>
void softmax_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<T> d;
  T* y = static_cast<T*>(out[0]);
  const T* x = static_cast<const T*>(in[0]);
  if (n == 0) return;
  const auto top = hn::Set(d, fold<ExtremumOp<true>>(x, n));
  map_row(y, x, n, [&](auto v) { return Exp(d, hn::Sub(v, top)); });
  const auto total = hn::Set(d, static_cast<T>(sum_row(y, n)));
  map_row(y, y, n, [&](auto v) { return hn::Div(v, total); });
}

template <typename T>
void log_softmax_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<T> d;
  T* y = static_cast<T*>(out[0]);
  const T* x = static_cast<const T*>(in[0]);
  if (n == 0) return;
  const T top = fold<ExtremumOp<true>>(x, n);
  const auto top_v = hn::Set(d, top);
  // Full vectors and a tail that is padded with minus infinity, whose exponential adds nothing.
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), whole = n - n % lanes;
  double total = sum_terms<T>(
      whole, [&](int64_t i) { return Exp(d, hn::Sub(hn::LoadU(d, x + i), top_v)); }, [](int64_t) { return T(0); });
  if (whole < n) {
    HWY_ALIGN T tail[HWY_MAX_BYTES / sizeof(T)];
    for (int64_t i = 0; i < lanes; ++i) tail[i] = whole + i < n ? x[whole + i] : -kInfinity<T>;
    hn::Store(Exp(d, hn::Sub(hn::Load(d, tail), top_v)), d, tail);
    for (int64_t i = 0; whole + i < n; ++i) total += static_cast<double>(tail[i]);
  }
  const auto log_total = hn::Set(d, static_cast<T>(std::log(total)));
  map_row(y, x, n, [&](auto v) { return hn::Sub(hn::Sub(v, top_v), log_total); });
}

// out[i] = f(g[i], y[i]); a row loop of two inputs.
template <typename T, class F>
HWY_INLINE void combine_row(T* out, const T* g, const T* y, int64_t n, F f) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, g + i), hn::LoadU(d, y + i)), d, out + i);
  if (i < n) {
    HWY_ALIGN T a[HWY_MAX_BYTES / sizeof(T)] = {}, b[HWY_MAX_BYTES / sizeof(T)] = {};
    const size_t bytes = static_cast<size_t>(n - i) * sizeof(T);
    std::memcpy(a, g + i, bytes);
    std::memcpy(b, y + i, bytes);
    hn::Store(f(hn::Load(d, a), hn::Load(d, b)), d, a);
    std::memcpy(out + i, a, bytes);
  }
}

template <typename T>
void softmax_backward_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<T> d;
  const T* g = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const auto dot = hn::Set(d, static_cast<T>(dot_row(g, y, n)));
  combine_row(static_cast<T*>(out[0]), g, y, n, [&](auto a, auto b) { return hn::Mul(b, hn::Sub(a, dot)); });
}

template <typename T>
void log_softmax_backward_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const hn::ScalableTag<T> d;
  const T* g = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const auto total = hn::Set(d, static_cast<T>(sum_row(g, n)));
  combine_row(static_cast<T*>(out[0]), g, y, n, [&](auto a, auto b) { return hn::Sub(a, hn::Mul(Exp(d, b), total)); });
}

template <typename T>
RowFn row_of(SoftmaxOp op) {
  switch (op) {
    case SoftmaxOp::kSoftmax:
      return softmax_row<T>;
    case SoftmaxOp::kLogSoftmax:
      return log_softmax_row<T>;
    case SoftmaxOp::kSoftmaxBackward:
      return softmax_backward_row<T>;
    case SoftmaxOp::kLogSoftmaxBackward:
      return log_softmax_backward_row<T>;
  }
  return nullptr;
}

RowFn GetSoftmax(SoftmaxOp op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return row_of<float>(op);
  return dtype == diopi_dtype_float64 ? row_of<double>(op) : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSoftmax);

RowFn softmax_kernel(SoftmaxOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSoftmax)(op, dtype); }
}  // namespace impl::cpu
#endif
