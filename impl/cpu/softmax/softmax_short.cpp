// SPDX-License-Identifier: BSD-3-Clause
// Softmax, log-softmax and their gradients of short rows: four rows are in registers at a time, and the lanes of their
// vectors are folded together.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/softmax/softmax.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/softmax/softmax_short.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/simd/lanes_by_fours-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int kRows = 4;  // that are computed together

// Rows of kVectors vectors, the last of which has `tail` elements.
template <typename S, int kVectors>
struct ShortRows {
  using V = VecOf<S>;
  using Vectors = V[kRows][kVectors];
  const TagOf<S> d;
  int64_t tail;

  bool is_whole() const { return tail == lanes_of<S>(); }
  // Lanes behind the end are 0.
  HWY_INLINE void load(const S* const (&from)[kRows], Vectors& v) const {
    const int64_t lanes = lanes_of<S>();
    for (int r = 0; r < kRows; ++r) {
      for (int k = 0; k + 1 < kVectors; ++k) v[r][k] = load_vector(from[r] + k * lanes);
      const S* const last = from[r] + (kVectors - 1) * lanes;
      v[r][kVectors - 1] = is_whole() ? load_vector(last) : load_some(last, tail);
    }
  }
  HWY_INLINE void store(const Vectors& v, S* const (&to)[kRows]) const {
    const int64_t lanes = lanes_of<S>();
    for (int r = 0; r < kRows; ++r) {
      for (int k = 0; k + 1 < kVectors; ++k) store_vector<S>(v[r][k], to[r] + k * lanes);
      S* const last = to[r] + (kVectors - 1) * lanes;
      is_whole() ? store_vector<S>(v[r][kVectors - 1], last) : store_some<S>(v[r][kVectors - 1], last, tail);
    }
  }
  // Sets the lanes behind the end.
  HWY_INLINE void pad(Vectors& v, float value) const {
    const auto inside = hn::FirstN(d, static_cast<size_t>(tail));
    for (int r = 0; r < kRows; ++r) {
      v[r][kVectors - 1] = hn::IfThenElse(inside, v[r][kVectors - 1], hn::Set(d, value));
    }
  }
  // Folds each row to a number.
  template <class F>
  HWY_INLINE void fold(const Vectors& v, F f, float (&out)[kRows]) const {
    V all[kRows];
    for (int r = 0; r < kRows; ++r) {
      all[r] = v[r][0];
      for (int k = 1; k < kVectors; ++k) all[r] = f(all[r], v[r][k]);
    }
    fold_lanes_by_fours(all, f, out);
  }
  // Calls f(v, number) for the vectors of each row and the number of the row.
  template <class F>
  HWY_INLINE void each(const float (&number)[kRows], Vectors& v, F f) const {
    for (int r = 0; r < kRows; ++r) {
      const auto of_row = hn::Set(d, number[r]);
      for (int k = 0; k < kVectors; ++k) v[r][k] = f(v[r][k], of_row);
    }
  }
  // Replaces the numbers of the rows by f(numbers).
  template <class F>
  HWY_INLINE void map_numbers(float (&number)[kRows], F f) const {
    const hn::CappedTag<float, kRows> few;
    for (size_t r = 0; r < kRows; r += hn::Lanes(few)) {
      hn::StoreU(f(few, hn::LoadU(few, number + r)), few, number + r);
    }
  }
};

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// v = exp(v - maximum) and their sums. A NaN among the elements may not be the maximum, but then its exponential is
// NaN.
template <typename S, int kVectors>
HWY_INLINE void subtract_maxima(const ShortRows<S, kVectors>& g, typename ShortRows<S, kVectors>::Vectors& v) {
  float top[kRows];
  g.pad(v, kLowest);
  g.fold(v, LargestLane(), top);
  g.each(top, v, [](auto x, auto t) HWY_ATTR { return hn::Sub(x, t); });
}

// Each operation has the most vectors of a row. From then on, it takes more time than for one row after another.
struct ShortSoftmax {
  static constexpr int kMostVectors = 8;
  template <typename S, int kVectors>
  static HWY_INLINE void run(const ShortRows<S, kVectors>& g, S* const (&out)[kRows], const S* const (&in)[kRows],
                             const S* const (&)[kRows]) {
    typename ShortRows<S, kVectors>::Vectors v;
    float sum[kRows];
    g.load(in, v);
    subtract_maxima(g, v);
    g.each(sum, v, [&](auto x, auto) HWY_ATTR { return Exp(g.d, x); });
    g.fold(v, AddLanes(), sum);
    g.map_numbers(sum, [](auto d, auto x) HWY_ATTR { return hn::Div(hn::Set(d, 1.0f), x); });
    g.each(sum, v, [](auto x, auto s) HWY_ATTR { return hn::Mul(x, s); });
    g.store(v, out);
  }
};

struct ShortLogSoftmax {
  static constexpr int kMostVectors = 8;
  template <typename S, int kVectors>
  static HWY_INLINE void run(const ShortRows<S, kVectors>& g, S* const (&out)[kRows], const S* const (&in)[kRows],
                             const S* const (&)[kRows]) {
    typename ShortRows<S, kVectors>::Vectors v, e;
    float sum[kRows];
    g.load(in, v);
    subtract_maxima(g, v);
    for (int r = 0; r < kRows; ++r) {
      for (int k = 0; k < kVectors; ++k) e[r][k] = Exp(g.d, v[r][k]);
    }
    g.fold(e, AddLanes(), sum);
    g.map_numbers(sum, [](auto d, auto x) HWY_ATTR { return Log(d, x); });
    g.each(sum, v, [](auto x, auto s) HWY_ATTR { return hn::Sub(x, s); });
    g.store(v, out);
  }
};

struct ShortSoftmaxBackward {
  static constexpr int kMostVectors = 4;
  template <typename S, int kVectors>
  static HWY_INLINE void run(const ShortRows<S, kVectors>& g, S* const (&out)[kRows], const S* const (&grad)[kRows],
                             const S* const (&result)[kRows]) {
    typename ShortRows<S, kVectors>::Vectors v, y, terms;
    float sum[kRows];
    g.load(grad, v);
    g.load(result, y);
    for (int r = 0; r < kRows; ++r) {
      for (int k = 0; k < kVectors; ++k) terms[r][k] = hn::Mul(v[r][k], y[r][k]);
    }
    g.fold(terms, AddLanes(), sum);
    g.each(sum, v, [](auto x, auto s) HWY_ATTR { return hn::Sub(x, s); });
    for (int r = 0; r < kRows; ++r) {
      for (int k = 0; k < kVectors; ++k) v[r][k] = hn::Mul(y[r][k], v[r][k]);
    }
    g.store(v, out);
  }
};

struct ShortLogSoftmaxBackward {
  static constexpr int kMostVectors = 4;
  template <typename S, int kVectors>
  static HWY_INLINE void run(const ShortRows<S, kVectors>& g, S* const (&out)[kRows], const S* const (&grad)[kRows],
                             const S* const (&result)[kRows]) {
    typename ShortRows<S, kVectors>::Vectors v, y;
    float sum[kRows];
    g.load(grad, v);
    g.load(result, y);
    g.fold(v, AddLanes(), sum);
    g.each(sum, y, [&](auto x, auto s) HWY_ATTR { return hn::Mul(Exp(g.d, x), s); });
    for (int r = 0; r < kRows; ++r) {
      for (int k = 0; k < kVectors; ++k) v[r][k] = hn::Sub(v[r][k], y[r][k]);
    }
    g.store(v, out);
  }
};

// Calls f() with the number of vectors, 1 to kMost, as a constant.
template <int kMost, class F>
HWY_INLINE void call_with_vectors(int64_t vectors, const F& f) {
  if constexpr (kMost > 1) {
    if (vectors < kMost) return call_with_vectors<kMost - 1>(vectors, f);
  }
  f(std::integral_constant<int, kMost>());
}

// The last rows are computed together with one of them again, so that each row is computed in the same way.
template <typename S, class Op, int kVectors>
void compute_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows) {
  const bool has_two = in[1] != nullptr;
  const ShortRows<S, kVectors> g{{}, n - (kVectors - 1) * lanes_of<S>()};
  const auto row = [](const void* base, int64_t at) { return static_cast<const char*>(base) + at; };
  for (int64_t i = 0; i < rows; i += kRows) {
    S* to[kRows];
    const S *first[kRows], *second[kRows];
    for (int r = 0; r < kRows; ++r) {
      const int64_t at = std::min(i + r, rows - 1);
      to[r] = reinterpret_cast<S*>(static_cast<char*>(out[0]) + at * step[0]);
      first[r] = reinterpret_cast<const S*>(row(in[0], at * step[1]));
      second[r] = has_two ? reinterpret_cast<const S*>(row(in[1], at * step[2])) : nullptr;
    }
    Op::template run<S, kVectors>(g, to, first, second);
  }
}

template <typename S, class Op, bool kTwoInputs>
void short_rows(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows, const void*) {
  const void* const both[2] = {in[0], kTwoInputs ? in[1] : nullptr};
  if (n == 0) return;
  const auto compute = [&](auto vectors) { compute_rows<S, Op, vectors()>(out, both, step, n, rows); };
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
