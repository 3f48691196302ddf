// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/loss/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/loss/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/math/exp-inl.h"
#include "impl/cpu/math/log-inl.h"
#include "impl/cpu/math/logistic-inl.h"
#include "impl/cpu/math/power-inl.h"
#include "impl/cpu/simd/row_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// out[i] = op(d, v), where v[k] is the vector of input k at i.
template <class Op, typename T>
void loss_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto& p = *static_cast<const LossParams*>(params);
  const Op op(p);
  T* o = static_cast<T*>(out[0]);
  const T* x[Op::kInputs];
  for (int k = 0; k < Op::kInputs; ++k) x[k] = static_cast<const T*>(in[k]);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    V v[Op::kInputs];
    for (int k = 0; k < Op::kInputs; ++k) v[k] = hn::LoadU(d, x[k] + i);
    hn::StoreU(op(d, v), d, o + i);
  }
  if (i < n) {
    const auto count = static_cast<size_t>(n - i);
    V v[Op::kInputs];
    for (int k = 0; k < Op::kInputs; ++k) v[k] = load_n(d, x[k] + i, count);
    store_n(op(d, v), d, o + i, count);
  }
}

template <class D>
HWY_INLINE hn::Vec<D> constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

struct Mse {
  static constexpr int kInputs = 2;
  explicit Mse(const LossParams&) {}
  template <class D, class V>
  V operator()(D, const V* v) const {
    const V delta = hn::Sub(v[0], v[1]);
    return hn::Mul(delta, delta);
  }
};

struct MseBackward {
  static constexpr int kInputs = 3;
  double factor;
  explicit MseBackward(const LossParams& p) : factor(2 * p.scale) {}
  template <class D, class V>
  V operator()(D d, const V* v) const {
    return hn::Mul(hn::Mul(constant(d, factor), hn::Sub(v[1], v[2])), v[0]);
  }
};

// The smooth L1 loss. With beta = 0 it is the absolute difference.
struct SmoothL1 {
  static constexpr int kInputs = 2;
  double beta;
  explicit SmoothL1(const LossParams& p) : beta(p.beta) {}
  template <class D, class V>
  V operator()(D d, const V* v) const {
    const V distance = hn::Abs(hn::Sub(v[0], v[1])), half = constant(d, 0.5), b = constant(d, beta);
    const V inside = hn::Div(hn::Mul(hn::Mul(half, distance), distance), b);
    return hn::IfThenElse(hn::Lt(distance, b), inside, hn::Sub(distance, hn::Mul(half, b)));
  }
};

struct SmoothL1Backward {
  static constexpr int kInputs = 3;
  double beta, scale;
  explicit SmoothL1Backward(const LossParams& p) : beta(p.beta), scale(p.scale) {}
  template <class D, class V>
  V operator()(D d, const V* v) const {
    const V delta = hn::Sub(v[1], v[2]), b = constant(d, beta), zero = hn::Zero(d);
    const V sign = hn::IfThenElse(hn::Eq(delta, zero), zero, hn::CopySign(constant(d, 1), delta));
    const V outside = hn::IfThenElse(hn::IsNaN(delta), delta, sign);
    const V slope = hn::IfThenElse(hn::Lt(hn::Abs(delta), b), hn::Div(delta, b), outside);
    return hn::Mul(hn::Mul(slope, v[0]), constant(d, scale));
  }
};

// Binary cross entropy. Logarithms are at least -100, so that a certain but wrong prediction has a finite loss.
struct Bce {
  static constexpr int kInputs = 3;
  explicit Bce(const LossParams&) {}
  template <class D, class V>
  static V bounded(D d, V log) {
    const V floor = constant(d, -100);
    return hn::IfThenElse(hn::Lt(log, floor), floor, log);
  }
  template <class D, class V>
  V operator()(D d, const V* v) const {
    const V hit = hn::Mul(v[1], bounded(d, Log(d, v[0])));
    const V miss = hn::Mul(hn::Sub(v[1], constant(d, 1)), bounded(d, Log1p(d, hn::Neg(v[0]))));
    return hn::Mul(hn::Sub(miss, hit), v[2]);
  }
};

struct BceBackward {
  static constexpr int kInputs = 4;
  double scale;
  explicit BceBackward(const LossParams& p) : scale(p.scale) {}
  template <class D, class V>
  V operator()(D d, const V* v) const {
    const V variance = hn::Mul(hn::Sub(constant(d, 1), v[1]), v[1]), floor = constant(d, 1e-12);
    const V bounded = hn::IfThenElse(hn::Lt(variance, floor), floor, variance);
    const V slope = hn::Div(hn::Sub(v[1], v[2]), bounded);
    return hn::Mul(hn::Mul(hn::Mul(slope, v[0]), v[3]), constant(d, scale));
  }
};

// Binary cross entropy with logits: (1 - t) x + (1 + (p - 1) t) (log(1 + e^-|x|) + max(-x, 0)).
struct BceWithLogits {
  static constexpr int kInputs = 4;
  explicit BceWithLogits(const LossParams&) {}
  template <class D, class V>
  V operator()(D d, const V* v) const {
    const V one = constant(d, 1), zero = hn::Zero(d);
    const V x = v[0], t = v[1];
    const V negative = hn::IfThenElse(hn::Lt(x, zero), hn::Neg(x), zero);
    const V softplus = hn::Add(Log1p(d, Exp(d, hn::Neg(hn::Abs(x)))), negative);
    const V weight = hn::Add(one, hn::Mul(hn::Sub(v[3], one), t));
    return hn::Mul(hn::Add(hn::Mul(hn::Sub(one, t), x), hn::Mul(weight, softplus)), v[2]);
  }
};

struct BceWithLogitsBackward {
  static constexpr int kInputs = 5;
  double scale;
  explicit BceWithLogitsBackward(const LossParams& p) : scale(p.scale) {}
  template <class D, class V>
  V operator()(D d, const V* v) const {
    const V weighted = hn::Mul(v[4], v[2]);
    const V mass = hn::Add(hn::Sub(weighted, v[2]), constant(d, 1));
    const V slope = hn::Sub(hn::Mul(mass, Sigmoid(d, v[1])), weighted);
    return hn::Mul(hn::Mul(hn::Mul(slope, v[0]), v[3]), constant(d, scale));
  }
};

// The terms of a focal loss: s = sigmoid(x), c = 1 - s, e is the cross entropy, q = 1 - the probability of the class.
template <class D, class V = hn::Vec<D>>
struct FocalTerms {
  V s, c, e, q, a;
  HWY_INLINE FocalTerms(D d, V x, V t, double alpha) {
    const V one = constant(d, 1), zero = hn::Zero(d), rest = hn::Sub(one, t);
    const Logistic<V> at_x = LogisticOf(d, x);
    s = at_x.sigmoid;
    c = at_x.complement;
    const V large = hn::IfThenElse(hn::Gt(x, zero), hn::Mul(rest, x), hn::Mul(t, hn::Neg(x)));
    e = hn::Add(large, at_x.log_term);
    q = hn::Add(hn::Mul(s, rest), hn::Mul(c, t));
    a = alpha < 0 ? one : hn::Add(hn::Mul(constant(d, alpha), t), hn::Mul(constant(d, 1 - alpha), rest));
  }
};

// q^exponent; the usual exponents need no power.
template <class D, class V>
HWY_INLINE V focal_power(D d, V q, double exponent) {
  if (exponent == 2) return hn::Mul(q, q);
  if (exponent == 1) return q;
  return exponent == 0 ? constant(d, 1) : Pow(d, q, constant(d, exponent));
}

struct SigmoidFocal {
  static constexpr int kInputs = 2;
  double alpha, gamma;
  explicit SigmoidFocal(const LossParams& p) : alpha(p.alpha), gamma(p.gamma) {}
  template <class D, class V>
  V operator()(D d, const V* v) const {
    const FocalTerms<D> f(d, v[0], v[1], alpha);
    return hn::Mul(hn::Mul(f.a, focal_power(d, f.q, gamma)), f.e);
  }
};

struct SigmoidFocalBackward {
  static constexpr int kInputs = 3;
  double alpha, gamma, scale;
  explicit SigmoidFocalBackward(const LossParams& p) : alpha(p.alpha), gamma(p.gamma), scale(p.scale) {}
  template <class D, class V>
  V operator()(D d, const V* v) const {
    const V t = v[2], one = constant(d, 1);
    const FocalTerms<D> f(d, v[1], t, alpha);
    const V distance = hn::Sub(hn::Mul(f.s, hn::Sub(one, t)), hn::Mul(f.c, t));  // s - t
    V slope = hn::Mul(focal_power(d, f.q, gamma), distance);
    if (gamma != 0) {
      const V change = hn::Mul(hn::Mul(f.s, f.c), f.e);
      const V side = hn::Sub(hn::Add(t, t), one);
      const V product = hn::Mul(hn::Mul(constant(d, gamma), focal_power(d, f.q, gamma - 1)), hn::Mul(side, change));
      slope = hn::Sub(slope, hn::IfThenZeroElse(hn::Eq(change, hn::Zero(d)), product));
    }
    return hn::Mul(hn::Mul(hn::Mul(slope, f.a), v[0]), constant(d, scale));
  }
};

template <typename T>
BlockFn block_of(LossOp op) {
  switch (op) {
    case LossOp::kMse:
      return loss_block<Mse, T>;
    case LossOp::kMseBackward:
      return loss_block<MseBackward, T>;
    case LossOp::kSmoothL1:
      return loss_block<SmoothL1, T>;
    case LossOp::kSmoothL1Backward:
      return loss_block<SmoothL1Backward, T>;
    case LossOp::kBce:
      return loss_block<Bce, T>;
    case LossOp::kBceBackward:
      return loss_block<BceBackward, T>;
    case LossOp::kBceWithLogits:
      return loss_block<BceWithLogits, T>;
    case LossOp::kBceWithLogitsBackward:
      return loss_block<BceWithLogitsBackward, T>;
    case LossOp::kSigmoidFocal:
      return loss_block<SigmoidFocal, T>;
    case LossOp::kSigmoidFocalBackward:
      return loss_block<SigmoidFocalBackward, T>;
  }
  return nullptr;
}

BlockFn GetLoss(LossOp op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float32) return block_of<float>(op);
  return dtype == diopi_dtype_float64 ? block_of<double>(op) : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetLoss);

BlockFn loss_kernel(LossOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetLoss)(op, dtype); }
}  // namespace impl::cpu
#endif
