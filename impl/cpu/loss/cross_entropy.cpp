// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/loss/cross_entropy.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/loss/cross_entropy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/loss/cross_entropy-inl.h"
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/simd/row_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The largest element of a row, and the sum of e^(x - top).
struct ExponentialSum {
  double top, total;
};

// keep(i, e, count) is called with the vectors of the exponentials, of which `count` are of the row.
template <typename T, class Keep>
HWY_INLINE ExponentialSum sum_exponentials(const T* x, int64_t n, const Keep& keep) {
  const hn::ScalableTag<T> d;
  const T top = fold<ExtremumOp<true>>(x, n);
  const auto top_v = hn::Set(d, top);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), whole = n - n % lanes;
  const auto term = [&](int64_t i) HWY_ATTR {
    const auto e = Exp(d, hn::Sub(hn::LoadU(d, x + i), top_v));
    keep(i, e, lanes);
    return e;
  };
  double total = sum_terms<T>(whole, term, [](int64_t) { return T(0); });
  if (whole < n) {
    const auto rest = Exp(d, hn::Sub(load_some(x + whole, n - whole), top_v));
    keep(whole, rest, n - whole);
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, keep_some<T>(rest, n - whole))));
  }
  return {static_cast<double>(top), total};
}

template <typename T>
LogSum log_sum_exp(const T* x, int64_t n) {
  const ExponentialSum sum = sum_exponentials(x, n, [](int64_t, auto, int64_t) {});
  return {sum.top, std::log(sum.total)};
}

template <typename T>
void index_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& p = *static_cast<const CrossEntropyParams*>(params);
  const bool ignored = *static_cast<const int64_t*>(in[1]) == p.ignore_index;
  write_index_loss<T>(out, in, n, p, ignored ? LogSum{0, 0} : log_sum_exp(static_cast<const T*>(in[0]), n));
}

// The gradient is dx = (p mass - share of the class) g, where mass is the sum of all shares and g the gradient of the
// loss. dx has the exponentials before it has the first term, p mass g. It may be the same array as x.
template <typename T>
void index_backward_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const IndexGradient<T> gradient(out, in, n, *static_cast<const CrossEntropyParams*>(params));
  if (gradient.is_ignored) return gradient.finish(0);
  const T* const x = static_cast<const T*>(in[0]);
  T* const dx = gradient.dx;
  const int64_t lanes = lanes_of<T>();
  const auto keep = [&](int64_t i, auto e, int64_t count)
                        HWY_ATTR { count == lanes ? store_vector(e, dx + i) : store_some(e, dx + i, count); };
  const ExponentialSum sum = sum_exponentials(x, n, keep);
  const auto of_target = static_cast<double>(dx[gradient.target]);
  const auto factor = hn::Set(TagOf<T>(), static_cast<T>(gradient.mass * gradient.g / sum.total));
  for_vectors<T>(
      n, [&](int64_t i, auto load, auto store, auto) HWY_ATTR { store(hn::Mul(load(dx + i), factor), dx + i); });
  gradient.finish(of_target / sum.total);
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

void set_cross_entropy(CrossEntropyOp op, diopiDtype_t dtype, RowKernel* kernel) {
  kernel->fn = HWY_DYNAMIC_DISPATCH(GetCrossEntropy)(op, dtype);
  set_cross_entropy_of_few_classes(op, dtype, kernel);
}

}  // namespace impl::cpu
#endif
