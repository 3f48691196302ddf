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

// What the rows have in common. Sums of a few numbers are plain ones.
template <typename T>
struct SoftmaxRows {
  static constexpr int kOutputs = 1, kResults = 2, kNumbers = 0;
  static constexpr bool kStaysNeutral = true;
  using Value = T;
};

template <typename T>
struct ForwardState {
  T largest, sum, scale;  // scale: what compute() needs of the sum

  __device__ void close(bool logarithmic) { scale = logarithmic ? logarithm(sum) : T(1) / sum; }
};

// Both ways to compute the forward functions.
template <typename T, bool kLogarithmic>
struct ForwardRows : SoftmaxRows<T> {
  static constexpr int kInputs = 1, kElements = 1, kFolded = 1;
  using State = ForwardState<T>;

  __device__ static T neutral() { return -std::numeric_limits<T>::infinity(); }
  __device__ void prepare(const State& state, T* x) const {
    x[0] = kLogarithmic ? x[0] - state.largest : exponential(x[0] - state.largest);
  }
  __device__ void compute(const State& state, const T* x, T* y) const {
    y[0] = kLogarithmic ? x[0] - state.scale : x[0] * state.scale;
  }
  template <class Write>
  __device__ void finish(const State& state, const Write& write) const {
    write(0, state.largest);
    write(1, state.sum);
  }
};

// One fold finds the largest element and the sum of the exponentials. Each step scales the sum of the smaller elements.
template <typename T, bool kLogarithmic>
struct OnlineForward : ForwardRows<T, kLogarithmic> {
  static constexpr int kFolds = 1;
  using State = ForwardState<T>;
  struct Part {
    T largest, sum;
  };

  __device__ Part identity(int) const { return {this->neutral(), 0}; }
  __device__ Part part(int, const T* x) const { return {x[0], 1}; }
  __device__ void merge(int, Part* a, const Part& b) const {
    const T distance = a->largest - b.largest, least = this->neutral();
    const T scale = a->largest == least && b.largest == least ? T(1) : exponential(-std::abs(distance));
    a->sum = distance >= 0 ? a->sum + b.sum * scale : a->sum * scale + b.sum;
    a->largest = std::fmax(a->largest, b.largest);
  }
  __device__ Part start(int) const { return identity(0); }
  __device__ void add(int, Part* running, const Part& part) const { merge(0, running, part); }
  __device__ Part close(int, const Part& running) const { return running; }
  __device__ void advance(int, State* state, const Part& part, int64_t) const {
    state->largest = part.largest;
    state->sum = part.sum + (part.largest - part.largest);  // NaN if an element is infinite
    state->close(kLogarithmic);
  }
};

// The first fold finds the largest element, the second one the sum of the exponentials, in which NaN stays.
template <typename T, bool kLogarithmic>
struct Forward : ForwardRows<T, kLogarithmic> {
  static constexpr int kFolds = 2;
  using State = ForwardState<T>;
  using Part = T;

  __device__ Part identity(int fold) const { return fold == 0 ? this->neutral() : T(0); }
  __device__ Part part(int fold, const T* x) const { return fold > 0 && kLogarithmic ? exponential(x[0]) : x[0]; }
  __device__ void merge(int fold, Part* a, Part b) const { *a = fold == 0 ? std::fmax(*a, b) : *a + b; }
  __device__ Sum<T> start(int fold) const { return {identity(fold), 0}; }
  __device__ void add(int fold, Sum<T>* running, Part part) const {
    if (fold == 0) {
      merge(fold, &running->high, part);
    } else {
      running->add(part);
    }
  }
  __device__ Part close(int, const Sum<T>& running) const { return running.value(); }
  __device__ void advance(int fold, State* state, Part part, int64_t) const {
    if (fold == 0) {
      state->largest = part;
    } else {
      state->sum = part;
      state->close(kLogarithmic);
    }
  }
  OnlineForward<T, kLogarithmic> looped() const { return {}; }
};

// Inputs: the gradient and the result of the forward function.
template <typename T, bool kLogarithmic>
struct Backward : SoftmaxRows<T> {
  static constexpr int kInputs = 2, kElements = 2, kFolds = 1, kFolded = 2;
  using Part = T;
  struct State {
    T sum;
  };

  __device__ static T neutral() { return 0; }
  __device__ void prepare(const State&, T*) const {}
  __device__ Part identity(int) const { return 0; }
  __device__ Part part(int, const T* x) const { return kLogarithmic ? x[0] : x[0] * x[1]; }
  __device__ void merge(int, Part* a, Part b) const { *a += b; }
  __device__ Sum<T> start(int) const { return {0, 0}; }
  __device__ void add(int, Sum<T>* running, Part part) const { running->add(part); }
  __device__ Part close(int, const Sum<T>& running) const { return running.value(); }
  __device__ void advance(int, State* state, Part part, int64_t) const { state->sum = part; }
  __device__ void compute(const State& state, const T* x, T* y) const {
    y[0] = kLogarithmic ? x[0] - exponential(x[1]) * state.sum : x[1] * (x[0] - state.sum);
  }
  template <class Write>
  __device__ void finish(const State&, const Write&) const {}
  const Backward& looped() const { return *this; }
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
  switch (op) {
    case SoftmaxOp::kSoftmax:
      return run_fused(ctx, Forward<T, false>{}, call);
    case SoftmaxOp::kLogSoftmax:
      return run_fused(ctx, Forward<T, true>{}, call);
    case SoftmaxOp::kSoftmaxBackward:
      return run_fused(ctx, Backward<T, false>{}, call);
    default:
      return run_fused(ctx, Backward<T, true>{}, call);
  }
}

}  // namespace

Status fused_softmax(diopiContextHandle_t ctx, SoftmaxOp op, bool wide, const FusedCall& call) {
  return wide ? run<double>(ctx, op, call) : run<float>(ctx, op, call);
}

Status pointwise_mask(diopiContextHandle_t ctx, double scale, double hidden, const PointwiseCall& call) {
  return run_pointwise(ctx, Mask{scale, hidden}, call);
}

}  // namespace impl::cuda
