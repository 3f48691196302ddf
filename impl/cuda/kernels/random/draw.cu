// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/random/draw.hpp"

#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/random/philox.cuh"

namespace impl::cuda {

namespace {

__device__ uint64_t long_word(const diopi::RandomStream& words, int64_t i) {
  return philox(words, static_cast<uint64_t>(i / 2)).pair(static_cast<int>(i % 2));
}

__global__ void __launch_bounds__(kBlock) random_keys(diopi::RandomStream words, int64_t n, int bits, uint64_t* keys) {
  for (int64_t i = thread_item(); i < n; i += all_threads()) keys[i] = long_word(words, i) >> bits;
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
