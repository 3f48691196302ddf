// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/loss/cross_entropy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/loss/cross_entropy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/simd/row_sums-inl.h"
#include "impl/cpu/simd/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kFewClasses = 16;  // rows of so many are computed together, each in a lane of vectors

// The logarithm of the softmax's denominator, in two parts: log p[i] = x[i] - top - log_sum.
struct LogSum {
  double top;
  double log_sum;
};

template <typename T>
LogSum log_sum_exp(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const T top = fold<ExtremumOp<true>>(x, n);
  const auto top_v = hn::Set(d, top);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), whole = n - n % lanes;
  double total = sum_terms<T>(
      whole, [&](int64_t i) { return Exp(d, hn::Sub(hn::LoadU(d, x + i), top_v)); }, [](int64_t) { return T(0); });
  if (whole < n) {
    const auto rest = Exp(d, hn::Sub(load_some(x + whole, n - whole), top_v));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, keep_some<T>(rest, n - whole))));
  }
  return {static_cast<double>(top), std::log(total)};
}

template <typename T>
double log_probability(const T* x, int64_t i, const LogSum& z) {
  return static_cast<double>(x[i]) - z.top - z.log_sum;
}

// Returns the sum of weight * log p over all classes.
template <typename T>
double weighted_log_sum(const T* x, const T* weight, int64_t n, const LogSum& z) {
  double total = 0;
  for (int64_t i = 0; i < n; ++i) {
    total += (weight != nullptr ? static_cast<double>(weight[i]) : 1.0) * log_probability(x, i, z);
  }
  return total;
}

// Writes the loss of one sample and the weight of its target.
template <typename T>
void write_index_loss(void* const* out, const void* const* in, int64_t n, const CrossEntropyParams& p,
                      const LogSum& z) {
  const T* x = static_cast<const T*>(in[0]);
  const int64_t target = *static_cast<const int64_t*>(in[1]);
  const T* weight = p.has_weight ? static_cast<const T*>(in[2]) : nullptr;
  double *loss = static_cast<double*>(out[0]), *target_weight = static_cast<double*>(out[1]);
  *loss = *target_weight = 0;
  if (target == p.ignore_index) return;
  const double w = weight != nullptr ? static_cast<double>(weight[target]) : 1.0;
  *target_weight = w;
  *loss = -(1 - p.label_smoothing) * w * log_probability(x, target, z);
  if (p.label_smoothing != 0) {
    *loss -= p.label_smoothing / static_cast<double>(n) * weighted_log_sum(x, weight, n, z);
  }
}

template <typename T>
void index_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& p = *static_cast<const CrossEntropyParams*>(params);
  const bool ignored = *static_cast<const int64_t*>(in[1]) == p.ignore_index;
  write_index_loss<T>(out, in, n, p, ignored ? LogSum{0, 0} : log_sum_exp(static_cast<const T*>(in[0]), n));
}

// The sums of `count` rows of n <= kFewClasses elements, `step` bytes apart: each row is a lane.
template <typename T>
HWY_INLINE void log_sums_of_rows(const char* x, int64_t step, int64_t count, int64_t n, LogSum* sums) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN double column[kFewClasses][HWY_MAX_BYTES / sizeof(double)] = {};
  HWY_ALIGN double tops[HWY_MAX_BYTES / sizeof(double)], logs[HWY_MAX_BYTES / sizeof(double)];
  for (int64_t first = 0; first < count; first += lanes) {
    const int64_t rows = std::min(lanes, count - first);
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = reinterpret_cast<const T*>(x + (first + r) * step);
      for (int64_t i = 0; i < n; ++i) column[i][r] = static_cast<double>(row[i]);
    }
    auto top = hn::Load(d, column[0]), total = hn::Zero(d);
    for (int64_t i = 1; i < n; ++i) top = hn::Max(top, hn::Load(d, column[i]));
    for (int64_t i = 0; i < n; ++i) total = hn::Add(total, Exp(d, hn::Sub(hn::Load(d, column[i]), top)));
    hn::Store(top, d, tops);
    hn::Store(Log(d, total), d, logs);
    for (int64_t r = 0; r < rows; ++r) sums[first + r] = {tops[r], logs[r]};
  }
}

// Replaces `count` numbers, and up to a vector of those that follow, by their logarithms or exponentials.
HWY_INLINE void take_logarithms(double* x, int64_t count) {
  const hn::ScalableTag<double> d;
  for (int64_t i = 0; i < count; i += lanes_of<double>()) hn::Store(Log(d, hn::Load(d, x + i)), d, x + i);
}
HWY_INLINE void take_exponentials(double* x, int64_t count) {
  const hn::ScalableTag<double> d;
  for (int64_t i = 0; i < count; i += lanes_of<double>()) hn::Store(Exp(d, hn::Load(d, x + i)), d, x + i);
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
    g.load(row, v);
    g.pad(v, -std::numeric_limits<float>::infinity());
    g.fold(v, LargestLane(), top);
    g.each(top, v, [](auto a, auto t) HWY_ATTR { return hn::Sub(a, t); });
    g.map(v, v, [&](auto a) HWY_ATTR { return Exp(g.d, a); });
    g.fold(v, AddLanes(), total);
    for (int64_t r = 0; r < std::min<int64_t>(kShortRows, count - first); ++r) {
      sums[first + r].top = static_cast<double>(top[r]);
      totals[first + r] = static_cast<double>(total[r]);
    }
  }
  take_logarithms(totals, count);
  for (int64_t r = 0; r < count; ++r) sums[r].log_sum = totals[r];
}

template <typename T>
HWY_INLINE void log_sums_of(const char* x, int64_t step, int64_t count, int64_t n, LogSum* sums) {
  if constexpr (std::is_same_v<T, float>) {
    if (n >= kFewClasses && n <= kMostVectors * lanes_of<float>()) {
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

// The gradient is dx = (p mass - share of the class) g, where mass is the sum of all shares and g the gradient of the
// loss. This function writes the first term, p mass g.
template <typename T>
void write_gradient(T* dx, const T* x, int64_t n, const LogSum& z, double mass_times_g) {
  const hn::ScalableTag<T> d;
  const auto top = hn::Set(d, static_cast<T>(z.top)), log_sum = hn::Set(d, static_cast<T>(z.log_sum));
  const auto factor = hn::Set(d, static_cast<T>(mass_times_g));
  for_vectors<T>(n, [&](int64_t i, auto load, auto store, auto) HWY_ATTR {
    store(hn::Mul(Exp(d, hn::Sub(hn::Sub(load(x + i), top), log_sum)), factor), dx + i);
  });
}

// Writes the gradient of one sample. `probability` is that of its target.
template <typename T>
void write_index_gradient(void* const* out, const void* const* in, int64_t n, const CrossEntropyParams& p,
                          const LogSum& z, double probability) {
  const T* x = static_cast<const T*>(in[0]);
  const int64_t target = *static_cast<const int64_t*>(in[1]);
  const double g = static_cast<double>(*static_cast<const T*>(in[2])) * p.scale;
  const T* weight = p.has_weight ? static_cast<const T*>(in[3]) : nullptr;
  T* dx = static_cast<T*>(out[0]);
  if (target == p.ignore_index) {
    std::fill_n(dx, n, T(0));
    return;
  }
  const double w = (1 - p.label_smoothing) * (weight != nullptr ? static_cast<double>(weight[target]) : 1.0);
  const double share = p.label_smoothing / static_cast<double>(n);
  // Without smoothing, the weights of other classes have no effect, even if they are NaN.
  const double mass = share == 0 ? w : w + share * (weight != nullptr ? p.weight_sum : static_cast<double>(n));
  // For a good prediction, the gradient of the target is a difference of nearly equal numbers: it is computed in
  // double.
  const double own = mass * probability - w;
  write_gradient(dx, x, n, z, mass * g);
  dx[target] = static_cast<T>(own * g);
  if (share != 0) {
    for (int64_t i = 0; i < n; ++i) {
      dx[i] = static_cast<T>(static_cast<double>(dx[i]) -
                             share * g * (weight != nullptr ? static_cast<double>(weight[i]) : 1.0));
    }
  }
}

template <typename T>
void index_backward_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& p = *static_cast<const CrossEntropyParams*>(params);
  const T* x = static_cast<const T*>(in[0]);
  const int64_t target = *static_cast<const int64_t*>(in[1]);
  if (target == p.ignore_index) return write_index_gradient<T>(out, in, n, p, {}, 0);
  const LogSum z = log_sum_exp(x, n);
  write_index_gradient<T>(out, in, n, p, z, std::exp(log_probability(x, target, z)));
}

// The same for few classes.
template <typename T>
void few_classes_backward(void* const* out, const void* const* in, const int64_t* step, int64_t n, int64_t rows,
                          const void* params) {
  const auto& p = *static_cast<const CrossEntropyParams*>(params);
  const RowsOperands operands(1, p.has_weight ? 4 : 3, out, in, step);
  LogSum sums[kTogether];
  HWY_ALIGN double probabilities[kTogether + HWY_MAX_BYTES / sizeof(double)] = {};
  void* o[1];
  const void* i[4];
  for (int64_t first = 0; first < rows; first += kTogether) {
    const int64_t count = std::min(kTogether, rows - first);
    log_sums_of<T>(operands.logits(first), operands.logits_step(), count, n, sums);
    for (int64_t r = 0; r < count; ++r) {
      operands.at(first + r, o, i);
      const int64_t target = *static_cast<const int64_t*>(i[1]);
      const bool ignored = target == p.ignore_index;
      probabilities[r] = ignored ? 0 : log_probability(static_cast<const T*>(i[0]), target, sums[r]);
    }
    take_exponentials(probabilities, count);
    for (int64_t r = 0; r < count; ++r) {
      operands.at(first + r, o, i);
      write_index_gradient<T>(o, i, n, p, sums[r], probabilities[r]);
    }
  }
}

// Returns the share of class i: weight * smoothed probability.
template <typename T>
double class_share(const T* target, const T* weight, int64_t i, int64_t n, double smoothing) {
  const double t = static_cast<double>(target[i]) * (1 - smoothing) + smoothing / static_cast<double>(n);
  return weight != nullptr ? t * static_cast<double>(weight[i]) : t;
}

template <typename T>
void probability_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& p = *static_cast<const CrossEntropyParams*>(params);
  const T* x = static_cast<const T*>(in[0]);
  const T* target = static_cast<const T*>(in[1]);
  const T* weight = p.has_weight ? static_cast<const T*>(in[2]) : nullptr;
  const LogSum z = log_sum_exp(x, n);
  double total = 0;
  for (int64_t i = 0; i < n; ++i) {
    total -= class_share(target, weight, i, n, p.label_smoothing) * log_probability(x, i, z);
  }
  *static_cast<double*>(out[0]) = total;
}

template <typename T>
void probability_backward_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& p = *static_cast<const CrossEntropyParams*>(params);
  const T* x = static_cast<const T*>(in[0]);
  const T* target = static_cast<const T*>(in[1]);
  const double g = static_cast<double>(*static_cast<const T*>(in[2])) * p.scale;
  const T* weight = p.has_weight ? static_cast<const T*>(in[3]) : nullptr;
  T* dx = static_cast<T*>(out[0]);
  const LogSum z = log_sum_exp(x, n);
  double mass = 0;
  for (int64_t i = 0; i < n; ++i) mass += class_share(target, weight, i, n, p.label_smoothing);
  for (int64_t i = 0; i < n; ++i) {
    const double share = class_share(target, weight, i, n, p.label_smoothing);
    dx[i] = static_cast<T>((mass * std::exp(log_probability(x, i, z)) - share) * g);
  }
}

template <typename T>
RowFn row_of(CrossEntropyOp op) {
  switch (op) {
    case CrossEntropyOp::kIndex:
      return index_row<T>;
    case CrossEntropyOp::kIndexBackward:
      return index_backward_row<T>;
    case CrossEntropyOp::kProbability:
      return probability_row<T>;
    case CrossEntropyOp::kProbabilityBackward:
      return probability_backward_row<T>;
  }
  return nullptr;
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

RowFn GetCrossEntropy(CrossEntropyOp op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return row_of<float>(op);
  return dtype == diopi_dtype_float64 ? row_of<double>(op) : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetCrossEntropy);
HWY_EXPORT(GetFewClasses);
HWY_EXPORT(GetMostOfFewClasses);

void set_cross_entropy(CrossEntropyOp op, diopiDtype_t dtype, RowKernel* kernel) {
  kernel->fn = HWY_DYNAMIC_DISPATCH(GetCrossEntropy)(op, dtype);
  kernel->rows = HWY_DYNAMIC_DISPATCH(GetFewClasses)(op, dtype);
  kernel->most_of_rows = HWY_DYNAMIC_DISPATCH(GetMostOfFewClasses)(dtype);
}

}  // namespace impl::cpu
#endif
