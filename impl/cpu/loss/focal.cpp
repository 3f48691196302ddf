// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/loss/focal.hpp"

#include <cfloat>
#include <cmath>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/loss/focal.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/math/logistic-inl.h"
#include "impl/cpu/math/power-inl.h"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The losses of a class and of the background for logits, or the gradients, without the weight of the class.
template <typename T>
class SigmoidFocalTerms {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

 public:
  SigmoidFocalTerms(const FocalParams& p, bool backward) : gamma_(p.gamma), alpha_(p.alpha), backward_(backward) {}

  // With y = x for the background and -x for the class of the sample: p = sigmoid(y), c = 1 - p, log(c) at least the
  // logarithm of the least normal float.
  HWY_INLINE V background(V x) const { return terms(x, 1 - alpha_); }
  HWY_INLINE V foreground(V x) const {
    const V value = terms(hn::Neg(x), alpha_);
    return backward_ ? hn::Neg(value) : value;
  }

 private:
  HWY_INLINE V terms(V y, double share) const {
    const D d;
    const V zero = hn::Zero(d), floor = hn::Set(d, static_cast<T>(-87.33654475055310898657));
    const Logistic<V> at_y = LogisticOf(d, y);
    const V p = at_y.sigmoid, positive = hn::IfThenElse(hn::Gt(y, zero), y, zero);
    const V exact = hn::Neg(hn::Add(positive, at_y.log_term));
    const V log_c = hn::IfThenElse(hn::Lt(exact, floor), floor, exact);
    const V scale = hn::Mul(hn::Set(d, static_cast<T>(-share)), power(p));
    if (!backward_) return hn::Mul(scale, log_c);
    const V c = at_y.complement, gamma = hn::Set(d, static_cast<T>(gamma_));
    return hn::Mul(scale, hn::Sub(hn::Mul(hn::Mul(gamma, c), log_c), p));
  }
  HWY_INLINE V power(V p) const {
    const D d;
    if (gamma_ == 2) return hn::Mul(p, p);
    if (gamma_ == 0) return hn::Set(d, T(1));
    return gamma_ == 1 ? p : Pow(d, p, hn::Set(d, static_cast<T>(gamma_)));
  }

  double gamma_, alpha_;
  bool backward_;
};

template <typename S, bool kBackward>
void sigmoid_focal_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  using T = ComputeOf<S>;
  const auto& p = *static_cast<const FocalParams*>(params);
  const S* x = static_cast<const S*>(in[0]);
  S* y = static_cast<S*>(out[0]);
  const int64_t target = *static_cast<const int64_t*>(in[1]);
  const bool has_class = target >= 0 && target < n;
  const auto weight = hn::Set(TagOf<S>(), static_cast<T>(p.weight != nullptr && has_class ? p.weight[target] : 1));
  const SigmoidFocalTerms<T> terms(p, kBackward);
  // The output may be the same array as the input.
  const auto own = has_class ? load_some(x + target, 1) : hn::Zero(TagOf<S>());
  for_vectors<S>(
      n, [&](int64_t i, auto load, auto store, auto) { store(hn::Mul(terms.background(load(x + i)), weight), y + i); });
  if (has_class) store_some(hn::Mul(terms.foreground(own), weight), y + target, 1);
}

// 1 - p and max(p, FLT_MIN) of the probability of a class.
struct ClassProbability {
  double p, rest, log;
  explicit ClassProbability(double probability)
      : p(probability), rest(1 - probability), log(std::log(probability < FLT_MIN ? FLT_MIN : probability)) {}
};

template <typename S>
double probability_at(const S* x, int64_t i) {
  return static_cast<double>(hn::GetLane(load_some(x + i, 1)));
}

void SoftmaxFocalLosses(const FocalParams& params, const OwnProbabilities& own, double* loss) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  static_assert(OwnProbabilities::kMost % (HWY_MAX_BYTES / sizeof(double)) == 0, "blocks are whole vectors");
  const auto one = hn::Set(d, 1.0), gamma = hn::Set(d, params.gamma), least = hn::Set(d, FLT_MIN);
  for (int64_t i = 0; i < own.count; i += lanes) {
    const auto p = hn::LoadU(d, own.probability + i), rest = hn::Sub(one, p);
    const auto log = Log(d, hn::IfThenElse(hn::Lt(p, least), least, p));
    auto power = hn::Mul(rest, rest);
    if (params.gamma != 2) power = Pow(d, rest, gamma);
    const auto value = hn::Mul(hn::Mul(hn::Mul(hn::Set(d, -params.alpha), power), log), hn::LoadU(d, own.weight + i));
    hn::StoreU(hn::IfThenElseZero(hn::Ne(hn::LoadU(d, own.exists + i), hn::Zero(d)), value), d, loss + i);
  }
}

template <typename S>
void softmax_focal_backward_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const auto& p = *static_cast<const FocalParams*>(params);
  const S* x = static_cast<const S*>(in[0]);
  S* dx = static_cast<S*>(out[0]);
  const int64_t target = *static_cast<const int64_t*>(in[1]);
  if (target < 0 || target >= n) {
    for_vectors<S>(n, [&](int64_t i, auto, auto store, auto) { store(hn::Zero(d), dx + i); });
    *static_cast<T*>(out[1]) = 0;
    return;
  }
  const ClassProbability own(probability_at(x, target));
  const double change = p.gamma * std::pow(own.rest, p.gamma - 1) * own.p * own.log;
  const double weight = p.weight != nullptr ? p.weight[target] : 1;
  const double slope = weight * p.alpha * (change - std::pow(own.rest, p.gamma));
  const auto slope_v = hn::Set(d, static_cast<T>(-slope));
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) { store(hn::Mul(slope_v, load(x + i)), dx + i); });
  store_some(hn::Set(d, static_cast<T>(slope * own.rest)), dx + target, 1);
  *static_cast<T*>(out[1]) = static_cast<T>(slope);
}

RowFn GetSigmoidFocal(diopiDtype_t dtype, bool backward) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [backward](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return backward ? sigmoid_focal_row<S, true> : sigmoid_focal_row<S, false>;
  });
}
RowFn GetSoftmaxFocalBackward(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return softmax_focal_backward_row<diopi::tagged<decltype(tag)> >; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetSigmoidFocal);
HWY_EXPORT(SoftmaxFocalLosses);
HWY_EXPORT(GetSoftmaxFocalBackward);

RowFn sigmoid_focal_kernel(diopiDtype_t dtype, bool backward) {
  return HWY_DYNAMIC_DISPATCH(GetSigmoidFocal)(dtype, backward);
}
void softmax_focal_losses(const FocalParams& params, const OwnProbabilities& own, double* loss) {
  HWY_DYNAMIC_DISPATCH(SoftmaxFocalLosses)(params, own, loss);
}
RowFn softmax_focal_backward_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSoftmaxFocalBackward)(dtype); }
}  // namespace impl::cpu
#endif
