// SPDX-License-Identifier: BSD-3-Clause
// Distances. A block computes a tile of pairs of rows, of which it keeps kTerms columns at a time in shared memory. The
// sums of kTerms terms are added with their rounding errors, so long sums lose no digits.
#include "impl/cuda/kernels/distance/distance.hpp"

#include <cmath>

#include "impl/cuda/kernels/distance/matrices.cuh"
#include "impl/cuda/kernels/rows/sum.cuh"

namespace impl::cuda {

namespace {

constexpr int kSide = 16, kEach = 2;  // threads of a block, and rows of a thread, in both directions
constexpr int kTile = kSide * kEach, kTerms = 16, kDistanceThreads = kSide * kSide;

// The norms: add() takes a difference into the sum of a few terms, merge() adds such sums, and finish() is the
// distance.
template <typename T>
struct CountNorm {
  using Total = Sum<T>;
  __device__ static void add(T* sum, T x, T) { *sum += x != x ? x : T(x != T(0) ? 1 : 0); }
  __device__ static void merge(Total* total, T sum) { total->add(sum); }
  __device__ static T finish(const Total& total, T) { return total.value(); }
};

template <typename T>
struct OneNorm : CountNorm<T> {
  __device__ static void add(T* sum, T x, T) { *sum += std::fabs(x); }
};

template <typename T>
struct TwoNorm : CountNorm<T> {
  __device__ static void add(T* sum, T x, T) { *sum = std::fma(x, x, *sum); }
  __device__ static T finish(const Sum<T>& total, T) { return std::sqrt(total.value()); }
};

template <typename T>
struct AnyNorm : CountNorm<T> {
  __device__ static void add(T* sum, T x, T p) { *sum += std::pow(std::fabs(x), p); }
  __device__ static T finish(const Sum<T>& total, T p) { return std::pow(total.value(), T(1) / p); }
};

template <typename T>
struct MaximumNorm {
  struct Total {
    T largest;
  };
  __device__ static T larger(T a, T b) { return a < b || b != b ? b : a; }  // NaN stays
  __device__ static void add(T* sum, T x, T) { *sum = larger(*sum, std::fabs(x)); }
  __device__ static void merge(Total* total, T sum) { total->largest = larger(total->largest, sum); }
  __device__ static T finish(const Total& total, T) { return total.largest; }
};

struct Distances {
  Matrices<3> m;  // the distances, a, b
  int64_t rows, columns, length;
  double p;
};

// Reads kTerms columns of kTile rows from (row, k) on. Elements outside of the matrix are 0.
template <typename T>
__device__ void read_tile(const Distances& p, int operand, int64_t offset, int64_t row, int64_t rows, int64_t k,
                          T (*tile)[kTile + 1]) {
  const int column = static_cast<int>(threadIdx.x) % kTerms;
  for (int i = static_cast<int>(threadIdx.x) / kTerms; i < kTile; i += kDistanceThreads / kTerms) {
    const bool is_element = row + i < rows && k + column < p.length;
    tile[column][i] = is_element ? p.m.template at<T>(operand, offset, row + i, k + column) : T(0);
  }
}

template <class Norm, typename T>
__global__ void __launch_bounds__(kDistanceThreads) compute_tiles(Distances p, int64_t tiles) {
  DIOPI_SHARED(T, a, [kTerms][kTile + 1]);
  DIOPI_SHARED(T, b, [kTerms][kTile + 1]);
  const int x = static_cast<int>(threadIdx.x) % kSide, y = static_cast<int>(threadIdx.x) / kSide;
  const T power = static_cast<T>(p.p);
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int64_t matrix = tile, offset[3];
    const int64_t left = split_index(&matrix, (p.columns + kTile - 1) / kTile) * kTile;
    const int64_t top = split_index(&matrix, (p.rows + kTile - 1) / kTile) * kTile;
    offsets_at(p.m.batch, matrix, offset);
    typename Norm::Total total[kEach][kEach] = {};
    for (int64_t k = 0; k < p.length; k += kTerms) {
      read_tile(p, 1, offset[1], top, p.rows, k, a);
      read_tile(p, 2, offset[2], left, p.columns, k, b);
      __syncthreads();
      T sum[kEach][kEach] = {};
      const int terms = static_cast<int>(min(p.length - k, int64_t{kTerms}));
      for (int t = 0; t < terms; ++t) {
        for (int i = 0; i < kEach; ++i) {
          for (int j = 0; j < kEach; ++j) Norm::add(&sum[i][j], a[t][y + i * kSide] - b[t][x + j * kSide], power);
        }
      }
      for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) Norm::merge(&total[i][j], sum[i][j]);
      }
      __syncthreads();  // before the next columns replace these
    }
    for (int i = 0; i < kEach; ++i) {
      for (int j = 0; j < kEach; ++j) {
        const int64_t row = top + y + i * kSide, column = left + x + j * kSide;
        if (row >= p.rows || column >= p.columns) continue;
        p.m.template at<T>(0, offset[0], row, column) = Norm::finish(total[i][j], power);
      }
    }
  }
}

template <template <typename> class Norm>
Status run(diopiContextHandle_t ctx, const Distances& p, diopiDtype_t dtype) {
  const int64_t tiles = p.m.count * ((p.rows + kTile - 1) / kTile) * ((p.columns + kTile - 1) / kTile);
  const auto kernel =
      dtype == diopi_dtype_float64 ? compute_tiles<Norm<double>, double> : compute_tiles<Norm<float>, float>;
  return launch_blocks(ctx, kernel, tiles, kDistanceThreads, p, tiles);
}

}  // namespace

Status compute_distances(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
                         double p) {
  const int last = out.ndim() - 1;
  const Distances distances{Matrices<3>::of({&out, &a, &b}), out.shape[last - 1], out.shape[last], a.shape[last], p};
  if (p == 0) return run<CountNorm>(ctx, distances, out.dtype);
  if (p == 1) return run<OneNorm>(ctx, distances, out.dtype);
  if (p == 2) return run<TwoNorm>(ctx, distances, out.dtype);
  return std::isinf(p) ? run<MaximumNorm>(ctx, distances, out.dtype) : run<AnyNorm>(ctx, distances, out.dtype);
}

}  // namespace impl::cuda
