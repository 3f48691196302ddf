// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/loss/loss.hpp"

#include "impl/cuda/kernels/rows/pointwise.cuh"

namespace impl::cuda {

namespace {

using diopi::LossOp;
using diopi::LossParams;

// Logarithms are at least -100, so that a certain but wrong prediction has a finite loss.
__device__ double bounded_log(double log) { return log < -100 ? -100 : log; }

__device__ double smooth_l1(double x, double t, double beta) {
  const double distance = fabs(x - t);
  return distance < beta ? 0.5 * distance * distance / beta : distance - 0.5 * beta;
}

__device__ double smooth_l1_slope(double x, double t, double beta) {
  const double delta = x - t;
  if (delta != delta) return delta;
  if (fabs(delta) < beta) return delta / beta;
  return delta > 0 ? 1 : delta < 0 ? -1 : 0;
}

__device__ double bce(double x, double t, double weight) {
  return ((t - 1) * bounded_log(log1p(-x)) - t * bounded_log(log(x))) * weight;
}

__device__ double bce_slope(double x, double t) {
  const double variance = (1 - x) * x;
  return (x - t) / (variance < 1e-12 ? 1e-12 : variance);
}

__device__ double bce_with_logits(double x, double t, double weight, double positive) {
  const double softplus = log1p(exp(-fabs(x))) + (x < 0 ? -x : 0);
  return ((1 - t) * x + (1 + (positive - 1) * t) * softplus) * weight;
}

__device__ double sigmoid(double x) {
  const double e = exp(-fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

__device__ double bce_with_logits_slope(double x, double t, double positive) {
  const double weighted = positive * t;
  return (weighted - t + 1) * sigmoid(x) - weighted;
}

__device__ double focal_power(double q, double exponent) {
  if (exponent == 2) return q * q;
  if (exponent == 1) return q;
  return exponent == 0 ? 1 : pow(q, exponent);
}

// s = sigmoid(x), c = 1 - s, e is the cross entropy, q = 1 - the probability of the class, a its weight.
struct FocalTerms {
  double s, c, e, q, a;

  __device__ FocalTerms(double x, double t, double alpha) {
    s = sigmoid(x);
    c = sigmoid(-x);
    e = (x > 0 ? (1 - t) * x : t * -x) + log1p(exp(-fabs(x)));
    q = s * (1 - t) + c * t;
    a = alpha < 0 ? 1 : alpha * t + (1 - alpha) * (1 - t);
  }
};

__device__ double focal_slope(double x, double t, const LossParams& p) {
  const FocalTerms f(x, t, p.alpha);
  double slope = focal_power(f.q, p.gamma) * (f.s * (1 - t) - f.c * t);
  const double change = f.s * f.c * f.e;
  if (p.gamma != 0 && change != 0) {
    slope -= p.gamma * focal_power(f.q, p.gamma - 1) * ((2 * t - 1) * change);
  }
  return slope * f.a;
}

__device__ double loss_of(LossOp op, const LossParams& p, const double* x) {
  switch (op) {
    case LossOp::kMse:
      return (x[0] - x[1]) * (x[0] - x[1]);
    case LossOp::kMseBackward:
      return 2 * p.scale * (x[1] - x[2]) * x[0];
    case LossOp::kSmoothL1:
      return smooth_l1(x[0], x[1], p.beta);
    case LossOp::kSmoothL1Backward:
      return smooth_l1_slope(x[1], x[2], p.beta) * x[0] * p.scale;
    case LossOp::kBce:
      return bce(x[0], x[1], x[2]);
    case LossOp::kBceBackward:
      return bce_slope(x[1], x[2]) * x[0] * x[3] * p.scale;
    case LossOp::kBceWithLogits:
      return bce_with_logits(x[0], x[1], x[2], x[3]);
    case LossOp::kBceWithLogitsBackward:
      return bce_with_logits_slope(x[1], x[2], x[4]) * x[0] * x[3] * p.scale;
    case LossOp::kSigmoidFocal: {
      const FocalTerms f(x[0], x[1], p.alpha);
      return f.a * focal_power(f.q, p.gamma) * f.e;
    }
    case LossOp::kSigmoidFocalBackward:
      return focal_slope(x[1], x[2], p) * x[0] * p.scale;
  }
  return 0;
}

struct Loss {
  static constexpr int kInputs = diopi::LossCall::kMaxInputs, kOutputs = 1;
  using Value = double;
  LossOp op;
  LossParams params;

  __device__ void operator()(const double* x, double* y) const { y[0] = loss_of(op, params, x); }
};

struct LossSum {
  static constexpr int kInputs = diopi::LossCall::kMaxInputs, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = double;
  using Part = double;
  LossOp op;
  int mean;  // a bool would leave bytes of the parameter undefined
  LossParams params;

  __device__ double identity() const { return 0; }
  __device__ double start() const { return 0; }
  __device__ void add(double* sum, const double* x, int64_t) const { *sum += loss_of(op, params, x); }
  __device__ double close(double sum) const { return sum; }
  __device__ void merge(double* a, double b) const { *a += b; }
  template <class Write>
  __device__ void finish(double a, int64_t length, const Write& write) const {
    write(0, mean != 0 ? a / static_cast<double>(length) : a);
  }
};

}  // namespace

Status pointwise_loss(diopiContextHandle_t ctx, LossOp op, const LossParams& params, const PointwiseCall& call) {
  return run_pointwise(ctx, Loss{op, params}, call);
}

Status fold_loss(diopiContextHandle_t ctx, LossOp op, const LossParams& params, bool mean, const FoldCall& call) {
  return run_fold(ctx, LossSum{op, mean ? 1 : 0, params}, call);
}

}  // namespace impl::cuda
