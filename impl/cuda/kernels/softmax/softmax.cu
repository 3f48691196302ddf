// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/softmax/softmax.hpp"

#include "impl/cuda/kernels/rows/fused.cuh"
#include "impl/cuda/kernels/rows/pointwise.cuh"
#include "impl/cuda/kernels/rows/sum.cuh"

namespace impl::cuda {

namespace {

using diopi::SoftmaxOp;

__device__ inline float exponential(float x) { return expf(x); }
__device__ inline double exponential(double x) { return exp(x); }
__device__ inline float logarithm(float x) { return logf(x); }
__device__ inline double logarithm(double x) { return log(x); }

// What the rows have in common.
template <typename T>
struct RowSum {
  static constexpr int kOutputs = 1, kResults = 2;
  using Value = T;
  using Part = Sum<T>;
};

// The first fold finds the largest element, the second one the sum of the exponentials.
template <typename T>
struct Forward : RowSum<T> {
  static constexpr int kInputs = 1, kFolds = 2, kFolded = 1;
  using Part = Sum<T>;
  struct State {
    T largest, sum;
  };
  bool logarithmic;

  __device__ Part identity(int fold) const {
    Part part{};
    if (fold == 0) part.high = -std::numeric_limits<T>::infinity();
    return part;
  }
  __device__ void add(int fold, const State& state, Part* part, const T* x) const {
    if (fold == 0) {
      keep_largest(part, x[0]);
    } else {
      part->add(exponential(static_cast<T>(x[0] - state.largest)));
    }
  }
  __device__ void merge(int fold, Part* a, const Part& b) const {
    if (fold == 0) {
      keep_largest(a, b.high);
    } else {
      a->add(b);
    }
  }
  // NaN is the largest.
  __device__ static void keep_largest(Part* part, T x) {
    if (x > part->high || x != x) part->high = x;
  }
  __device__ void advance(int fold, State* state, const Part& part, int64_t) const {
    (fold == 0 ? state->largest : state->sum) = part.value();
  }
  __device__ void compute(const State& state, const T* x, T* y) const {
    const T distance = x[0] - state.largest;
    y[0] = logarithmic ? distance - logarithm(state.sum) : exponential(distance) / state.sum;
  }
  template <class Write>
  __device__ void finish(const State& state, const Write& write) const {
    write(0, state.largest);
    write(1, state.sum);
  }
};

// Inputs: the gradient and the result of the forward function.
template <typename T>
struct Backward : RowSum<T> {
  static constexpr int kInputs = 2, kFolds = 1, kFolded = 2;
  using Part = Sum<T>;
  struct State {
    T sum;
  };
  bool logarithmic;

  __device__ Part identity(int) const { return Part{}; }
  __device__ void add(int, const State&, Part* part, const T* x) const { part->add(logarithmic ? x[0] : x[0] * x[1]); }
  __device__ void merge(int, Part* a, const Part& b) const { a->add(b); }
  __device__ void advance(int, State* state, const Part& part, int64_t) const { state->sum = part.value(); }
  __device__ void compute(const State& state, const T* x, T* y) const {
    y[0] = logarithmic ? x[0] - exponential(x[1]) * state.sum : x[1] * (x[0] - state.sum);
  }
  template <class Write>
  __device__ void finish(const State&, const Write&) const {}
};

struct Mask {
  static constexpr int kInputs = 4, kOutputs = 1;
  using Value = double;
  double scale, hidden;

  __device__ void operator()(const double* x, double* y) const {
    y[0] = x[1] != 0 || x[2] > x[3] ? hidden : x[0] * scale;
  }
};

template <typename T>
Status run(diopiContextHandle_t ctx, SoftmaxOp op, const FusedCall& call) {
  if (op == SoftmaxOp::kSoftmax || op == SoftmaxOp::kLogSoftmax) {
    return run_fused(ctx, Forward<T>{{}, op == SoftmaxOp::kLogSoftmax}, call);
  }
  return run_fused(ctx, Backward<T>{{}, op == SoftmaxOp::kLogSoftmaxBackward}, call);
}

}  // namespace

Status fused_softmax(diopiContextHandle_t ctx, SoftmaxOp op, bool wide, const FusedCall& call) {
  return wide ? run<double>(ctx, op, call) : run<float>(ctx, op, call);
}

Status pointwise_mask(diopiContextHandle_t ctx, double scale, double hidden, const PointwiseCall& call) {
  return run_pointwise(ctx, Mask{scale, hidden}, call);
}

}  // namespace impl::cuda
