// SPDX-License-Identifier: BSD-3-Clause
// Sums, means, products, and tests of truth values.
#include "impl/cuda/kernels/reduce/reduce.hpp"
#include "impl/cuda/kernels/rows/fold.cuh"
#include "impl/cuda/kernels/rows/sum.cuh"

namespace impl::cuda {

namespace {

using diopi::ReduceOp;

__device__ inline double sum_of(double a, double b) { return a + b; }
__device__ inline double product_of(double a, double b) { return a * b; }
__device__ inline uint64_t sum_of(uint64_t a, uint64_t b) { return a + b; }
__device__ inline uint64_t product_of(uint64_t a, uint64_t b) { return a * b; }
__device__ inline Complex128 sum_of(Complex128 a, Complex128 b) { return {a.re + b.re, a.im + b.im}; }
__device__ inline Complex128 product_of(Complex128 a, Complex128 b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__device__ inline double divided(double a, double n) { return a / n; }
__device__ inline uint64_t divided(uint64_t a, double) { return a; }  // integers have no mean
__device__ inline Complex128 divided(Complex128 a, double n) { return {a.re / n, a.im / n}; }

// Integers are added and multiplied as unsigned, because they wrap around.
template <typename Wide>
struct Accumulate {
  static constexpr int kInputs = 1, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = Wide;
  using Part = Wide;
  using Stored =
      std::conditional_t<std::is_same_v<Wide, double>, diopi::TypeList<double>, typename StoredTypes<Wide>::type>;
  bool averages;

  __device__ Wide identity() const { return Wide(0); }
  __device__ Wide start() const { return identity(); }
  __device__ void add(Wide* sum, const Wide* x, int64_t) const { merge(sum, x[0]); }
  __device__ Wide close(const Wide& sum) const { return sum; }
  __device__ void merge(Wide* a, const Wide& b) const { *a = sum_of(*a, b); }
  template <class Write>
  __device__ void finish(const Wide& a, int64_t length, const Write& write) const {
    write(0, averages ? divided(a, static_cast<double>(length)) : a);
  }
};

// The sum of 2^n numbers, added in pairs.
template <int kCount>
__device__ float pairwise_sum(const float (&x)[kCount]) {
  if constexpr (kCount == 1) {
    return x[0];
  } else {
    static_assert(kCount % 2 == 0, "a power of two");
    float sums[kCount / 2];
    DIOPI_UNROLL
    for (int i = 0; i < kCount / 2; ++i) sums[i] = x[i] + x[i + kCount / 2];
    return pairwise_sum(sums);
  }
}

// Sums whose result has no more digits than float32. A thread adds chunks of elements in pairs, and keeps the rounding
// errors of the sums of these; sums that are too large for float32 are added again in float64.
struct AccumulateFloat : Accumulate<double> {
  using Stored = diopi::TypeList<float, float16, bfloat16>;
  using Quick = Sum<float>;

  template <int kCount>
  __device__ void add_chunk(Quick* sum, const float (&x)[kCount]) const {
    sum->add(pairwise_sum(x));
  }
  __device__ bool part_of(const Quick& sum, double* part) const {
    *part = static_cast<double>(sum.high) + static_cast<double>(sum.low);
    return sum.high - sum.high == 0;
  }
};

template <typename Wide>
struct Multiply {
  static constexpr int kInputs = 1, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = Wide;
  using Part = Wide;
  using Stored = std::conditional_t<std::is_same_v<Wide, double>, diopi::TypeList<float>, diopi::TypeList<>>;

  __device__ Wide identity() const { return Wide(1); }
  __device__ Wide start() const { return identity(); }
  __device__ void add(Wide* product, const Wide* x, int64_t) const { merge(product, x[0]); }
  __device__ Wide close(const Wide& product) const { return product; }
  __device__ void merge(Wide* a, const Wide& b) const { *a = product_of(*a, b); }
  template <class Write>
  __device__ void finish(const Wide& a, int64_t, const Write& write) const {
    write(0, a);
  }
};

struct Test {
  static constexpr int kInputs = 1, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = bool;
  using Part = bool;
  bool all;

  __device__ bool identity() const { return all; }
  __device__ bool start() const { return all; }
  __device__ void add(bool* result, const bool* x, int64_t) const { merge(result, x[0]); }
  __device__ bool close(bool result) const { return result; }
  __device__ void merge(bool* a, bool b) const { *a = (*a == all) & (b == all) ? all : !all; }
  template <class Write>
  __device__ void finish(bool a, int64_t, const Write& write) const {
    write(0, a);
  }
};

}  // namespace

Status fold_sum(diopiContextHandle_t ctx, ReduceOp op, diopiDtype_t dtype, const FoldCall& call) {
  const bool mean = op == ReduceOp::kMean;
  if (op == ReduceOp::kProd) {
    if (diopi::is_complex(dtype)) return run_fold(ctx, Multiply<Complex128>{}, call);
    return diopi::is_floating(dtype) ? run_fold(ctx, Multiply<double>{}, call)
                                     : run_fold(ctx, Multiply<uint64_t>{}, call);
  }
  if (diopi::is_complex(dtype)) return run_fold(ctx, Accumulate<Complex128>{mean}, call);
  if (dtype == diopi_dtype_float64) return run_fold(ctx, Accumulate<double>{mean}, call);
  if (diopi::is_floating(dtype)) return run_fold(ctx, AccumulateFloat{{mean}}, call);
  return run_fold(ctx, Accumulate<uint64_t>{mean}, call);
}

Status fold_test(diopiContextHandle_t ctx, bool all, const FoldCall& call) { return run_fold(ctx, Test{all}, call); }

}  // namespace impl::cuda
