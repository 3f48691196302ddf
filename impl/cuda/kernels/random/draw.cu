// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/random/draw.hpp"

#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/random/philox.cuh"
#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

namespace {

constexpr int kWeightThreads = 128;

__device__ uint64_t long_word(const diopi::RandomStream& words, int64_t i) {
  return philox(words, static_cast<uint64_t>(i / 2)).pair(static_cast<int>(i % 2));
}

__global__ void __launch_bounds__(kBlock) random_keys(diopi::RandomStream words, int64_t n, int bits, uint64_t* keys) {
  for (int64_t i = thread_item(); i < n; i += all_threads()) keys[i] = long_word(words, i) >> bits;
}

struct WeightCall {
  WeightRows rows;
  const char* data;
  int64_t row_stride, stride;
  int64_t dtype, cumulative;
};

// A block reads a row, a few weights at a time. One thread adds them up, because the order of the sum is fixed.
__global__ void __launch_bounds__(kWeightThreads) read_rows(WeightCall call) {
  DIOPI_SHARED(double, chunk, [kWeightThreads]);
  DIOPI_SHARED(int64_t, lasts, [kWeightThreads]);
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t n = call.rows.n;
  for (int64_t row = blockIdx.x; row < call.rows.rows; row += gridDim.x) {
    double sum = 0;
    int64_t last = kNoWeight;
    for (int64_t first = 0; first < n; first += kWeightThreads) {
      const int64_t i = first + thread, count = n - first < kWeightThreads ? n - first : kWeightThreads;
      if (i < n) {
        const double weight =
            load_as<double>(call.data, row * call.row_stride + i * call.stride, static_cast<diopiDtype_t>(call.dtype));
        if (!(weight >= 0 && weight - weight == 0)) last = kInvalidWeight;
        if (weight > 0 && last != kInvalidWeight) last = i;
        chunk[thread] = weight;
      }
      __syncthreads();
      for (int k = 0; thread == 0 && call.cumulative != 0 && k < count; ++k) chunk[k] = sum += chunk[k];
      __syncthreads();
      if (i < n) call.rows.numbers[row * n + i] = chunk[thread];
    }
    lasts[thread] = last;
    __syncthreads();
    for (int k = 1; thread == 0 && k < kWeightThreads; ++k) {
      const bool invalid = last == kInvalidWeight || lasts[k] == kInvalidWeight;
      last = invalid ? kInvalidWeight : lasts[k] > last ? lasts[k] : last;
    }
    if (thread == 0) call.rows.last[row] = last;
    __syncthreads();  // before the next row uses the shared memory
  }
}

struct SampleCall {
  diopi::RandomStream words;
  WeightRows sums;
  int64_t samples, row_stride, stride, is_int64;
  void* out;
};

// The first position whose running sum is greater than a share of the whole sum; rounding may reach the whole sum.
__global__ void __launch_bounds__(kBlock) draw(SampleCall call) {
  for (int64_t item = thread_item(); item < call.sums.rows * call.samples; item += all_threads()) {
    const int64_t row = item / call.samples, sample = item - row * call.samples;
    const double* const sums = call.sums.numbers + row * call.sums.n;
    const double share = static_cast<double>(long_word(call.words, item) >> 11) * 0x1p-53 * sums[call.sums.n - 1];
    int64_t low = 0, high = call.sums.n;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (share < sums[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const int64_t position = min(low, call.sums.last[row]), at = row * call.row_stride + sample * call.stride;
    if (call.is_int64 != 0) {
      static_cast<int64_t*>(call.out)[at] = position;
    } else {
      static_cast<int32_t*>(call.out)[at] = static_cast<int32_t>(position);
    }
  }
}

// Numbers that are not negative are ordered as their bits are. A weight of zero waits for ever.
__global__ void __launch_bounds__(kBlock)
    waiting_times(diopi::RandomStream words, int64_t count, const double* weights, uint64_t* keys) {
  constexpr uint64_t kInfinity = 0x7FF0000000000000;
  for (int64_t i = thread_item(); i < count; i += all_threads()) {
    const double u = static_cast<double>((long_word(words, i) >> 12) + 1) * 0x1p-52;
    const double wait = -log(u) / weights[i];
    memcpy(keys + i, &wait, sizeof(wait));
    if (!(wait > 0)) keys[i] = wait == 0 ? 0 : kInfinity;
  }
}

}  // namespace

cudaError_t make_random_keys(cudaStream_t stream, const diopi::RandomStream& words, int64_t n, int bits,
                             uint64_t* keys) {
  return launch(random_keys, grid_for(n), kBlock, 0, stream, words, n, bits, keys);
}

diopi::Status read_weights(diopiContextHandle_t ctx, const diopi::TensorView& weights, bool cumulative,
                           const WeightRows& rows) {
  WeightCall call{rows, weights.data, weights.stride[0], weights.stride[1], weights.dtype, cumulative ? 1 : 0};
  return launch_blocks(ctx, read_rows, rows.rows, kWeightThreads, call);
}

cudaError_t draw_samples(cudaStream_t stream, const diopi::RandomStream& words, const WeightRows& sums,
                         const diopi::TensorView& out) {
  const bool is_int64 = out.dtype == diopi_dtype_int64;
  SampleCall call{words, sums, out.shape[1], out.stride[0], out.stride[1], is_int64 ? 1 : 0, out.data};
  return launch(draw, grid_for(sums.rows * call.samples), kBlock, 0, stream, call);
}

cudaError_t make_waiting_times(cudaStream_t stream, const diopi::RandomStream& words, const WeightRows& weights,
                               uint64_t* keys) {
  const int64_t count = weights.rows * weights.n;
  return launch(waiting_times, grid_for(count), kBlock, 0, stream, words, count, weights.numbers, keys);
}

}  // namespace impl::cuda
