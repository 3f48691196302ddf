// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/norm/norm.hpp"

#include "impl/cuda/kernels/rows/pointwise.cuh"

namespace impl::cuda {

namespace {

template <int kNumInputs>
struct InDouble {
  static constexpr int kInputs = kNumInputs, kOutputs = 1;
  using Value = double;
};

struct Normalize : InDouble<5> {
  __device__ void operator()(const double* x, double* y) const { y[0] = (x[0] - x[1]) * x[2] * x[3] + x[4]; }
};

struct Inverse : InDouble<1> {
  double eps;
  explicit Inverse(double value) : eps(value) {}
  __device__ void operator()(const double* x, double* y) const { y[0] = 1 / sqrt(x[0] + eps); }
};

struct Running : InDouble<2> {
  double momentum;
  explicit Running(double value) : momentum(value) {}
  __device__ void operator()(const double* x, double* y) const { y[0] = (1 - momentum) * x[0] + momentum * x[1]; }
};

struct Gradients {
  static constexpr int kInputs = 5, kOutputs = 2;
  static constexpr bool kOrdered = false;
  using Value = double;
  struct Part {
    double g, gh;
  };
  using Running = Part;

  __device__ Part identity() const { return {0, 0}; }
  __device__ Part start() const { return {0, 0}; }
  __device__ void add(Part* sums, const double* x, int64_t) const {
    const double g = x[0] * x[1];
    sums->g += g;
    sums->gh += g * ((x[2] - x[3]) * x[4]);
  }
  __device__ Part close(const Part& sums) const { return sums; }
  __device__ void merge(Part* a, const Part& b) const { *a = {a->g + b.g, a->gh + b.gh}; }
  template <class Write>
  __device__ void finish(const Part& a, int64_t, const Write& write) const {
    write(0, a.g);
    write(1, a.gh);
  }
};

struct Add : InDouble<3> {
  __device__ void operator()(const double* x, double* y) const { y[0] = x[0] + x[1] + x[2]; }
};

// The derivative of a norm of order p with respect to its element x, times g.
__device__ double norm_slope(double p, double g, double x, double norm) {
  if (p == 0) return 0;
  const double sign = x > 0 ? 1 : x < 0 ? -1 : 0;
  if (p == 1) return sign * g;
  if (p - p != 0) return fabs(x) == norm || x != x ? sign * g : 0;
  if (p == 2) return norm == 0 ? 0 : x / norm * g;
  return (p < 1 ? x : norm) == 0 ? 0 : sign * pow(fabs(x) / norm, p - 1) * g;
}

struct SlopeOfNorm : InDouble<4> {
  double p;
  explicit SlopeOfNorm(double order) : p(order) {}
  __device__ void operator()(const double* x, double* y) const { y[0] = norm_slope(p, x[0] / x[3], x[1], x[2]); }
};

struct Extremes {
  static constexpr int kInputs = 2, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = double;
  using Stored = diopi::TypeList<float>;
  using Part = double;

  __device__ double identity() const { return 0; }
  __device__ double start() const { return 0; }
  __device__ void add(double* count, const double* x, int64_t) const {
    *count += fabs(x[0]) == x[1] || x[0] != x[0] ? 1 : 0;
  }
  __device__ double close(double count) const { return count; }
  __device__ void merge(double* a, double b) const { *a += b; }
  template <class Write>
  __device__ void finish(double a, int64_t, const Write& write) const {
    write(0, a);
  }
};

struct Divide : InDouble<2> {
  double eps;
  explicit Divide(double value) : eps(value) {}
  __device__ void operator()(const double* x, double* y) const { y[0] = x[0] / (x[1] < eps ? eps : x[1]); }
};

struct SlopeOfDivide : InDouble<5> {
  double p, eps;
  SlopeOfDivide(double order, double value) : p(order), eps(value) {}
  __device__ void operator()(const double* x, double* y) const {
    const double norm = x[2], divisor = norm < eps ? eps : norm, direct = x[0] / divisor;
    const double slope = norm < eps ? 0 : -x[3] / divisor / divisor / x[4];
    y[0] = slope == 0 ? direct : direct + norm_slope(p, slope, x[1], norm);
  }
};

}  // namespace

Status pointwise_normalize(diopiContextHandle_t ctx, const PointwiseCall& call) {
  return run_pointwise(ctx, Normalize{}, call);
}
Status pointwise_inverse(diopiContextHandle_t ctx, double eps, const TensorView& variance, const TensorView& out) {
  PointwiseCall call;
  call.shape = out.shape;
  call.in[0] = variance;
  call.out[0] = out;
  return run_pointwise(ctx, Inverse(eps), call);
}
Status pointwise_running(diopiContextHandle_t ctx, double momentum, const TensorView& values,
                         const TensorView& running) {
  PointwiseCall call;
  call.shape = running.shape;
  call.in[0] = running;
  call.in[1] = values;
  call.out[0] = running;
  return run_pointwise(ctx, Running(momentum), call);
}
Status fold_gradients(diopiContextHandle_t ctx, const FoldCall& call) { return run_fold(ctx, Gradients{}, call); }
Status pointwise_add(diopiContextHandle_t ctx, const PointwiseCall& call) { return run_pointwise(ctx, Add{}, call); }
Status pointwise_norm_gradient(diopiContextHandle_t ctx, double p, const PointwiseCall& call) {
  return run_pointwise(ctx, SlopeOfNorm(p), call);
}
Status fold_extremes(diopiContextHandle_t ctx, const FoldCall& call) { return run_fold(ctx, Extremes{}, call); }
Status pointwise_divide(diopiContextHandle_t ctx, double eps, const PointwiseCall& call) {
  return run_pointwise(ctx, Divide(eps), call);
}
Status pointwise_divide_gradient(diopiContextHandle_t ctx, double p, double eps, const PointwiseCall& call) {
  return run_pointwise(ctx, SlopeOfDivide(p, eps), call);
}

}  // namespace impl::cuda
