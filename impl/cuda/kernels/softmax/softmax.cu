// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/softmax/softmax.hpp"

#include "impl/cuda/kernels/rows/pointwise.cuh"

namespace impl::cuda {

namespace {

using diopi::SoftmaxOp;

__device__ inline float exponential(float x) { return expf(x); }
__device__ inline double exponential(double x) { return exp(x); }
__device__ inline float logarithm(float x) { return logf(x); }
__device__ inline double logarithm(double x) { return log(x); }

// What the sums have in common.
struct SumInDouble {
  static constexpr int kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Part = double;

  __device__ double identity() const { return 0; }
  __device__ double start() const { return 0; }
  __device__ double close(double sum) const { return sum; }
  __device__ void merge(double* a, double b) const { *a += b; }
  template <class Write>
  __device__ void finish(double a, int64_t, const Write& write) const {
    write(0, a);
  }
};

template <typename T>
struct Exponentials : SumInDouble {
  static constexpr int kInputs = 2;
  using Value = T;

  __device__ void add(double* sum, const T* x, int64_t) const {
    *sum += static_cast<double>(exponential(static_cast<T>(x[0] - x[1])));
  }
};

struct Products : SumInDouble {
  static constexpr int kInputs = 3;
  using Value = double;

  __device__ void add(double* sum, const double* x, int64_t) const { *sum += x[0] * x[1] * x[2]; }
};

template <typename T>
struct Softmax {
  static constexpr int kInputs = 3, kOutputs = 1;
  using Value = T;
  SoftmaxOp op;

  __device__ void operator()(const T* x, T* y) const {
    switch (op) {
      case SoftmaxOp::kSoftmax:
        y[0] = exponential(x[0] - x[1]) / x[2];
        break;
      case SoftmaxOp::kLogSoftmax:
        y[0] = (x[0] - x[1]) - logarithm(x[2]);
        break;
      case SoftmaxOp::kSoftmaxBackward:
        y[0] = x[1] * (x[0] - x[2]);
        break;
      case SoftmaxOp::kLogSoftmaxBackward:
        y[0] = x[0] - exponential(x[1]) * x[2];
        break;
    }
  }
};

struct Mask {
  static constexpr int kInputs = 4, kOutputs = 1;
  using Value = double;
  double scale, hidden;

  __device__ void operator()(const double* x, double* y) const {
    y[0] = x[1] != 0 || x[2] > x[3] ? hidden : x[0] * scale;
  }
};

}  // namespace

Status fold_exponentials(diopiContextHandle_t ctx, bool wide, const FoldCall& call) {
  return wide ? run_fold(ctx, Exponentials<double>{}, call) : run_fold(ctx, Exponentials<float>{}, call);
}

Status fold_products(diopiContextHandle_t ctx, const FoldCall& call) { return run_fold(ctx, Products{}, call); }

Status pointwise_softmax(diopiContextHandle_t ctx, SoftmaxOp op, bool wide, const PointwiseCall& call) {
  return wide ? run_pointwise(ctx, Softmax<double>{op}, call) : run_pointwise(ctx, Softmax<float>{op}, call);
}

Status pointwise_mask(diopiContextHandle_t ctx, double scale, double hidden, const PointwiseCall& call) {
  return run_pointwise(ctx, Mask{scale, hidden}, call);
}

}  // namespace impl::cuda
