// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/softmax/softmax.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/softmax/softmax.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Each of these functions passes over a row more than once. The first loop waits for memory; the last one does not, so
// it prefetches the next row, which mostly follows, unless the rows fill the caches.
template <typename S>
HWY_INLINE bool fits_with_next(int64_t n) {
  constexpr int64_t kLongest = 1 << 15;  // bytes: the smallest first-level cache of current processors
  return n * static_cast<int64_t>(sizeof(S)) <= kLongest;
}

// With two inputs it does so only where the processor does not do it by itself: on an AMD EPYC (Zen 4) the gradients
// of rows of 577 floats take 15 % longer with prefetches.
template <typename S>
HWY_INLINE bool fetches_next_rows(int64_t n) {
  return fetches_ahead() && fits_with_next<S>(n);
}

// A NaN among the elements may not be the maximum, but then its exponential is NaN, and so is the sum.
template <typename S>
void softmax_row(void* const* out, const void* const* in, int64_t n, const void*) {
  using T = ComputeOf<S>;
  constexpr int64_t kLongRow = 512;  // rows from this length on prefetch the next one
  constexpr int64_t kKept = 4096;    // exponentials kept in float if the row has a narrower dtype
  const TagOf<S> d;
  S* y = static_cast<S*>(out[0]);
  const S* x = static_cast<const S*>(in[0]);
  if (n == 0) return;
  const auto top = hn::Set(d, row_maximum(x, n));
  const auto exponential = [&](int64_t i, auto load) { return Exp(d, hn::Sub(load(x + i), top)); };
  const auto divide = [&](double total, auto get) {
    const auto factor = hn::Set(d, static_cast<T>(1 / total));
    const bool fetches_next = n >= kLongRow && fits_with_next<S>(n);
    for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
      if (fetches_next) hwy::Prefetch(x + n + i);
      store(hn::Mul(get(i, load), factor), y + i);
    });
  };
  const auto keep_and_divide = [&](T* kept) {
    const double total = sum_vectors<S>(n, [&](int64_t i, auto load, auto store) {
      const auto e = exponential(i, load);
      store(e, kept + i);
      return e;
    });
    divide(total, [&](int64_t i, auto load) { return load(kept + i); });
  };
  if constexpr (std::is_same_v<S, T>) {
    keep_and_divide(y);
  } else if (n <= kKept) {
    T kept[kKept];
    keep_and_divide(kept);
  } else {
    divide(sum_vectors<S>(n, [&](int64_t i, auto load, auto) { return exponential(i, load); }), exponential);
  }
}

template <typename S>
void log_softmax_row(void* const* out, const void* const* in, int64_t n, const void*) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  S* y = static_cast<S*>(out[0]);
  const S* x = static_cast<const S*>(in[0]);
  if (n == 0) return;
  const auto top = hn::Set(d, row_maximum(x, n));
  const double total = sum_vectors<S>(n, [&](int64_t i, auto load, auto) {
    hwy::Prefetch(y + i);  // a later store would wait for the line
    return Exp(d, hn::Sub(load(x + i), top));
  });
  const auto log_total = Log(d, hn::Set(d, static_cast<T>(total)));  // faster than std::log
  const bool fetches_next = fits_with_next<S>(n);
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    if (fetches_next) hwy::Prefetch(x + n + i);
    store(hn::Sub(hn::Sub(load(x + i), top), log_total), y + i);
  });
}

template <typename S>
void softmax_backward_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const TagOf<S> d;
  S* dx = static_cast<S*>(out[0]);
  const S* g = static_cast<const S*>(in[0]);
  const S* y = static_cast<const S*>(in[1]);
  const double sum = sum_vectors<S>(n, [&](int64_t i, auto load, auto) { return hn::Mul(load(g + i), load(y + i)); });
  const bool fetches_next = fetches_next_rows<S>(n);
  const auto dot = hn::Set(d, static_cast<ComputeOf<S>>(sum));
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    if (fetches_next) {
      hwy::Prefetch(g + n + i);
      hwy::Prefetch(y + n + i);
    }
    store(hn::Mul(load(y + i), hn::Sub(load(g + i), dot)), dx + i);
  });
}

template <typename S>
void log_softmax_backward_row(void* const* out, const void* const* in, int64_t n, const void*) {
  const TagOf<S> d;
  S* dx = static_cast<S*>(out[0]);
  const S* g = static_cast<const S*>(in[0]);
  const S* y = static_cast<const S*>(in[1]);
  const double sum = sum_vectors<S>(n, [&](int64_t i, auto load, auto) { return load(g + i); });
  const bool fetches_next = fetches_next_rows<S>(n);
  const auto total = hn::Set(d, static_cast<ComputeOf<S>>(sum));
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    if (fetches_next) {
      hwy::Prefetch(g + n + i);
      hwy::Prefetch(y + n + i);
    }
    store(hn::Sub(load(g + i), hn::Mul(Exp(d, load(y + i)), total)), dx + i);
  });
}

template <typename S>
RowFn row_of(SoftmaxOp op) {
  switch (op) {
    case SoftmaxOp::kSoftmax:
      return softmax_row<S>;
    case SoftmaxOp::kLogSoftmax:
      return log_softmax_row<S>;
    case SoftmaxOp::kSoftmaxBackward:
      return softmax_backward_row<S>;
    case SoftmaxOp::kLogSoftmaxBackward:
      return log_softmax_backward_row<S>;
  }
  return nullptr;
}

RowFn GetSoftmax(SoftmaxOp op, diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [op](auto tag) { return row_of<diopi::tagged<decltype(tag)>>(op); });
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
