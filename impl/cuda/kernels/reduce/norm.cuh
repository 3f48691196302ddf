// SPDX-License-Identifier: BSD-3-Clause
#ifndef IMPL_CUDA_KERNELS_REDUCE_NORM_CUH_
#define IMPL_CUDA_KERNELS_REDUCE_NORM_CUH_

#include <cmath>

#include "impl/cuda/kernels/rows/stored.cuh"

namespace impl::cuda {

// kFew: p is infinite, 0, 1, 3 or 4.
enum class NormOrder { kTwo, kFew, kAny };

// Norms of order p: an operation of rows/fold.cuh.
template <NormOrder kOrder>
struct Norm {
  static constexpr int kInputs = 1, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = double;
  using Part = double;
  using Stored = std::conditional_t<kOrder == NormOrder::kAny, diopi::TypeList<>, StoredTypes<double>::type>;
  double p;

  __device__ bool is_extreme() const { return kOrder != NormOrder::kTwo && p - p != 0; }
  __device__ double identity() const { return p < 0 && is_extreme() ? -p : 0; }
  __device__ double start() const { return identity(); }
  __device__ double term(double x) const {
    const double a = fabs(x);
    if constexpr (kOrder == NormOrder::kTwo) return x * x;
    if constexpr (kOrder == NormOrder::kAny) return pow(a, p);
    if (p == 0) return x == 0 ? 0 : 1;
    if (p == 3) return a * a * a;
    return p == 4 ? (a * a) * (a * a) : a;
  }
  __device__ void add(double* sum, const double* x, int64_t) const { merge(sum, term(x[0])); }
  __device__ double close(double sum) const { return sum; }
  __device__ void merge(double* a, double b) const {
    if (!is_extreme()) {
      *a += b;
    } else if (b != b || (p > 0 ? b > *a : b < *a)) {
      *a = b;
    }
  }
  template <class Write>
  __device__ void finish(double a, int64_t, const Write& write) const {
    write(0, kOrder == NormOrder::kTwo ? sqrt(a) : p == 0 || p == 1 || is_extreme() ? a : pow(a, 1 / p));
  }
};

// Calls f with the operation for order p.
template <class F>
auto with_norm(double p, const F& f) {
  if (p == 2) return f(Norm<NormOrder::kTwo>{p});
  const bool is_few = p - p != 0 || p == 0 || p == 1 || p == 3 || p == 4;
  return is_few ? f(Norm<NormOrder::kFew>{p}) : f(Norm<NormOrder::kAny>{p});
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_REDUCE_NORM_CUH_
