// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/loss/loss.hpp"

#include "impl/cuda/kernels/elementwise/real_functions.cuh"
#include "impl/cuda/kernels/loss/focal.cuh"
#include "impl/cuda/kernels/rows/pointwise.cuh"
#include "impl/cuda/kernels/rows/sum.cuh"

namespace impl::cuda {

namespace {

using diopi::LossOp;
using diopi::LossParams;

// T is the type in which numbers are computed. Logarithms are at least -100, so that a certain but wrong prediction
// has a finite loss.
template <typename T>
__device__ T bounded_log(T log) {
  return log < T(-100) ? T(-100) : log;
}

template <typename T>
__device__ T smooth_l1(T x, T t, T beta) {
  const T distance = std::fabs(x - t);
  return distance < beta ? T(0.5) * distance * distance / beta : distance - T(0.5) * beta;
}

template <typename T>
__device__ T smooth_l1_slope(T x, T t, T beta) {
  const T delta = x - t;
  if (delta != delta) return delta;
  if (std::fabs(delta) < beta) return delta / beta;
  return delta > T(0) ? T(1) : delta < T(0) ? T(-1) : T(0);
}

template <typename T>
__device__ T bce(T x, T t, T weight) {
  return ((t - T(1)) * bounded_log(std::log1p(-x)) - t * bounded_log(std::log(x))) * weight;
}

template <typename T>
__device__ T bce_slope(T x, T t) {
  const T variance = (T(1) - x) * x;
  return (x - t) / (variance < T(1e-12) ? T(1e-12) : variance);
}

template <typename T>
__device__ T bce_with_logits(T x, T t, T weight, T positive) {
  const T softplus = std::log1p(std::exp(-std::fabs(x))) + (x < T(0) ? -x : T(0));
  return ((T(1) - t) * x + (T(1) + (positive - T(1)) * t) * softplus) * weight;
}

template <typename T>
__device__ T bce_with_logits_slope(T x, T t, T positive) {
  const T weighted = positive * t;
  return (weighted - t + T(1)) * sigmoid(x) - weighted;
}

// s = sigmoid(x), c = 1 - s, e is the cross entropy, q = 1 - the probability of the class, a its weight.
template <typename T>
struct FocalTerms {
  T s, c, e, q, a;

  __device__ FocalTerms(T x, T t, T alpha) {
    s = sigmoid(x);
    c = sigmoid(-x);
    e = (x > T(0) ? (T(1) - t) * x : t * -x) + std::log1p(std::exp(-std::fabs(x)));
    q = s * (T(1) - t) + c * t;
    a = alpha < T(0) ? T(1) : alpha * t + (T(1) - alpha) * (T(1) - t);
  }
};

template <typename T>
__device__ T focal_slope(T x, T t, T alpha, T gamma) {
  const FocalTerms<T> f(x, t, alpha);
  T slope = focal_power(f.q, gamma) * (f.s * (T(1) - t) - f.c * t);
  const T change = f.s * f.c * f.e;
  if (gamma != T(0) && change != T(0)) slope -= gamma * focal_power(f.q, gamma - T(1)) * ((T(2) * t - T(1)) * change);
  return slope * f.a;
}

template <typename T>
__device__ T loss_of(LossOp op, const LossParams& p, const T* x) {
  const T scale = static_cast<T>(p.scale), beta = static_cast<T>(p.beta);
  const T alpha = static_cast<T>(p.alpha), gamma = static_cast<T>(p.gamma);
  switch (op) {
    case LossOp::kMse:
      return (x[0] - x[1]) * (x[0] - x[1]);
    case LossOp::kMseBackward:
      return T(2) * scale * (x[1] - x[2]) * x[0];
    case LossOp::kSmoothL1:
      return smooth_l1(x[0], x[1], beta);
    case LossOp::kSmoothL1Backward:
      return smooth_l1_slope(x[1], x[2], beta) * x[0] * scale;
    case LossOp::kBce:
      return bce(x[0], x[1], x[2]);
    case LossOp::kBceBackward:
      return bce_slope(x[1], x[2]) * x[0] * x[3] * scale;
    case LossOp::kBceWithLogits:
      return bce_with_logits(x[0], x[1], x[2], x[3]);
    case LossOp::kBceWithLogitsBackward:
      return bce_with_logits_slope(x[1], x[2], x[4]) * x[0] * x[3] * scale;
    case LossOp::kSigmoidFocal: {
      const FocalTerms<T> f(x[0], x[1], alpha);
      return f.a * focal_power(f.q, gamma) * f.e;
    }
    case LossOp::kSigmoidFocalBackward:
      return focal_slope(x[1], x[2], alpha, gamma) * x[0] * scale;
  }
  return T(0);
}

template <typename T>
struct Loss {
  static constexpr int kInputs = diopi::LossCall::kMaxInputs, kOutputs = 1;
  using Value = T;
  LossOp op;
  LossParams params;

  __device__ void operator()(const T* x, T* y) const { y[0] = loss_of(op, params, x); }
};

template <typename T>
struct LossSum {
  static constexpr int kInputs = diopi::LossCall::kMaxInputs, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = T;
  using Stored = diopi::TypeList<T>;  // its own kernel for others would take long to compile
  using Part = Sum<T>;
  using Running = Part;
  LossOp op;
  int mean;  // a bool would leave bytes of the parameter undefined
  LossParams params;

  __device__ Part identity() const { return Part{}; }
  __device__ Part start() const { return Part{}; }
  __device__ void add(Part* sum, const T* x, int64_t) const { sum->add(loss_of(op, params, x)); }
  __device__ Part close(const Part& sum) const { return sum; }
  __device__ void merge(Part* a, const Part& b) const { a->add(b); }
  template <class Write>
  __device__ void finish(const Part& a, int64_t length, const Write& write) const {
    write(0, mean != 0 ? a.value() / static_cast<T>(length) : a.value());
  }
};

}  // namespace

Status pointwise_loss(diopiContextHandle_t ctx, LossOp op, bool wide, const LossParams& params,
                      const PointwiseCall& call) {
  return wide ? run_pointwise(ctx, Loss<double>{op, params}, call) : run_pointwise(ctx, Loss<float>{op, params}, call);
}

Status fold_loss(diopiContextHandle_t ctx, LossOp op, bool wide, const LossParams& params, bool mean,
                 const FoldCall& call) {
  const int divides = mean ? 1 : 0;
  return wide ? run_fold(ctx, LossSum<double>{op, divides, params}, call)
              : run_fold(ctx, LossSum<float>{op, divides, params}, call);
}

}  // namespace impl::cuda
