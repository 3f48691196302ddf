// SPDX-License-Identifier: BSD-3-Clause
// Cross entropy of few classes: several rows are computed together.
#include <algorithm>
#include <iterator>
#include <limits>
#include <type_traits>

#include "impl/cpu/loss/cross_entropy.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/loss/cross_entropy_few.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/loss/cross_entropy-inl.h"
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/simd/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kFewClasses = 16;  // rows of so many are computed together, each in a lane of vectors

// Rows of n <= kFewClasses elements, as many as a vector has lanes: each row is a lane.
struct FewClasses {
  static constexpr size_t kMostLanes = HWY_MAX_BYTES / sizeof(double);
  HWY_ALIGN double e[kFewClasses][kMostLanes] = {};  // e^(x - top)
  HWY_ALIGN double tops[kMostLanes];
  HWY_ALIGN double totals[kMostLanes];

  // Reads rows that are `step` bytes apart.
  template <typename T>
  HWY_INLINE void read(const char* x, int64_t step, int64_t rows, int64_t n) {
    const hn::ScalableTag<double> d;
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = reinterpret_cast<const T*>(x + r * step);
      for (int64_t i = 0; i < n; ++i) e[i][r] = static_cast<double>(row[i]);
    }
    auto top = hn::Load(d, e[0]), total = hn::Zero(d);
    for (int64_t i = 1; i < n; ++i) top = hn::Max(top, hn::Load(d, e[i]));
    for (int64_t i = 0; i < n; ++i) {
      const auto power = Exp(d, hn::Sub(hn::Load(d, e[i]), top));
      hn::Store(power, d, e[i]);
      total = hn::Add(total, power);
    }
    hn::Store(top, d, tops);
    hn::Store(total, d, totals);
  }
};

// Replaces `count` numbers, and up to a vector of those that follow, by their logarithms.
HWY_INLINE void take_logarithms(double* x, int64_t count) {
  const hn::ScalableTag<double> d;
  for (int64_t i = 0; i < count; i += lanes_of<double>()) hn::Store(Log(d, hn::Load(d, x + i)), d, x + i);
}
// The operands of rows, `step` bytes from one to the next.
struct RowsOperands {
  int outputs, inputs;
  void* const* out;
  const void* const* in;
  const int64_t* step;

  HWY_INLINE RowsOperands(int num_outputs, int num_inputs, void* const* o, const void* const* i, const int64_t* s)
      : outputs(num_outputs), inputs(num_inputs), out(o), in(i), step(s) {}
  int64_t logits_step() const { return step[outputs]; }
  HWY_INLINE const char* logits(int64_t row) const { return static_cast<const char*>(in[0]) + row * logits_step(); }
  HWY_INLINE void at(int64_t row, void** o, const void** i) const {
    for (int k = 0; k < outputs; ++k) o[k] = static_cast<char*>(out[k]) + row * step[k];
    for (int k = 0; k < inputs; ++k) i[k] = static_cast<const char*>(in[k]) + row * step[outputs + k];
  }
};

constexpr int64_t kTogether = 64;  // rows whose logarithms are computed together
constexpr int kMostVectors = 8;    // of a row of float32 of which four are in registers

// The largest element of each row, v = e^(x - top), and its sum.
template <int kVectors>
HWY_INLINE void exponentials_of(const ShortRows<float, kVectors>& g, const float* const (&x)[kShortRows],
                                typename ShortRows<float, kVectors>::Vectors& v, float (&top)[kShortRows],
                                float (&total)[kShortRows]) {
  g.load(x, v);
  g.pad(v, -std::numeric_limits<float>::infinity());
  g.fold(v, LargestLane(), top);
  g.each(top, v, [](auto a, auto t) HWY_ATTR { return hn::Sub(a, t); });
  g.map(v, v, [&](auto a) HWY_ATTR { return Exp(g.d, a); });
  g.fold(v, AddLanes(), total);
}

// The sums of at most kTogether rows of kVectors vectors, `step` bytes apart.
template <int kVectors>
HWY_INLINE void log_sums_of_vectors(const char* x, int64_t step, int64_t count, int64_t n, LogSum* sums) {
  const ShortRows<float, kVectors> g(n);
  HWY_ALIGN double totals[kTogether + HWY_MAX_BYTES / sizeof(double)];
  std::fill(totals + count, std::end(totals), 1.0);
  for (int64_t first = 0; first < count; first += kShortRows) {
    const float* row[kShortRows];
    float top[kShortRows], total[kShortRows];
    typename ShortRows<float, kVectors>::Vectors v;
    for (int r = 0; r < kShortRows; ++r) {
      row[r] = reinterpret_cast<const float*>(x + std::min(first + r, count - 1) * step);
    }
    exponentials_of(g, row, v, top, total);
    for (int64_t r = 0; r < std::min<int64_t>(kShortRows, count - first); ++r) {
      sums[first + r].top = static_cast<double>(top[r]);
      totals[first + r] = static_cast<double>(total[r]);
    }
  }
  take_logarithms(totals, count);
  for (int64_t r = 0; r < count; ++r) sums[r].log_sum = totals[r];
}

template <typename T>
HWY_INLINE void log_sums_of_rows(const char* x, int64_t step, int64_t count, int64_t n, LogSum* sums) {
  FewClasses few;
  for (int64_t first = 0; first < count; first += lanes_of<double>()) {
    const int64_t rows = std::min(lanes_of<double>(), count - first);
    few.read<T>(x + first * step, step, rows, n);
    take_logarithms(few.totals, rows);
    for (int64_t r = 0; r < rows; ++r) sums[first + r] = {few.tops[r], few.totals[r]};
  }
}

// Whether rows of float32 are read as vectors.
template <typename T>
bool has_vectors(int64_t n) {
  return std::is_same_v<T, float> && n >= kFewClasses && n <= kMostVectors * lanes_of<float>();
}

template <typename T>
HWY_INLINE void log_sums_of(const char* x, int64_t step, int64_t count, int64_t n, LogSum* sums) {
  if constexpr (std::is_same_v<T, float>) {
    if (has_vectors<T>(n)) {
      return call_with_vectors<kMostVectors>((n + lanes_of<float>() - 1) / lanes_of<float>(), [&](auto vectors) {
        log_sums_of_vectors<vectors()>(x, step, count, n, sums);
      });
    }
  }
  log_sums_of_rows<T>(x, step, count, n, sums);
}

template <typename T>
void few_classes(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                 const void* params) {
  const auto& p = *static_cast<const CrossEntropyParams*>(params);
  const RowsOperands operands(2, p.has_weight ? 3 : 2, out, in, step);
  LogSum sums[kTogether];
  for (int64_t first = 0; first < rows; first += kTogether) {
    const int64_t count = std::min(kTogether, rows - first);
    log_sums_of<T>(operands.logits(first), operands.logits_step(), count, n, sums);
    for (int64_t r = 0; r < count; ++r) {
      void* o[2];
      const void* i[3];
      operands.at(first + r, o, i);
      write_index_loss<T>(o, i, n, p, sums[r]);
    }
  }
}

// The gradients of rows [begin, end), of which each is a lane.
template <typename T>
HWY_INLINE void gradients_of_rows(const RowsOperands& operands, int64_t begin, int64_t end, int64_t n,
                                  const CrossEntropyParams& p) {
  FewClasses few;
  void* out[1];
  const void* in[4];
  for (int64_t first = begin; first < end; first += lanes_of<double>()) {
    const int64_t rows = std::min(lanes_of<double>(), end - first);
    few.read<T>(operands.logits(first), operands.logits_step(), rows, n);
    for (int64_t r = 0; r < rows; ++r) {
      operands.at(first + r, out, in);
      const IndexGradient<T> gradient(out, in, n, p);
      const double factor = gradient.mass * gradient.g / few.totals[r];
      for (int64_t i = 0; i < n; ++i) gradient.dx[i] = static_cast<T>(few.e[i][r] * factor);
      gradient.finish(gradient.is_ignored ? 0 : few.e[gradient.target][r] / few.totals[r]);
    }
  }
}

// The gradients of rows [begin, end) of kVectors vectors.
template <int kVectors>
HWY_INLINE void gradients_of_vectors(const RowsOperands& operands, int64_t begin, int64_t end, int64_t n,
                                     const CrossEntropyParams& p) {
  const ShortRows<float, kVectors> g(n);
  const auto gradient_of = [&](int64_t row) HWY_ATTR {
    void* out[1];
    const void* in[4];
    operands.at(std::min(row, end - 1), out, in);
    return IndexGradient<float>(out, in, n, p);
  };
  for (int64_t first = begin; first < end; first += kShortRows) {
    const IndexGradient<float> gradients[] = {gradient_of(first), gradient_of(first + 1), gradient_of(first + 2),
                                              gradient_of(first + 3)};
    static_assert(kShortRows == 4);
    HWY_ALIGN float kept[kShortRows][size_t{kVectors} * HWY_MAX_BYTES / sizeof(float)];  // the exponentials
    const float* x[kShortRows];
    float *dx[kShortRows], *e[kShortRows], top[kShortRows], total[kShortRows], factor[kShortRows];
    typename ShortRows<float, kVectors>::Vectors v;
    for (int r = 0; r < kShortRows; ++r) {
      x[r] = reinterpret_cast<const float*>(operands.logits(std::min(first + r, end - 1)));
      dx[r] = gradients[r].dx;
      e[r] = kept[r];
    }
    exponentials_of(g, x, v, top, total);
    g.store(v, e);
    for (int r = 0; r < kShortRows; ++r) {
      factor[r] = static_cast<float>(gradients[r].mass * gradients[r].g / static_cast<double>(total[r]));
    }
    g.each(factor, v, [](auto a, auto f) HWY_ATTR { return hn::Mul(a, f); });
    g.store(v, dx);
    for (int r = 0; r < std::min<int64_t>(kShortRows, end - first); ++r) {
      const int64_t target = gradients[r].is_ignored ? 0 : gradients[r].target;
      gradients[r].finish(static_cast<double>(kept[r][target]) / static_cast<double>(total[r]));
    }
  }
}

template <typename T>
void few_classes_backward(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                          const void* params) {
  const auto& p = *static_cast<const CrossEntropyParams*>(params);
  const RowsOperands operands(1, p.has_weight ? 4 : 3, out, in, step);
  if constexpr (std::is_same_v<T, float>) {
    if (has_vectors<T>(n)) {
      return call_with_vectors<kMostVectors>((n + lanes_of<float>() - 1) / lanes_of<float>(), [&](auto vectors) {
        gradients_of_vectors<vectors()>(operands, 0, rows, n, p);
      });
    }
  }
  gradients_of_rows<T>(operands, 0, rows, n, p);
}

RowsFn GetFewClasses(CrossEntropyOp op, diopiDtype_t dtype) {
  const bool is_float = dtype == diopi_dtype_float32;
  if (op == CrossEntropyOp::kIndexBackward)
    return is_float ? few_classes_backward<float> : few_classes_backward<double>;
  if (op == CrossEntropyOp::kIndex) return is_float ? few_classes<float> : few_classes<double>;
  return nullptr;
}

int64_t GetMostOfFewClasses(diopiDtype_t dtype) {
  return std::max(kFewClasses, dtype == diopi_dtype_float32 ? kMostVectors * lanes_of<float>() : 0);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(GetFewClasses);
HWY_EXPORT(GetMostOfFewClasses);

void set_cross_entropy_of_few_classes(CrossEntropyOp op, diopiDtype_t dtype, RowKernel* kernel) {
  kernel->rows = HWY_DYNAMIC_DISPATCH(GetFewClasses)(op, dtype);
  kernel->most_of_rows = HWY_DYNAMIC_DISPATCH(GetMostOfFewClasses)(dtype);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
