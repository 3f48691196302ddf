// SPDX-License-Identifier: BSD-3-Clause
// Weights and their running sums, with the bits of a loop that adds one weight after another in float64.
#include "impl/cuda/kernels/random/draw.hpp"
#include "impl/cuda/kernels/random/running_sum.cuh"
#include "impl/cuda/kernels/rows/stored.cuh"

namespace impl::cuda {

namespace {

struct WeightCall {
  WeightRows rows;
  const char* data;
  int64_t row_stride, stride;
  int64_t cumulative;
};

// The last position of a positive weight of two parts of a row.
__device__ inline int64_t later_of(int64_t a, int64_t b) {
  return a == kInvalidWeight || b == kInvalidWeight ? kInvalidWeight : max(a, b);
}

// Merges the last positions of positive weights of all threads. Returns the result in thread 0.
__device__ inline int64_t last_of_all(int64_t last) {
  DIOPI_SHARED(int64_t, lasts, [kSumThreads]);
  const int thread = static_cast<int>(threadIdx.x);
  lasts[thread] = last;
  for (int step = kSumThreads / 2; step > 0; step /= 2) {
    __syncthreads();
    if (thread >= step) continue;
    lasts[thread] = later_of(lasts[thread], lasts[thread + step]);
  }
  const int64_t result = thread == 0 ? lasts[0] : kNoWeight;
  __syncthreads();  // `lasts` may be used again
  return result;
}

__device__ inline bool is_weight(double x) { return x >= 0 && x - x == 0; }

// The first weights of a row: their sum gets another unit so often that one thread adds them up faster.
constexpr int kFirstWeights = 256;
static_assert(kFirstWeights % kSumItems == 0 && kFirstWeights <= kSumThreads, "whole threads");

// Writes the sums of the first `count` weights, and returns the last one.
template <typename S>
__device__ double add_first(const S* row, int64_t stride, int count, double* numbers) {
  DIOPI_SHARED(double, sums, [kFirstWeights]);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < count) {
    const auto weight = convert<double>(row[thread * stride]);
    sums[thread] = is_weight(weight) ? weight : 0;
  }
  __syncthreads();
  if (thread == 0) {
    double sum = 0;
    DIOPI_UNROLL_BY(8)
    for (int i = 0; i < count; ++i) {
      sum += sums[i];
      sums[i] = sum;
    }
  }
  __syncthreads();
  if (thread < count) numbers[thread] = sums[thread];
  const double sum = sums[count - 1];
  __syncthreads();  // `sums` may be used again
  return sum;
}

// A thread's weights of a chunk, from element `first` of the row on; those behind `n` are 0. Returns the position of
// the last positive one.
template <typename S>
__device__ int64_t read_chunk(const S* row, int64_t stride, int64_t first, int64_t n, double (&weight)[kSumItems]) {
  S stored[kSumItems];
  DIOPI_UNROLL
  for (int j = 0; j < kSumItems; ++j) stored[j] = first + j < n ? row[(first + j) * stride] : S{};
  int64_t last = kNoWeight;
  DIOPI_UNROLL
  for (int j = 0; j < kSumItems; ++j) {
    weight[j] = convert<double>(stored[j]);
    if (!is_weight(weight[j])) {
      last = kInvalidWeight;
      weight[j] = 0;  // the sums of this row are not used
    }
    if (weight[j] > 0 && last != kInvalidWeight) last = first + j;
  }
  return last;
}

// A block reads a row.
template <typename S>
__global__ void __launch_bounds__(kSumThreads) read_rows(WeightCall call) {
  DIOPI_SHARED(RunningSum, running, [1]);
  const int64_t n = call.rows.n;
  for (int64_t row = blockIdx.x; row < call.rows.rows; row += gridDim.x) {
    const S* const weights = reinterpret_cast<const S*>(call.data) + row * call.row_stride;
    const int added = call.cumulative != 0 ? static_cast<int>(min(n, int64_t{kFirstWeights})) : 0;
    const double sum = added > 0 ? add_first(weights, call.stride, added, call.rows.numbers + row * n) : 0;
    if (threadIdx.x == 0) running->sum = sum;
    int64_t last = kNoWeight;
    for (int64_t first = 0; first < n; first += kSumChunk) {
      const int count = static_cast<int>(min(n - first, int64_t{kSumChunk}));
      const int own = static_cast<int>(threadIdx.x) * kSumItems;
      double* const numbers = call.rows.numbers + row * n + first;
      double weight[kSumItems];
      last = later_of(last, read_chunk(weights, call.stride, first + own, n, weight));
      if (call.cumulative == 0) {
        DIOPI_UNROLL
        for (int j = 0; j < kSumItems; ++j) {
          if (own + j < count) numbers[own + j] = weight[j];
        }
        continue;
      }
      if (threadIdx.x == 0) running->done = first == 0 ? added : 0;
      __syncthreads();
      while (running->done < count) add_weights(weight, count, numbers, running);
      __syncthreads();  // before the next chunk begins
    }
    last = last_of_all(last);
    if (threadIdx.x == 0) call.rows.last[row] = last;
  }
}

}  // namespace

diopi::Status read_weights(diopiContextHandle_t ctx, const diopi::TensorView& weights, bool cumulative,
                           const WeightRows& rows) {
  WeightCall call{rows, weights.data, weights.stride[0], weights.stride[1], cumulative ? 1 : 0};
  diopi::Status status = diopiSuccess;
  visit_listed(StoredTypes<double>::type(), weights.dtype,
               [&](auto tag) { status = launch_blocks(ctx, read_rows<decltype(tag)>, rows.rows, kSumThreads, call); });
  return status;
}

}  // namespace impl::cuda
