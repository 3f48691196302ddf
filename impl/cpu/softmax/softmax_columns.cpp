// SPDX-License-Identifier: BSD-3-Clause
// Softmax, log-softmax and their gradients along columns that are adjacent in memory.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/softmax/softmax.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/softmax/softmax_columns.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/simd/column_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Computes the maxima of columns. It also prefetches the rows of `y`, which are `y_pitch` apart and are written soon.
template <typename S>
HWY_INLINE void column_maxima(const void* x, int64_t pitch, int64_t n, int64_t width, PerColumn<ComputeOf<S>>* top,
                              void* y, int64_t y_pitch) {
  const TagOf<S> d;
  for_vectors<S>(
      width, [&](int64_t j, auto load, auto, auto) { hn::StoreU(load(row_at<S>(x, 0, pitch) + j), d, top->v + j); });
  for (int64_t i = 1; i < n; ++i) {
    const S* row = row_at<S>(x, i, pitch);
    const S* result = row_at<S>(y, i, y_pitch);
    for_vectors<S>(width, [&](int64_t j, auto load, auto, auto) {
      hwy::Prefetch(result + j);
      hn::StoreU(hn::Max(hn::LoadU(d, top->v + j), load(row + j)), d, top->v + j);
    });
  }
}

// The bytes of a packed part of the columns. It stays in the first-level cache, which the rows may not: if their pitch
// is a multiple of 4 KiB, they share few lines of it.
constexpr int64_t kPackedBytes = 24 << 10;
constexpr int64_t kLeastPackedColumns = 64;

// Softmax of few columns, with the exponentials in `packed`.
template <typename S>
HWY_INLINE void softmax_packed(void* out, int64_t out_pitch, const void* in, int64_t in_pitch, int64_t n, int64_t width,
                               S* packed) {
  const TagOf<S> d;
  PerColumn<S> top, factor;
  PerColumn<double> total;
  const int64_t pitch = width * static_cast<int64_t>(sizeof(S));
  for (int64_t i = 0; i < n; ++i) {
    const S* row = row_at<S>(in, i, in_pitch);
    const S* result = row_at<S>(out, i, out_pitch);
    for_vectors<S>(width, [&](int64_t j, auto load, auto store, auto) {
      hwy::Prefetch(result + j);
      const auto x = load(row + j);
      store(x, packed + i * width + j);
      hn::StoreU(i == 0 ? x : hn::Max(hn::LoadU(d, top.v + j), x), d, top.v + j);
    });
  }
  sum_columns<S>(n, width, &total, [&](int64_t i, int64_t j, auto load, auto store) {
    S* const at = row_at<S>(packed, i, pitch) + j;
    const auto e = Exp(d, hn::Sub(load(at), hn::LoadU(d, top.v + j)));
    store(e, at);
    return e;
  });
  for (int64_t j = 0; j < width; ++j) factor.v[j] = static_cast<S>(1 / total.v[j]);
  write_rows<S>(out, out_pitch, n, width, [&](int64_t i, int64_t j, auto load) {
    return hn::Mul(load(packed + i * width + j), hn::LoadU(d, factor.v + j));
  });
}

// An output of float16 or bfloat16 cannot hold exponentials before the division, so they are computed twice.
template <typename S>
void softmax_columns(void* const* out, const void* const* in, const int64_t* pitch, int64_t n, int64_t width) {
  using T = ComputeOf<S>;
  constexpr bool kKeeps = std::is_same_v<S, T>;
  const TagOf<S> d;
  if constexpr (kKeeps) {
    HWY_ALIGN S packed[kPackedBytes / sizeof(S)];
    const int64_t fits = kPackedBytes / static_cast<int64_t>(sizeof(S)) / n / kLeastPackedColumns * kLeastPackedColumns;
    if (fits > 0) {
      for (int64_t j = 0; j < width; j += fits) {
        softmax_packed(row_at<S>(out[0], 0, 0) + j, pitch[0], row_at<S>(in[0], 0, 0) + j, pitch[1], n,
                       std::min(fits, width - j), packed);
      }
      return;
    }
  }
  PerColumn<T> top, factor;
  PerColumn<double> total;
  column_maxima<S>(in[0], pitch[1], n, width, &top, out[0], pitch[0]);
  const auto exponential = [&](int64_t i, int64_t j, auto load) {
    return Exp(d, hn::Sub(load(row_at<S>(in[0], i, pitch[1]) + j), hn::LoadU(d, top.v + j)));
  };
  sum_columns<S>(n, width, &total, [&](int64_t i, int64_t j, auto load, auto store) {
    const auto e = exponential(i, j, load);
    if constexpr (kKeeps) store(e, row_at<S>(out[0], i, pitch[0]) + j);
    return e;
  });
  for (int64_t j = 0; j < width; ++j) factor.v[j] = static_cast<T>(1 / total.v[j]);
  write_rows<S>(out[0], pitch[0], n, width, [&](int64_t i, int64_t j, auto load) {
    const auto scale = hn::LoadU(d, factor.v + j);
    if constexpr (kKeeps) return hn::Mul(load(row_at<S>(out[0], i, pitch[0]) + j), scale);
    return hn::Mul(exponential(i, j, load), scale);
  });
}

template <typename S>
void log_softmax_columns(void* const* out, const void* const* in, const int64_t* pitch, int64_t n, int64_t width) {
  const TagOf<S> d;
  using T = ComputeOf<S>;
  PerColumn<T> top, logs;
  PerColumn<double> total;
  column_maxima<S>(in[0], pitch[1], n, width, &top, out[0], pitch[0]);
  const auto distance = [&](int64_t i, int64_t j, auto load) {
    return hn::Sub(load(row_at<S>(in[0], i, pitch[1]) + j), hn::LoadU(d, top.v + j));
  };
  sum_columns<S>(n, width, &total, [&](int64_t i, int64_t j, auto load, auto) { return Exp(d, distance(i, j, load)); });
  for (int64_t j = 0; j < width; ++j) logs.v[j] = static_cast<T>(total.v[j]);
  for_vectors<T>(width, [&](int64_t j, auto load, auto store, auto) { store(Log(d, load(logs.v + j)), logs.v + j); });
  write_rows<S>(out[0], pitch[0], n, width, [&](int64_t i, int64_t j, auto load) {
    return hn::Sub(distance(i, j, load), hn::LoadU(d, logs.v + j));
  });
}

template <typename S>
void softmax_backward_columns(void* const* out, const void* const* in, const int64_t* pitch, int64_t n, int64_t width) {
  const TagOf<S> d;
  PerColumn<double> total;
  PerColumn<ComputeOf<S>> dot;
  const auto g = [&](int64_t i, int64_t j, auto load) { return load(row_at<S>(in[0], i, pitch[1]) + j); };
  const auto y = [&](int64_t i, int64_t j, auto load) { return load(row_at<S>(in[1], i, pitch[2]) + j); };
  sum_columns<S>(n, width, &total,
                 [&](int64_t i, int64_t j, auto load, auto) { return hn::Mul(g(i, j, load), y(i, j, load)); });
  for (int64_t j = 0; j < width; ++j) dot.v[j] = static_cast<ComputeOf<S>>(total.v[j]);
  write_rows<S>(out[0], pitch[0], n, width, [&](int64_t i, int64_t j, auto load) {
    return hn::Mul(y(i, j, load), hn::Sub(g(i, j, load), hn::LoadU(d, dot.v + j)));
  });
}

template <typename S>
void log_softmax_backward_columns(void* const* out, const void* const* in, const int64_t* pitch, int64_t n,
                                  int64_t width) {
  const TagOf<S> d;
  PerColumn<double> sum;
  PerColumn<ComputeOf<S>> total;
  const auto g = [&](int64_t i, int64_t j, auto load) { return load(row_at<S>(in[0], i, pitch[1]) + j); };
  sum_columns<S>(n, width, &sum, [&](int64_t i, int64_t j, auto load, auto) { return g(i, j, load); });
  for (int64_t j = 0; j < width; ++j) total.v[j] = static_cast<ComputeOf<S>>(sum.v[j]);
  write_rows<S>(out[0], pitch[0], n, width, [&](int64_t i, int64_t j, auto load) {
    const auto e = Exp(d, load(row_at<S>(in[1], i, pitch[2]) + j));
    return hn::Sub(g(i, j, load), hn::Mul(e, hn::LoadU(d, total.v + j)));
  });
}

template <typename S>
ColumnFn columns_of(SoftmaxOp op) {
  switch (op) {
    case SoftmaxOp::kSoftmax:
      return softmax_columns<S>;
    case SoftmaxOp::kLogSoftmax:
      return log_softmax_columns<S>;
    case SoftmaxOp::kSoftmaxBackward:
      return softmax_backward_columns<S>;
    case SoftmaxOp::kLogSoftmaxBackward:
      return log_softmax_backward_columns<S>;
  }
  return nullptr;
}

ColumnFn GetSoftmaxColumns(SoftmaxOp op, diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [op](auto tag) { return columns_of<diopi::tagged<decltype(tag)>>(op); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSoftmaxColumns);

ColumnFn softmax_columns_kernel(SoftmaxOp op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetSoftmaxColumns)(op, dtype);
}
}  // namespace impl::cpu
#endif
