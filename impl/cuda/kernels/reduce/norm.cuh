// SPDX-License-Identifier: BSD-3-Clause
#ifndef IMPL_CUDA_KERNELS_REDUCE_NORM_CUH_
#define IMPL_CUDA_KERNELS_REDUCE_NORM_CUH_

#include <cmath>

#include "impl/cuda/kernels/rows/stored.cuh"

namespace impl::cuda {

// Norms of order p: an operation of rows/fold.cuh. Without powers, p is infinite, 0, 1, 2, 3 or 4.
template <bool kPowers>
struct Norm {
  static constexpr int kInputs = 1, kOutputs = 1;
  static constexpr bool kOrdered = false;
  using Value = double;
  using Part = double;
  using Stored = std::conditional_t<kPowers, diopi::TypeList<>, StoredTypes<double>::type>;
  double p;

  static bool fits(double p) { return p - p != 0 || p == 0 || p == 1 || p == 2 || p == 3 || p == 4; }

  __device__ bool is_extreme() const { return p - p != 0; }
  __device__ double identity() const { return p < 0 && is_extreme() ? -p : 0; }
  __device__ double start() const { return identity(); }
  __device__ double term(double x) const {
    const double a = fabs(x);
    if constexpr (kPowers) return pow(a, p);
    if (p == 2) return x * x;
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
    write(0, p == 2 ? sqrt(a) : p == 0 || p == 1 || is_extreme() ? a : pow(a, 1 / p));
  }
};

// Calls f with the operation for order p.
template <class F>
auto with_norm(double p, const F& f) {
  return Norm<false>::fits(p) ? f(Norm<false>{p}) : f(Norm<true>{p});
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_REDUCE_NORM_CUH_
