// SPDX-License-Identifier: BSD-3-Clause
// Largest and smallest elements, and their positions.
#include "impl/cuda/kernels/reduce/reduce.hpp"
#include "impl/cuda/kernels/rows/fold.cuh"

namespace impl::cuda {

namespace {

// T: the type in which elements are compared; S: the stored types that have kernels of their own.
template <typename T, typename... S>
struct Extremum {
  static constexpr int kInputs = 1, kOutputs = 2;
  static constexpr bool kOrdered = true;
  using Value = T;
  using Stored = diopi::TypeList<S...>;
  // A position below 0: there was no element yet.
  struct Part {
    T value;
    int64_t position;
  };
  bool largest;

  __device__ Part identity() const { return {T(0), -1}; }
  __device__ Part start() const { return identity(); }
  // A thread folds its elements in the order of their positions.
  __device__ void add(Part* best, const T* x, int64_t position) const {
    if (best->position < 0 || is_beyond(x[0], best->value)) *best = Part{x[0], position};
  }
  __device__ Part close(const Part& best) const { return best; }
  // NaN is beyond all numbers, but not beyond NaN.
  __device__ bool is_beyond(T b, T a) const { return a == a && !(largest ? b <= a : b >= a); }
  // Of elements that are alike, the first one counts.
  __device__ void merge(Part* a, const Part& b) const {
    if (b.position < 0) return;
    const bool first = b.position < a->position && !is_beyond(a->value, b.value);
    if (a->position < 0 || first || is_beyond(b.value, a->value)) *a = b;
  }
  template <class Write>
  __device__ void finish(const Part& a, int64_t, const Write& write) const {
    write(0, a.value);
    write(1, a.position);
  }
};

}  // namespace

Status fold_extremum(diopiContextHandle_t ctx, bool largest, diopiDtype_t dtype, const FoldCall& call) {
  if (dtype == diopi_dtype_float64) return run_fold(ctx, Extremum<double, double>{largest}, call);
  if (diopi::is_floating(dtype)) return run_fold(ctx, Extremum<float, float, float16, bfloat16>{largest}, call);
  if (dtype == diopi_dtype_uint64) return run_fold(ctx, Extremum<uint64_t>{largest}, call);
  return run_fold(ctx, Extremum<int64_t, uint8_t, int8_t, int16_t, int32_t, int64_t>{largest}, call);
}

}  // namespace impl::cuda
