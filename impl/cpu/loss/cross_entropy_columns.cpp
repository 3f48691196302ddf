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

  // keep(i, j, e, store) is called with the exponentials of class i from column j on.
  template <class Keep>
  HWY_INLINE Denominators(const ClassColumns& c, Keep keep) {
    const TagOf<S> d;
    for (int64_t i = 0; i < c.classes; ++i) {
      const S* x = row_at<S>(c.x, i, c.x_step);
      for_vectors<S>(c.width, [&](int64_t j, auto load, auto, auto) HWY_ATTR {
        const auto v = load(x + j);
        hn::StoreU(i == 0 ? v : hn::Max(hn::LoadU(d, top.v + j), v), d, top.v + j);
      });
    }
    sum_columns<S>(c.classes, c.width, &total, [&](int64_t i, int64_t j, auto load, auto store) HWY_ATTR {
      const auto e = Exp(d, hn::Sub(load(row_at<S>(c.x, i, c.x_step) + j), hn::LoadU(d, top.v + j)));
      keep(i, j, e, store);
      return e;
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
  const Denominators<S> sums(c, [](int64_t, int64_t, auto, auto) {});
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

// The gradient of class i is w (p - 1) g for the target and w p g for the others, where w is the target's weight and g
// the gradient of the loss.
struct TargetTerms {
  PerColumn<double> w, g, e;        // e^(x - top) of the target
  PerColumn<double> factor, own{};  // w g / total, and the target's gradient

  HWY_INLINE void finish(const PerColumn<double>& total, int64_t width) {
    for_vectors<double>(width, [&](int64_t j, auto load, auto store, auto) HWY_ATTR {
      const auto weight = load(w.v + j), gradient = load(g.v + j), sum = load(total.v + j);
      store(hn::Div(hn::Mul(weight, gradient), sum), factor.v + j);
      // For a good prediction, this is a difference of nearly equal numbers: it is computed in double.
      const auto difference = hn::Sub(hn::Mul(weight, hn::Div(load(e.v + j), sum)), weight);
      store(hn::Mul(difference, gradient), own.v + j);
    });
  }
};

// The exponentials of all classes, kept until the denominators are known: in the gradient if its elements have the type
// of the computation, otherwise in memory of its own, if they are few enough.
template <typename S>
class KeptExponentials {
 public:
  using T = ComputeOf<S>;
  KeptExponentials(const ClassColumns& c, void* dx, int64_t dx_step) {
    const int64_t pitch = (c.width + lanes_of<S>() - 1) / lanes_of<S>() * lanes_of<S>();
    if (kInPlace) {
      rows_ = dx;
      step_ = dx_step;
    } else if (c.classes * pitch <= kRoom) {
      rows_ = room_;
      step_ = pitch * static_cast<int64_t>(sizeof(T));
    }
  }
  KeptExponentials(const KeptExponentials&) = delete;
  KeptExponentials& operator=(const KeptExponentials&) = delete;

  bool any() const { return rows_ != nullptr; }
  double at(int64_t i, int64_t j) const { return static_cast<double>(row_at<T>(rows_, i, step_)[j]); }
  // `store` and `load` move vectors of S, which may be only partly in a row.
  template <class Store>
  HWY_INLINE void keep(int64_t i, int64_t j, VecOf<S> e, Store store) const {
    if constexpr (kInPlace) {
      store(e, row_at<S>(rows_, i, step_) + j);
    } else if (any()) {
      hn::StoreU(e, TagOf<S>(), row_at<T>(rows_, i, step_) + j);
    }
  }
  template <class Load>
  HWY_INLINE VecOf<S> get(int64_t i, int64_t j, Load load) const {
    if constexpr (kInPlace) {
      return load(row_at<S>(rows_, i, step_) + j);
    } else {
      return hn::LoadU(TagOf<S>(), row_at<T>(rows_, i, step_) + j);
    }
  }

 private:
  static constexpr bool kInPlace = std::is_same_v<S, T>;
  static constexpr int64_t kRoom = kInPlace ? 1 : 1 << 13;
  void* rows_ = nullptr;
  int64_t step_ = 0;
  HWY_ALIGN T room_[kRoom];
};

// dx may be the same array as x.
template <typename S>
void gradient_columns(const ClassColumns& c, const double* g, int64_t g_step, double scale, void* dx, int64_t dx_step) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const KeptExponentials<S> kept(c, dx, dx_step);
  const Denominators<S> sums(c, [&](int64_t i, int64_t j, auto e, auto store) HWY_ATTR { kept.keep(i, j, e, store); });
  TargetTerms terms;
  for (int64_t j = 0; j < c.width; ++j) {
    const int64_t target = c.target[j];
    const bool ignored = target == c.ignore_index;
    terms.w.v[j] = ignored ? 0 : weight_of(c, target);
    terms.g.v[j] = ignored ? 0 : g[j * g_step] * scale;
    terms.e.v[j] = ignored ? 0 : kept.any() ? kept.at(target, j) : sums.distance(c, target, j);
  }
  if (!kept.any()) {
    for_vectors<double>(c.width, [&](int64_t j, auto load, auto store, auto)
                                     HWY_ATTR { store(Exp(TagOf<double>(), load(terms.e.v + j)), terms.e.v + j); });
  }
  terms.finish(sums.total, c.width);
  PerColumn<T> factor;
  for (int64_t j = 0; j < c.width; ++j) factor.v[j] = static_cast<T>(terms.factor.v[j]);
  if (kept.any()) {
    write_rows<S>(dx, dx_step, c.classes, c.width, [&](int64_t i, int64_t j, auto load) HWY_ATTR {
      return hn::Mul(kept.get(i, j, load), hn::LoadU(d, factor.v + j));
    });
  } else {
    write_rows<S>(dx, dx_step, c.classes, c.width, [&](int64_t i, int64_t j, auto load) HWY_ATTR {
      const auto distance = hn::Sub(load(row_at<S>(c.x, i, c.x_step) + j), hn::LoadU(d, sums.top.v + j));
      return hn::Mul(Exp(d, distance), hn::LoadU(d, factor.v + j));
    });
  }
  for (int64_t j = 0; j < c.width; ++j) {
    const int64_t target = c.target[j];
    if (target == c.ignore_index) {
      for (int64_t i = 0; i < c.classes; ++i) row_at<S>(dx, i, dx_step)[j] = static_cast<S>(T{0});
    } else {
      row_at<S>(dx, target, dx_step)[j] = static_cast<S>(static_cast<T>(terms.own.v[j]));
    }
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
