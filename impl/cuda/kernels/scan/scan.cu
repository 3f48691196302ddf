// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/scan/scan.hpp"

#include "impl/cuda/kernels/scan/scan.cuh"

namespace impl::cuda {

namespace {

constexpr int kEach = 8;
constexpr int64_t kPart = kBlock * kEach;

constexpr int64_t parts_of(int64_t n) { return (n + kPart - 1) / kPart; }

// Scans each part, and writes its sum to `sums`.
__global__ void __launch_bounds__(kBlock) scan_parts(int64_t* numbers, int64_t n, int64_t* sums) {
  const int64_t begin = blockIdx.x * kPart + static_cast<int64_t>(threadIdx.x) * kEach;
  int64_t own[kEach], sum = 0, total = 0;
  for (int k = 0; k < kEach; ++k) {
    own[k] = begin + k < n ? numbers[begin + k] : 0;
    sum += own[k];
  }
  int64_t before = scan_block(sum, &total);
  for (int k = 0; k < kEach && begin + k < n; ++k) {
    numbers[begin + k] = before;
    before += own[k];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void __launch_bounds__(kBlock) add_sums(int64_t* numbers, int64_t n, const int64_t* sums) {
  const int64_t begin = blockIdx.x * kPart + threadIdx.x, before = sums[blockIdx.x];
  for (int k = 0; k < kEach; ++k) {
    const int64_t i = begin + k * kBlock;
    if (i < n) numbers[i] += before;
  }
}

}  // namespace

int64_t scan_scratch(int64_t n) {
  int64_t elements = 0;
  do {
    n = parts_of(n);
    elements += n;
  } while (n > 1);
  return elements;
}

cudaError_t scan_exclusive(cudaStream_t stream, int64_t* numbers, int64_t n, int64_t* scratch) {
  const int64_t parts = parts_of(n);
  const dim3 grid(static_cast<unsigned>(parts));
  cudaError_t error = launch(scan_parts, grid, kBlock, 0, stream, numbers, n, scratch);
  if (error != cudaSuccess || parts <= 1) return error;
  error = scan_exclusive(stream, scratch, parts, scratch + parts);
  if (error != cudaSuccess) return error;
  return launch(add_sums, grid, kBlock, 0, stream, numbers, n, scratch);
}

}  // namespace impl::cuda
