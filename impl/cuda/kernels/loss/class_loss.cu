// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/loss/class_loss.hpp"

#include "impl/cuda/kernels/rows/pointwise.cuh"

namespace impl::cuda {

namespace {

constexpr int kLossThreads = 128;

struct TargetKernel {
  diopi::LoopNest<2> samples;
  Sources<3> in;  // input, target, weight
  int64_t count, class_step, weight_step;
  const double *largest, *sum, *weighted_sum;
  double *loss, *target_weight;
  ClassParams p;
};

__global__ void target_losses(TargetKernel t) {
  for (int64_t i = thread_item(); i < t.count; i += static_cast<int64_t>(gridDim.x) * kLossThreads) {
    int64_t offset[2];
    offsets_at(t.samples, i, offset);
    const int64_t target = t.in.read<int64_t>(1, offset[1]);
    double loss = 0, weight = 0;
    if (target >= 0 && target < t.p.classes && target != t.p.ignore_index) {
      weight = t.in.read<double>(2, target * t.weight_step);
      if (t.loss != nullptr) {
        double log_p = t.in.read<double>(0, offset[0] + target * t.class_step);
        if (t.largest != nullptr) log_p = log_p - t.largest[i] - log(t.sum[i]);
        loss = -(1 - t.p.smoothing) * weight * log_p;
        if (t.weighted_sum != nullptr) {
          loss -= t.p.smoothing / static_cast<double>(t.p.classes) * t.weighted_sum[i];
        }
      }
    }
    if (t.loss != nullptr) t.loss[i] = loss;
    t.target_weight[i] = weight;
  }
}

__device__ double log_probability(const double* x) { return x[0] - x[1] - log(x[2]); }

// Sums of doubles.
template <int kSums>
struct Sums {
  double v[kSums];
};

template <class Terms, int kNumInputs, int kSums>
struct SumTerms {
  static constexpr int kInputs = kNumInputs, kOutputs = kSums;
  static constexpr bool kOrdered = false;
  using Value = double;
  using Stored = diopi::TypeList<float>;
  using Part = Sums<kSums>;
  Terms terms;

  __device__ Part identity() const {
    Part zero;
    for (int j = 0; j < kSums; ++j) zero.v[j] = 0;
    return zero;
  }
  __device__ Part start() const { return identity(); }
  __device__ void add(Part* a, const double* x, int64_t) const { terms(x, a->v); }
  __device__ Part close(const Part& a) const { return a; }
  __device__ void merge(Part* a, const Part& b) const {
    for (int j = 0; j < kSums; ++j) a->v[j] += b.v[j];
  }
  template <class Write>
  __device__ void finish(const Part& a, int64_t, const Write& write) const {
    for (int j = 0; j < kSums; ++j) write(j, a.v[j]);
  }
};

struct LogProbabilities {
  __device__ void operator()(const double* x, double* sums) const { sums[0] += x[3] * log_probability(x); }
};

__device__ double class_share(const ClassParams& p, double target, double weight) {
  return (target * (1 - p.smoothing) + p.smoothing / static_cast<double>(p.classes)) * weight;
}

struct Shares {
  ClassParams p;
  __device__ void operator()(const double* x, double* sums) const {
    const double share = class_share(p, x[4], x[3]);
    sums[0] -= share * log_probability(x);
    sums[1] += share;
  }
};

struct NllGradient {
  static constexpr int kInputs = 5, kOutputs = 1;
  using Value = double;
  ClassParams p;
  __device__ void operator()(const double* x, double* y) const {
    const bool counts = x[0] == x[1] && x[0] != static_cast<double>(p.ignore_index);
    y[0] = counts ? -x[2] * x[3] / x[4] : 0;
  }
};

struct IndexGradient {
  static constexpr int kInputs = 10, kOutputs = 1;
  using Value = double;
  ClassParams p;
  __device__ void operator()(const double* x, double* y) const {
    if (x[3] == static_cast<double>(p.ignore_index)) {
      y[0] = 0;
      return;
    }
    const double own = (1 - p.smoothing) * x[6], share = p.smoothing / static_cast<double>(p.classes);
    // Without smoothing, the weights of other classes have no effect, even if they are NaN.
    double slope = exp(log_probability(x)) * (share == 0 ? own : own + share * x[7]);
    if (x[3] == x[4]) slope -= own;
    if (share != 0) slope -= share * x[5];
    y[0] = slope * (x[8] / x[9]);
  }
};

struct ProbabilityGradient {
  static constexpr int kInputs = 8, kOutputs = 1;
  using Value = double;
  ClassParams p;
  __device__ void operator()(const double* x, double* y) const {
    y[0] = (x[5] * exp(log_probability(x)) - class_share(p, x[3], x[4])) * (x[6] / x[7]);
  }
};

}  // namespace

Status compute_target_losses(diopiContextHandle_t ctx, const ClassParams& params, const TargetLosses& losses) {
  TargetKernel t{};
  const TensorView& target = *losses.target;
  const TensorView& input = losses.input != nullptr ? *losses.input : target;
  for (int i = target.ndim() - 1; i >= 0; --i) {
    const int dim = losses.input != nullptr && i >= losses.class_dim ? i + 1 : i;
    t.samples.push_back(target.shape[i], input.stride[dim], target.stride[i]);
  }
  t.samples.drop_ones();
  t.samples.merge();
  t.in.data[0] = input.data;
  t.in.dtype[0] = input.dtype;
  t.in.data[1] = target.data;
  t.in.dtype[1] = target.dtype;
  t.in.number[2] = 1;
  if (losses.weight != nullptr) {
    t.in.data[2] = losses.weight->data;
    t.in.dtype[2] = losses.weight->dtype;
    t.weight_step = losses.weight->stride[0];
  }
  t.count = target.numel;
  if (losses.input != nullptr) t.class_step = input.stride[losses.class_dim];
  t.largest = losses.largest;
  t.sum = losses.sum;
  t.weighted_sum = losses.weighted_sum;
  t.loss = losses.loss;
  t.target_weight = losses.target_weight;
  t.p = params;
  if (t.count == 0) return diopiSuccess;
  return launch_blocks(ctx, target_losses, (t.count + kLossThreads - 1) / kLossThreads, kLossThreads, t);
}

Status fold_log_probabilities(diopiContextHandle_t ctx, const FoldCall& call) {
  return run_fold(ctx, SumTerms<LogProbabilities, 4, 1>{}, call);
}
Status fold_shares(diopiContextHandle_t ctx, const ClassParams& params, const FoldCall& call) {
  return run_fold(ctx, SumTerms<Shares, 5, 2>{{params}}, call);
}
Status pointwise_nll_gradient(diopiContextHandle_t ctx, const ClassParams& params, const PointwiseCall& call) {
  return run_pointwise(ctx, NllGradient{params}, call);
}
Status pointwise_index_gradient(diopiContextHandle_t ctx, const ClassParams& params, const PointwiseCall& call) {
  return run_pointwise(ctx, IndexGradient{params}, call);
}
Status pointwise_probability_gradient(diopiContextHandle_t ctx, const ClassParams& params, const PointwiseCall& call) {
  return run_pointwise(ctx, ProbabilityGradient{params}, call);
}

}  // namespace impl::cuda
