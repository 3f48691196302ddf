// SPDX-License-Identifier: BSD-3-Clause
// Softmax, log-softmax and their gradients of short rows: four rows are in registers at a time, and the lanes of their
// vectors are folded together.
#include <algorithm>
#include <limits>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/softmax/softmax.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/softmax/softmax_short.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/simd/column_loops-inl.h"
#include "impl/cpu/simd/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// A NaN among the elements may not be the maximum, but then its exponential is NaN.
template <typename S, int kVectors>
HWY_INLINE void subtract_maxima(const ShortRows<S, kVectors>& g, typename ShortRows<S, kVectors>::Vectors& v) {
  float top[kShortRows];
  g.pad(v, kLowest);
  g.fold(v, LargestLane(), top);
  g.each(top, v, [](auto x, auto t) HWY_ATTR { return hn::Sub(x, t); });
}

// Each operation has the most vectors of a row. From then on, it takes more time than for one row after another.
struct ShortSoftmax {
  static constexpr int kMostVectors = 8;
  template <typename S, int kVectors>
  static HWY_INLINE void run(const ShortRows<S, kVectors>& g, S* const (&out)[kShortRows],
                             const S* const (&in)[kShortRows], const S* const (&)[kShortRows]) {
    typename ShortRows<S, kVectors>::Vectors v;
    float sum[kShortRows];
    g.load(in, v);
    subtract_maxima(g, v);
    g.map(v, v, [&](auto x) HWY_ATTR { return Exp(g.d, x); });
    g.fold(v, AddLanes(), sum);
    g.map_numbers(sum, [](auto d, auto x) HWY_ATTR { return hn::Div(hn::Set(d, 1.0f), x); });
    g.each(sum, v, [](auto x, auto s) HWY_ATTR { return hn::Mul(x, s); });
    g.store(v, out);
  }
};

struct ShortLogSoftmax {
  static constexpr int kMostVectors = 8;
  template <typename S, int kVectors>
  static HWY_INLINE void run(const ShortRows<S, kVectors>& g, S* const (&out)[kShortRows],
                             const S* const (&in)[kShortRows], const S* const (&)[kShortRows]) {
    typename ShortRows<S, kVectors>::Vectors v, e;
    float sum[kShortRows];
    g.load(in, v);
    subtract_maxima(g, v);
    g.map(v, e, [&](auto x) HWY_ATTR { return Exp(g.d, x); });
    g.fold(e, AddLanes(), sum);
    g.map_numbers(sum, [](auto d, auto x) HWY_ATTR { return Log(d, x); });
    g.each(sum, v, [](auto x, auto s) HWY_ATTR { return hn::Sub(x, s); });
    g.store(v, out);
  }
};

struct ShortSoftmaxBackward {
  static constexpr int kMostVectors = 4;
  template <typename S, int kVectors>
  static HWY_INLINE void run(const ShortRows<S, kVectors>& g, S* const (&out)[kShortRows],
                             const S* const (&grad)[kShortRows], const S* const (&result)[kShortRows]) {
    typename ShortRows<S, kVectors>::Vectors v, y, terms;
    float sum[kShortRows];
    g.load(grad, v);
    g.load(result, y);
    g.map(v, y, terms, [](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); });
    g.fold(terms, AddLanes(), sum);
    g.each(sum, v, [](auto x, auto s) HWY_ATTR { return hn::Sub(x, s); });
    g.map(y, v, v, [](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); });
    g.store(v, out);
  }
};

struct ShortLogSoftmaxBackward {
  static constexpr int kMostVectors = 4;
  template <typename S, int kVectors>
  static HWY_INLINE void run(const ShortRows<S, kVectors>& g, S* const (&out)[kShortRows],
                             const S* const (&grad)[kShortRows], const S* const (&result)[kShortRows]) {
    typename ShortRows<S, kVectors>::Vectors v, y;
    float sum[kShortRows];
    g.load(grad, v);
    g.load(result, y);
    g.fold(v, AddLanes(), sum);
    g.each(sum, y, [&](auto x, auto s) HWY_ATTR { return hn::Mul(Exp(g.d, x), s); });
    g.map(v, y, v, [](auto a, auto b) HWY_ATTR { return hn::Sub(a, b); });
    g.store(v, out);
  }
};

// The last rows are computed together with one of them again, so that each row is computed in the same way.
template <typename S, class Op, bool kTwoInputs, int kVectors>
void compute_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows) {
  const ShortRows<S, kVectors> g(n);
  for (int64_t i = 0; i < rows; i += kShortRows) {
    S* to[kShortRows];
    const S *first[kShortRows], *second[kShortRows];
    for (int r = 0; r < kShortRows; ++r) {
      const int64_t at = std::min(i + r, rows - 1);
      to[r] = row_at<S>(out[0], at, step[0]);
      first[r] = row_at<S>(in[0], at, step[1]);
      second[r] = kTwoInputs ? row_at<S>(in[1], at, step[2]) : nullptr;
    }
    Op::template run<S, kVectors>(g, to, first, second);
  }
}

template <typename S, class Op, bool kTwoInputs>
void short_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows, const void*) {
  const auto compute = [&](auto vectors) { compute_rows<S, Op, kTwoInputs, vectors()>(out, in, step, n, rows); };
  call_with_vectors<Op::kMostVectors>((n + lanes_of<S>() - 1) / lanes_of<S>(), compute);
}

template <typename S>
RowsFn rows_of(SoftmaxOp op) {
  switch (op) {
    case SoftmaxOp::kSoftmax:
      return short_rows<S, ShortSoftmax, false>;
    case SoftmaxOp::kLogSoftmax:
      return short_rows<S, ShortLogSoftmax, false>;
    case SoftmaxOp::kSoftmaxBackward:
      return short_rows<S, ShortSoftmaxBackward, true>;
    case SoftmaxOp::kLogSoftmaxBackward:
      return short_rows<S, ShortLogSoftmaxBackward, true>;
  }
  return nullptr;
}

RowsFn GetSoftmaxRows(SoftmaxOp op, diopiDtype_t dtype) {
  using Types = diopi::TypeList<diopi::float16, diopi::bfloat16, float>;
  return diopi::kernel_for<Types>(dtype, [op](auto tag) { return rows_of<diopi::tagged<decltype(tag)>>(op); });
}

int64_t GetShortRow(SoftmaxOp op) {
  const bool forward = op == SoftmaxOp::kSoftmax || op == SoftmaxOp::kLogSoftmax;
  return (forward ? ShortSoftmax::kMostVectors : ShortSoftmaxBackward::kMostVectors) * lanes_of<float>();
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSoftmaxRows);
HWY_EXPORT(GetShortRow);

RowsFn softmax_rows_kernel(SoftmaxOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSoftmaxRows)(op, dtype); }
int64_t softmax_short_row(SoftmaxOp op) { return HWY_DYNAMIC_DISPATCH(GetShortRow)(op); }
}  // namespace impl::cpu
#endif
