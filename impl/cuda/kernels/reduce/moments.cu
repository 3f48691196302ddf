// SPDX-License-Identifier: BSD-3-Clause
// Means and squared deviations, and vector norms, in float64.
#include "impl/cuda/kernels/reduce/norm.cuh"
#include "impl/cuda/kernels/reduce/reduce.hpp"
#include "impl/cuda/kernels/rows/fold.cuh"

namespace impl::cuda {

namespace {

struct Moments {
  static constexpr int kInputs = 1, kOutputs = 4;
  static constexpr bool kOrdered = false;
  static constexpr int kPasses = 2;
  using Value = double;
  struct Part {
    double count, mean, squares;  // the squares of the distances from the mean
  };
  // The first pass finds the mean, by distances from the first element; the second one adds the squares.
  struct Running {
    double count, origin, sum, squares;
    bool second;
  };
  double correction, eps;
  MomentResult results[kOutputs];

  __device__ Part identity() const { return {0, 0, 0}; }
  __device__ Running start() const { return {0, 0, 0, 0, false}; }
  __device__ void add(Running* a, const double* x, int64_t) const {
    if (!a->second) {
      if (a->count == 0 && x[0] - x[0] == 0) a->origin = x[0];
      a->count += 1;
    }
    const double distance = x[0] - a->origin;
    a->sum += distance;
    if (a->second) a->squares += distance * distance;
  }
  __device__ void begin_pass(Running* a) const {
    if (a->count > 0) a->origin += a->sum / a->count;
    a->sum = 0;
    a->second = true;
  }
  __device__ Part close(const Running& a) const {
    if (a.count == 0) return identity();
    const double offset = a.sum / a.count, squares = a.squares - a.sum * offset;
    // The distances from an infinite mean are NaN, but not the mean.
    return {a.count, offset == offset ? a.origin + offset : a.origin, squares < 0 ? 0 : squares};
  }
  __device__ void merge(Part* a, const Part& b) const {
    if (b.count == 0) return;
    if (a->count == 0) {
      *a = b;
      return;
    }
    const double count = a->count + b.count, distance = b.mean - a->mean;
    // Without a finite distance the mean is the infinity or NaN among the two.
    a->mean = distance - distance == 0 ? a->mean + distance * (b.count / count) : a->mean + b.mean;
    a->squares += b.squares + distance * distance * (a->count * (b.count / count));
    a->count = count;
  }
  __device__ double result(MomentResult kind, const Part& a) const {
    const double divisor = a.count - correction;
    switch (kind) {
      case MomentResult::kMean:
        return a.mean;
      case MomentResult::kSquares:
        return a.squares;
      case MomentResult::kVariance:
        return a.squares / (divisor > 0 ? divisor : 0);
      case MomentResult::kDeviation:
        return sqrt(a.squares / (divisor > 0 && a.count > 0 ? divisor : 0));
      case MomentResult::kInverse:
        return 1 / sqrt(a.squares / a.count + eps);
    }
    return 0;
  }
  template <class Write>
  __device__ void finish(const Part& a, int64_t, const Write& write) const {
    for (int j = 0; j < kOutputs; ++j) write(j, result(results[j], a));
  }
};

// The standard deviation of complex numbers from the moments of their parts.
struct ComplexDeviation {
  static constexpr int kInputs = 2, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = double;
  struct Part {
    Moments::Part real, imaginary;
  };
  struct Running {
    Moments::Running real, imaginary;
  };
  static constexpr int kPasses = Moments::kPasses;
  Moments parts;

  __device__ Part identity() const { return {parts.identity(), parts.identity()}; }
  __device__ Running start() const { return {parts.start(), parts.start()}; }
  __device__ void add(Running* a, const double* x, int64_t i) const {
    parts.add(&a->real, x, i);
    parts.add(&a->imaginary, x + 1, i);
  }
  __device__ void begin_pass(Running* a) const {
    parts.begin_pass(&a->real);
    parts.begin_pass(&a->imaginary);
  }
  __device__ Part close(const Running& a) const { return {parts.close(a.real), parts.close(a.imaginary)}; }
  __device__ void merge(Part* a, const Part& b) const {
    parts.merge(&a->real, b.real);
    parts.merge(&a->imaginary, b.imaginary);
  }
  template <class Write>
  __device__ void finish(const Part& a, int64_t, const Write& write) const {
    Moments::Part both = a.real;
    both.squares += a.imaginary.squares;
    write(0, parts.result(MomentResult::kDeviation, both));
  }
};

}  // namespace

Status fold_moments(diopiContextHandle_t ctx, const MomentParams& params, const FoldCall& call) {
  Moments op{params.correction, params.eps, {}};
  for (int j = 0; j < Moments::kOutputs; ++j) op.results[j] = params.results[j];
  return run_fold(ctx, op, call);
}

Status fold_complex_deviation(diopiContextHandle_t ctx, double correction, const FoldCall& call) {
  return run_fold(ctx, ComplexDeviation{{correction, 0, {}}}, call);
}

Status fold_norm(diopiContextHandle_t ctx, double p, const FoldCall& call) {
  return with_norm(p, [&](const auto& op) { return run_fold(ctx, op, call); });
}

}  // namespace impl::cuda
