// SPDX-License-Identifier: BSD-3-Clause
#include "functions.hpp"
#include "impl/cuda/kernels/random/running_sum.cuh"

namespace {

using namespace impl::cuda;

__global__ void add_up(double* sums, const double* weights, int n) {
  DIOPI_SHARED(RunningSum, running, [1]);
  if (threadIdx.x == 0) running->sum = 0;
  for (int first = 0; first < n; first += kSumChunk) {
    const int count = n - first < kSumChunk ? n - first : kSumChunk;
    double weight[kSumItems] = {};
    for (int j = 0; j < kSumItems; ++j) {
      const int at = static_cast<int>(threadIdx.x) * kSumItems + j;
      if (at < count) weight[j] = weights[first + at];
    }
    if (threadIdx.x == 0) running->done = 0;
    __syncthreads();
    while (running->done < count) add_weights(weight, count, sums + first, running);
    __syncthreads();
  }
}

}  // namespace

cudaError_t run_running_sums(double* sums, const double* weights, int n) {
  return launch(add_up, dim3(1), dim3(kSumThreads), 0, nullptr, sums, weights, n);
}
