// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/loss/cross_entropy_columns.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/rows/row_engine.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/loss/cross_entropy_columns.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/simd/column_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The softmax's denominators, in two parts: p = e^(x - top) / total.
template <typename S>
struct Denominators {
  PerColumn<ComputeOf<S>> top;
  PerColumn<double> total;

  HWY_INLINE explicit Denominators(const ClassColumns& c) {
    const TagOf<S> d;
    for (int64_t i = 0; i < c.classes; ++i) {
      const S* x = row_at<S>(c.x, i, c.x_step);
      for_vectors<S>(c.width, [&](int64_t j, auto load, auto, auto) HWY_ATTR {
        const auto v = load(x + j);
        hn::StoreU(i == 0 ? v : hn::Max(hn::LoadU(d, top.v + j), v), d, top.v + j);
      });
    }
    sum_columns<S>(c.classes, c.width, &total, [&](int64_t i, int64_t j, auto load, auto) HWY_ATTR {
      return Exp(d, hn::Sub(load(row_at<S>(c.x, i, c.x_step) + j), hn::LoadU(d, top.v + j)));
    });
  }
  // x - top of class i.
  double distance(const ClassColumns& c, int64_t i, int64_t j) const {
    const auto x = static_cast<ComputeOf<S>>(row_at<S>(c.x, i, c.x_step)[j]);
    return static_cast<double>(x) - static_cast<double>(top.v[j]);
  }
};

HWY_INLINE double weight_of(const ClassColumns& c, int64_t target) {
  return c.weight != nullptr ? c.weight[target] : 1.0;
}

template <typename S>
void loss_columns(const ClassColumns& c, double* loss, double* target_weight) {
  const Denominators<S> sums(c);
  PerColumn<double> log_sum;
  for_vectors<double>(c.width, [&](int64_t j, auto load, auto store, auto)
                                   HWY_ATTR { store(Log(TagOf<double>(), load(sums.total.v + j)), log_sum.v + j); });
  for (int64_t j = 0; j < c.width; ++j) {
    const int64_t target = c.target[j];
    const bool ignored = target == c.ignore_index;
    target_weight[j] = ignored ? 0 : weight_of(c, target);
    loss[j] = ignored ? 0 : -target_weight[j] * (sums.distance(c, target, j) - log_sum.v[j]);
  }
}

template <typename S>
void gradient_columns(const ClassColumns& c, const double* g, int64_t g_step, double scale, void* dx, int64_t dx_step) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const Denominators<S> sums(c);
  PerColumn<T> factor;
  PerColumn<double> probability{};  // of the target
  for (int64_t j = 0; j < c.width; ++j) {
    const int64_t target = c.target[j];
    const bool ignored = target == c.ignore_index;
    factor.v[j] = ignored ? T{0} : static_cast<T>(weight_of(c, target) * g[j * g_step] * scale / sums.total.v[j]);
    probability.v[j] = ignored ? 0 : sums.distance(c, target, j);
  }
  for_vectors<double>(c.width, [&](int64_t j, auto load, auto store, auto) HWY_ATTR {
    store(hn::Div(Exp(TagOf<double>(), load(probability.v + j)), load(sums.total.v + j)), probability.v + j);
  });
  write_rows<S>(dx, dx_step, c.classes, c.width, [&](int64_t i, int64_t j, auto load) HWY_ATTR {
    const auto distance = hn::Sub(load(row_at<S>(c.x, i, c.x_step) + j), hn::LoadU(d, sums.top.v + j));
    return hn::Mul(Exp(d, distance), hn::LoadU(d, factor.v + j));
  });
  for (int64_t j = 0; j < c.width; ++j) {
    const int64_t target = c.target[j];
    if (target == c.ignore_index) {
      for (int64_t i = 0; i < c.classes; ++i) row_at<S>(dx, i, dx_step)[j] = static_cast<S>(T{0});
      continue;
    }
    // For a good prediction, this is a difference of nearly equal numbers: it is computed in double.
    const double w = weight_of(c, target), own = w * probability.v[j] - w;
    row_at<S>(dx, target, dx_step)[j] = static_cast<S>(static_cast<T>(own * (g[j * g_step] * scale)));
  }
}

LossColumnsFn GetLossColumns(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return loss_columns<diopi::tagged<decltype(tag)>>; });
}
LossGradientColumnsFn GetLossGradientColumns(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return gradient_columns<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetLossColumns);
HWY_EXPORT(GetLossGradientColumns);

LossColumnsFn loss_columns_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetLossColumns)(dtype); }
LossGradientColumnsFn loss_gradient_columns_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetLossGradientColumns)(dtype);
}
}  // namespace impl::cpu
#endif
