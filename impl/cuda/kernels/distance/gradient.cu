// SPDX-License-Identifier: BSD-3-Clause
// Gradients of distances. A thread computes an element of a row: the sum over the rows of the other matrix in their
// order. The threads of a row share the factors of kTerms pairs of rows. The sums of kTerms terms are added with their
// rounding errors, so long sums lose no digits.
#include <cmath>

#include "impl/cuda/kernels/distance/distance.hpp"
#include "impl/cuda/kernels/distance/matrices.cuh"
#include "impl/cuda/kernels/rows/sum.cuh"

namespace impl::cuda {

namespace {

constexpr int kGradientThreads = 256, kTerms = 32;
constexpr int kFewLanes = 4, kMostLanes = 32;  // threads of a row
constexpr int kMostRows = kGradientThreads / kFewLanes;

// A pair of rows: its distance, and the factor of all its terms.
template <typename T>
struct Pair {
  T distance, weight;
};

// The derivatives: weight() is the factor of a pair, and term() is that of an element with the difference x. `power` is
// p - 1.
template <typename T>
struct OneDerivative {
  __device__ static T weight(T grad, T) { return grad; }
  __device__ static T term(T x, const Pair<T>& pair, T) { return sign(x) * pair.weight; }
  // 1, -1, 0 or NaN. As a factor, 0 lets a NaN of the gradient remain one.
  __device__ static T sign(T x) { return x == T(0) || x != x ? x : std::copysign(T(1), x); }
};

template <typename T>
struct MaximumDerivative : OneDerivative<T> {
  __device__ static T term(T x, const Pair<T>& pair, T) {
    return (std::fabs(x) == pair.distance || x != x ? OneDerivative<T>::sign(x) : T(0)) * pair.weight;
  }
};

template <typename T>
struct TwoDerivative {
  __device__ static T weight(T grad, T distance) { return distance == T(0) ? T(0) : grad / distance; }
  __device__ static T term(T x, const Pair<T>& pair, T) { return x * pair.weight; }
};

template <typename T>
struct AnyDerivative {
  __device__ static T weight(T grad, T distance) { return distance == T(0) ? T(0) : grad; }
  __device__ static T term(T x, const Pair<T>& pair, T power) {
    if ((x == T(0) && power < T(0)) || pair.distance == T(0)) return T(0);
    return std::copysign(std::pow(std::fabs(x) / pair.distance, power), x) * pair.weight;
  }
};

struct Gradients {
  Matrices<5> m;  // the gradients for a, those of the distances, a, b, the distances
  int64_t rows, columns, length;
  int lanes;
  double power;
};

// The sum of the terms of an element, with some elements of the other matrix in flight at a time.
template <class Derivative, typename T>
__device__ inline T sum_terms(T a, const T* b, int64_t step, int terms, const Pair<T>* pairs, T power) {
  constexpr int kLoads = 8;
  T sum(0), x[kLoads];
  for (int first = 0; first < terms; first += kLoads, b += kLoads * step) {
    DIOPI_UNROLL
    for (int j = 0; j < kLoads; ++j) x[j] = first + j < terms ? b[j * step] : T(0);
    DIOPI_UNROLL
    for (int j = 0; j < kLoads; ++j) {
      if (first + j < terms) sum += Derivative::term(a - x[j], pairs[first + j], power);
    }
  }
  return sum;
}

template <class Derivative, typename T>
__global__ void __launch_bounds__(kGradientThreads, 2) add_pairs(Gradients p, int64_t tiles) {
  DIOPI_SHARED(Pair<T>, pairs, [kMostRows * kTerms]);
  const int lane = static_cast<int>(threadIdx.x) % p.lanes, own = static_cast<int>(threadIdx.x) / p.lanes;
  const int tile_rows = kGradientThreads / p.lanes;
  const T power = static_cast<T>(p.power);
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int64_t matrix = tile, offset[5];
    const int64_t k = split_index(&matrix, (p.length + p.lanes - 1) / p.lanes) * p.lanes + lane;
    const int64_t top = split_index(&matrix, (p.rows + tile_rows - 1) / tile_rows) * tile_rows, row = top + own;
    offsets_at(p.m.batch, matrix, offset);
    const bool is_element = row < p.rows && k < p.length;
    const T a = is_element ? p.m.template at<T>(2, offset[2], row, k) : T(0);
    Sum<T> total{};
    for (int64_t first = 0; first < p.columns; first += kTerms) {
      const int terms = static_cast<int>(min(p.columns - first, int64_t{kTerms}));
      for (int i = static_cast<int>(threadIdx.x); i < tile_rows * kTerms; i += kGradientThreads) {
        const int64_t pair_row = top + i / kTerms, j = first + i % kTerms;
        if (pair_row >= p.rows || j >= p.columns) continue;
        const T distance = p.m.template at<T>(4, offset[4], pair_row, j);
        pairs[i] = {distance, Derivative::weight(p.m.template at<T>(1, offset[1], pair_row, j), distance)};
      }
      __syncthreads();
      if (is_element) {
        const T* const b = &p.m.template at<T>(3, offset[3], first, k);
        total.add(sum_terms<Derivative>(a, b, p.m.row[3], terms, pairs + own * kTerms, power));
      }
      __syncthreads();  // before the next pairs replace these
    }
    if (is_element) p.m.template at<T>(0, offset[0], row, k) = total.value();
  }
}

template <template <typename> class Derivative>
Status run(diopiContextHandle_t ctx, const Gradients& p, diopiDtype_t dtype) {
  const int rows = kGradientThreads / p.lanes;
  const int64_t tiles = p.m.count * ((p.rows + rows - 1) / rows) * ((p.length + p.lanes - 1) / p.lanes);
  const auto kernel =
      dtype == diopi_dtype_float64 ? add_pairs<Derivative<double>, double> : add_pairs<Derivative<float>, float>;
  return launch_blocks(ctx, kernel, tiles, kGradientThreads, p, tiles);
}

}  // namespace

Status compute_distance_gradients(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                                  const TensorView& a, const TensorView& b, const TensorView& distance, double p) {
  const int last = a.ndim() - 1;
  Gradients gradients{};
  gradients.m = Matrices<5>::of({&grad_input, &grad_output, &a, &b, &distance});
  gradients.rows = a.shape[last - 1];
  gradients.columns = b.shape[last - 1];
  gradients.length = a.shape[last];
  gradients.lanes = kFewLanes;
  while (gradients.lanes < kMostLanes && gradients.lanes < gradients.length) gradients.lanes *= 2;
  gradients.power = p - 1;
  if (p == 1) return run<OneDerivative>(ctx, gradients, a.dtype);
  if (p == 2) return run<TwoDerivative>(ctx, gradients, a.dtype);
  return std::isinf(p) ? run<MaximumDerivative>(ctx, gradients, a.dtype) : run<AnyDerivative>(ctx, gradients, a.dtype);
}

}  // namespace impl::cuda
