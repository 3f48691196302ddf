// SPDX-License-Identifier: BSD-3-Clause
// Right kernels of the kinds that the vendor cuda has, and launchers for the tests.
#include "right.hpp"

#include <cuda_fp16.h>

using diopi::emulation::launch;

namespace {

__global__ void add_scaled(float* out, const float* a, const float* b, float scale, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = a[i] + scale * b[i];
}

__global__ void copy_vectors(float4* out, const float4* in, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

// Every thread gets the sum over the block. The shared array may be used again at once.
__device__ float sum_block(float value) {
  DIOPI_SHARED(float, partial, [32]);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (unsigned offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < warps ? partial[lane] : 0;
    for (unsigned offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    if (lane == 0) partial[0] = value;
  }
  __syncthreads();
  const float result = partial[0];
  __syncthreads();
  return result;
}

// The variance of each row: two reductions, one after the other.
__global__ void variance_rows(float* out, const float* in, int64_t length) {
  const float* const row = in + blockIdx.x * length;
  float sum = 0, squares = 0;
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x) sum += row[i];
  const float mean = sum_block(sum) / static_cast<float>(length);
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x) squares += (row[i] - mean) * (row[i] - mean);
  squares = sum_block(squares);
  if (threadIdx.x == 0) out[blockIdx.x] = squares / static_cast<float>(length);
}

__global__ void transpose(float* out, const float* in, int rows, int columns) {
  DIOPI_SHARED(float, tile, [32][33]);
  const int row = static_cast<int>(blockIdx.y * 32 + threadIdx.y),
            column = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
  __syncthreads();
  const int to_row = static_cast<int>(blockIdx.x * 32 + threadIdx.y),
            to_column = static_cast<int>(blockIdx.y * 32 + threadIdx.x);
  if (to_row < columns && to_column < rows) out[to_row * rows + to_column] = tile[threadIdx.x][threadIdx.y];
}

// The positions of the positive numbers, in order: one warp, a ballot for each 32 numbers.
__global__ void find_positive(int* positions, int* count, const float* in, int length) {
  int found = 0;
  for (int start = 0; start < length; start += 32) {
    const int i = start + static_cast<int>(threadIdx.x);
    const bool positive = i < length && in[i] > 0;
    const unsigned votes = __ballot_sync(0xFFFFFFFFu, positive ? 1 : 0);
    if (positive) positions[found + __popc(votes & ((1u << threadIdx.x) - 1))] = i;
    found += __popc(votes);
  }
  if (threadIdx.x == 0) *count = found;
}

// Sorts 2^n numbers in dynamic shared memory: a bitonic network.
__global__ void sort_block(float* data, int count) {
  DIOPI_DYNAMIC_SHARED(float, numbers);
  const int i = static_cast<int>(threadIdx.x);
  numbers[i] = data[i];
  for (int run = 2; run <= count; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int other = i ^ distance;
      const bool up = (i & run) == 0;
      if (other > i && (numbers[i] > numbers[other]) == up) {
        const float saved = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = saved;
      }
    }
  }
  __syncthreads();
  data[i] = numbers[i];
}

__global__ void count_values(int* histogram, const int* in, int length) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < length) atomicAdd(&histogram[in[i]], 1);
}

__global__ void add_halves(__half* sum, const __half* in, int length) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < length) atomicAdd(sum, in[i]);
}

}  // namespace

cudaError_t run_add_scaled(float* out, const float* a, const float* b, float scale, int64_t count,
                           cudaStream_t stream) {
  return launch(add_scaled, dim3(static_cast<unsigned>((count + 127) / 128)), dim3(128), 0, stream, out, a, b, scale,
                count);
}

cudaError_t run_copy_vectors(float* out, const float* in, int64_t count, cudaStream_t stream) {
  return launch(copy_vectors, dim3(static_cast<unsigned>((count / 4 + 127) / 128)), dim3(128), 0, stream,
                reinterpret_cast<float4*>(out), reinterpret_cast<const float4*>(in), count / 4);
}

cudaError_t run_variance_rows(float* out, const float* in, int rows, int64_t length, cudaStream_t stream) {
  return launch(variance_rows, dim3(static_cast<unsigned>(rows)), dim3(128), 0, stream, out, in, length);
}

cudaError_t run_transpose(float* out, const float* in, int rows, int columns, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((columns + 31) / 32), static_cast<unsigned>((rows + 31) / 32));
  return launch(transpose, grid, dim3(32, 32), 0, stream, out, in, rows, columns);
}

cudaError_t run_find_positive(int* positions, int* count, const float* in, int length, cudaStream_t stream) {
  return launch(find_positive, dim3(1), dim3(32), 0, stream, positions, count, in, length);
}

cudaError_t run_sort_block(float* data, int count, cudaStream_t stream) {
  return launch(sort_block, dim3(1), dim3(static_cast<unsigned>(count)), static_cast<size_t>(count) * sizeof(float),
                stream, data, count);
}

cudaError_t run_count_values(int* histogram, const int* in, int length, cudaStream_t stream) {
  return launch(count_values, dim3(static_cast<unsigned>((length + 63) / 64)), dim3(64), 0, stream, histogram, in,
                length);
}

cudaError_t run_add_halves(uint16_t* sum, const uint16_t* in, int length, cudaStream_t stream) {
  return launch(add_halves, dim3(static_cast<unsigned>((length + 63) / 64)), dim3(64), 0, stream,
                reinterpret_cast<__half*>(sum), reinterpret_cast<const __half*>(in), length);
}
