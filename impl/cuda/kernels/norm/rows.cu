// SPDX-License-Identifier: BSD-3-Clause
// Normalisation of rows, and its gradient, in one launch each.
#include "impl/cuda/kernels/norm/norm.hpp"
#include "impl/cuda/kernels/rows/fused.cuh"
#include "impl/cuda/kernels/rows/sum.cuh"

namespace impl::cuda {

namespace {

// The first fold finds the mean, the last one the squares of the distances from it. Without a mean there is one fold.
// The mean is a sum of two numbers, so that float32 suffices for rows whose mean is far from 0.
template <typename T, bool kCentred>
struct Normalize {
  static constexpr int kInputs = 3, kOutputs = 1, kResults = 2, kFolds = kCentred ? 2 : 1, kFolded = 1;
  using Value = T;
  using Part = Sum<T>;
  struct State {
    T mean, rest, inverse;
  };
  double eps;

  __device__ Part identity(int) const { return Part{}; }
  __device__ static T distance(const State& state, T x) { return kCentred ? (x - state.mean) - state.rest : x; }
  __device__ void add(int fold, const State& state, Part* part, const T* x) const {
    const T d = distance(state, x[0]);
    part->add(fold + 1 < kFolds ? x[0] : d * d);
  }
  __device__ void merge(int, Part* a, const Part& b) const { a->add(b); }
  __device__ void advance(int fold, State* state, const Part& part, int64_t length) const {
    if (fold + 1 < kFolds) {
      part.divide(length, &state->mean, &state->rest);
    } else {
      state->inverse = T(1) / std::sqrt(part.value() / static_cast<T>(length) + static_cast<T>(eps));
    }
  }
  __device__ void compute(const State& state, const T* x, T* y) const {
    y[0] = distance(state, x[0]) * state.inverse * x[1] + x[2];
  }
  template <class Write>
  __device__ void finish(const State& state, const Write& write) const {
    write(0, state.mean);
    write(1, state.inverse);
  }
};

// Inputs: the gradient, the weight, the element, the mean and the inverse deviation.
template <typename T>
struct Gradient {
  static constexpr int kInputs = 5, kOutputs = 1, kResults = 1, kFolds = 1, kFolded = 3;
  using Value = T;
  struct Part {
    Sum<T> g, gh;
  };
  struct State {
    T g, gh;
  };
  bool centred;

  __device__ Part identity(int) const { return Part{}; }
  __device__ static T normal(const T* x) { return (x[2] - x[3]) * x[4]; }
  __device__ void add(int, const State&, Part* part, const T* x) const {
    const T g = x[0] * x[1];
    part->g.add(g);
    part->gh.add(g * normal(x));
  }
  __device__ void merge(int, Part* a, const Part& b) const {
    a->g.add(b.g);
    a->gh.add(b.gh);
  }
  __device__ void advance(int, State* means, const Part& part, int64_t length) const {
    means->g = centred ? part.g.value() / static_cast<T>(length) : T(0);
    means->gh = part.gh.value() / static_cast<T>(length);
  }
  __device__ void compute(const State& means, const T* x, T* y) const {
    y[0] = (x[0] * x[1] - means.g - normal(x) * means.gh) * x[4];
  }
  template <class Write>
  __device__ void finish(const State&, const Write&) const {}
};

template <typename T>
Status normalize(diopiContextHandle_t ctx, bool centred, double eps, const FusedCall& call) {
  return centred ? run_fused(ctx, Normalize<T, true>{eps}, call) : run_fused(ctx, Normalize<T, false>{eps}, call);
}

}  // namespace

Status fused_normalize(diopiContextHandle_t ctx, bool wide, bool centred, double eps, const FusedCall& call) {
  return wide ? normalize<double>(ctx, centred, eps, call) : normalize<float>(ctx, centred, eps, call);
}
Status fused_gradient(diopiContextHandle_t ctx, bool wide, bool centred, const FusedCall& call) {
  return wide ? run_fused(ctx, Gradient<double>{centred}, call) : run_fused(ctx, Gradient<float>{centred}, call);
}

}  // namespace impl::cuda
