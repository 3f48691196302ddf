// SPDX-License-Identifier: BSD-3-Clause
// Weights and their running sums, with the bits of a loop that adds one weight after another in float64.
#include "impl/cuda/kernels/random/draw.hpp"
#include "impl/cuda/kernels/random/running_sum.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

namespace {

struct WeightCall {
  WeightRows rows;
  const char* data;
  int64_t row_stride, stride;
  int64_t dtype, cumulative;
};

// Merges the last positions of positive weights of all threads. Returns the result in thread 0.
__device__ inline int64_t last_of_all(int64_t last) {
  DIOPI_SHARED(int64_t, lasts, [kSumThreads]);
  const int thread = static_cast<int>(threadIdx.x);
  lasts[thread] = last;
  for (int step = kSumThreads / 2; step > 0; step /= 2) {
    __syncthreads();
    if (thread >= step) continue;
    const int64_t other = lasts[thread + step];
    const bool is_invalid = lasts[thread] == kInvalidWeight || other == kInvalidWeight;
    lasts[thread] = is_invalid ? kInvalidWeight : max(lasts[thread], other);
  }
  const int64_t result = thread == 0 ? lasts[0] : kNoWeight;
  __syncthreads();  // `lasts` may be used again
  return result;
}

// A block reads a row.
__global__ void __launch_bounds__(kSumThreads) read_rows(WeightCall call) {
  DIOPI_SHARED(RunningSum, running, [1]);
  const int64_t n = call.rows.n;
  const auto dtype = static_cast<diopiDtype_t>(call.dtype);
  for (int64_t row = blockIdx.x; row < call.rows.rows; row += gridDim.x) {
    if (threadIdx.x == 0) running->sum = 0;
    int64_t last = kNoWeight;
    for (int64_t first = 0; first < n; first += kSumChunk) {
      const int count = static_cast<int>(min(n - first, int64_t{kSumChunk}));
      double* const numbers = call.rows.numbers + row * n + first;
      double weight[kSumItems];
      DIOPI_UNROLL
      for (int j = 0; j < kSumItems; ++j) {
        const int at = static_cast<int>(threadIdx.x) * kSumItems + j;
        weight[j] = 0;
        if (at >= count) continue;
        weight[j] = load_as<double>(call.data, row * call.row_stride + (first + at) * call.stride, dtype);
        if (!(weight[j] >= 0 && weight[j] - weight[j] == 0)) {
          last = kInvalidWeight;
          weight[j] = 0;  // the sums of this row are not used
        }
        if (weight[j] > 0 && last != kInvalidWeight) last = first + at;
        if (call.cumulative == 0) numbers[at] = weight[j];
      }
      if (call.cumulative == 0) continue;
      if (threadIdx.x == 0) running->done = 0;
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
  WeightCall call{rows, weights.data, weights.stride[0], weights.stride[1], weights.dtype, cumulative ? 1 : 0};
  return launch_blocks(ctx, read_rows, rows.rows, kSumThreads, call);
}

}  // namespace impl::cuda
