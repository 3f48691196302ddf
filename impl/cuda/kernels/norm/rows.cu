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
  static constexpr int kInputs = 3, kOutputs = 1, kResults = 2, kFolds = kCentred ? 2 : 1;
  static constexpr int kElements = 1, kFolded = 1, kNumbers = 0;
  static constexpr bool kStaysNeutral = !kCentred;
  using Value = T;
  using Part = Sum<T>;
  struct State {
    T mean, rest, inverse;
  };
  double eps;

  __device__ static T neutral() { return 0; }
  __device__ void prepare(const State& state, T* x) const {
    if (kCentred) x[0] = (x[0] - state.mean) - state.rest;
  }
  __device__ Part identity(int) const { return Part{}; }
  __device__ Part part(int fold, const T* x) const { return {fold + 1 < kFolds ? x[0] : x[0] * x[0], 0}; }
  __device__ void merge(int fold, Part* a, const Part& b) const {
    if (fold + 1 < kFolds) {
      a->add(b);
    } else {
      a->high += b.high;  // squares: a few roundings do not matter
    }
  }
  __device__ Part start(int) const { return Part{}; }
  __device__ void add(int, Part* running, const Part& part) const { running->add(part); }
  __device__ Part close(int fold, const Part& running) const {
    return fold + 1 < kFolds ? running : Part{running.value(), 0};
  }
  __device__ void advance(int fold, State* state, const Part& part, int64_t length) const {
    if (fold + 1 < kFolds) {
      part.divide(length, &state->mean, &state->rest);
    } else {
      state->inverse = T(1) / std::sqrt(part.high / static_cast<T>(length) + static_cast<T>(eps));
    }
  }
  __device__ void compute(const State& state, const T* x, T* y) const { y[0] = x[0] * state.inverse * x[1] + x[2]; }
  template <class Write>
  __device__ void finish(const State& state, const Write& write) const {
    write(0, state.mean);
    write(1, state.inverse);
  }
  const Normalize& looped() const { return *this; }
};

// Inputs: the gradient, the weight, the element, the mean and the inverse deviation.
template <typename T>
struct Gradient {
  static constexpr int kInputs = 5, kOutputs = 1, kResults = 1, kFolds = 1;
  static constexpr int kElements = 1, kFolded = 3, kNumbers = 2;
  static constexpr bool kStaysNeutral = true;
  using Value = T;
  struct Part {
    T g, gh;
  };
  using State = Part;
  struct Running {
    Sum<T> g, gh;
  };
  bool centred;

  __device__ static T neutral() { return 0; }
  __device__ void prepare(const State&, T*) const {}
  __device__ Part identity(int) const { return Part{}; }
  __device__ static T normal(const T* x) { return (x[2] - x[3]) * x[4]; }
  __device__ Part part(int, const T* x) const {
    const T g = x[0] * x[1];
    return {g, g * normal(x)};
  }
  __device__ void merge(int, Part* a, const Part& b) const {
    a->g += b.g;
    a->gh += b.gh;
  }
  __device__ Running start(int) const { return Running{}; }
  __device__ void add(int, Running* running, const Part& part) const {
    running->g.add(part.g);
    running->gh.add(part.gh);
  }
  __device__ Part close(int, const Running& running) const { return {running.g.value(), running.gh.value()}; }
  __device__ void advance(int, State* means, const Part& part, int64_t length) const {
    means->g = centred ? part.g / static_cast<T>(length) : T(0);
    means->gh = part.gh / static_cast<T>(length);
  }
  __device__ void compute(const State& means, const T* x, T* y) const {
    y[0] = (x[0] * x[1] - means.g - normal(x) * means.gh) * x[4];
  }
  template <class Write>
  __device__ void finish(const State&, const Write&) const {}
  const Gradient& looped() const { return *this; }
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
