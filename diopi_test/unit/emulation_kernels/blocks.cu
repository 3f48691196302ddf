// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose threads work together in shared memory and by warp functions.
#include "kernels.hpp"

using diopi::emulation::launch;

namespace {

// Every thread gets the sum over the block. The shared array may be used again at once.
__device__ float sum_block(float value, Planted planted) {
  DIOPI_SHARED(float, partial, [32]);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (unsigned offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
  if (lane == 0) partial[warp] = value;
  if (planted != Planted::kNoBarrierBeforeRead) __syncthreads();
  if (warp == 0) {
    value = lane < warps ? partial[lane] : 0;
    for (unsigned offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    if (lane == 0) partial[0] = value;
  }
  if (planted == Planted::kTwoBarriers && warp == 0) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  const float result = partial[0];
  if (planted != Planted::kNoBarrierBeforeReuse) __syncthreads();
  return result;
}

// The variance of each row: two reductions, one after the other.
__global__ void variance_rows(float* out, const float* in, int64_t length, Planted planted) {
  const float* const row = in + blockIdx.x * length;
  float sum = 0, squares = 0;
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x) sum += row[i];
  if (planted == Planted::kBarrierOfSome && threadIdx.x >= 64) return;
  const float mean = sum_block(sum, planted) / static_cast<float>(length);
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x) squares += (row[i] - mean) * (row[i] - mean);
  squares = sum_block(squares, planted);
  if (threadIdx.x == 0) out[blockIdx.x] = squares / static_cast<float>(length);
}

__global__ void sum_all(float* out, const float* in, int64_t length, Planted planted) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float sum = sum_block(i < length ? in[i] : 0, planted);
  if (threadIdx.x != 0) return;
  if (planted == Planted::kPlainSumOfBlocks) {
    *out += sum;
  } else {
    atomicAdd(out, sum);
  }
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

constexpr int kTile = 8;

// Square matrices of row-major order.
__global__ void multiply(float* out, const float* a, const float* b, int size, Planted planted) {
  DIOPI_SHARED(float, left, [kTile][kTile]);
  DIOPI_SHARED(float, right, [kTile][kTile]);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + y, column = static_cast<int>(blockIdx.x) * kTile + x;
  float sum = 0;
  for (int start = 0; start < size; start += kTile) {
    left[y][x] = row < size && start + x < size ? a[row * size + start + x] : 0;
    right[y][x] = start + y < size && column < size ? b[(start + y) * size + column] : 0;
    __syncthreads();
    const int end = planted == Planted::kBeyondTheRow && y + 1 < kTile ? kTile + 1 : kTile;
    const float* const of_row = left[y];
    for (int i = 0; i < end; ++i) sum += of_row[i] * right[i % kTile][x];
    if (planted != Planted::kNoBarrierAfterTile) __syncthreads();
  }
  if (row < size && column < size) out[row * size + column] = sum;
}

// The positions of the positive numbers, in order: one warp, a vote for each 32 numbers.
__global__ void find_positive(int* positions, int* count, const float* in, int length, Planted planted) {
  int found = 0;
  for (int start = 0; start < length; start += 32) {
    const int i = start + static_cast<int>(threadIdx.x);
    if (planted == Planted::kLanesHaveLeft && i >= length) return;
    const bool positive = i < length && in[i] > 0;
    const unsigned votes = __ballot_sync(0xFFFFFFFFu, positive ? 1 : 0);
    if (positive) positions[found + __popc(votes & ((1u << threadIdx.x) - 1))] = i;
    found += __popc(votes);
  }
  if (threadIdx.x == 0) *count = found;
}

// Sorts 2^n numbers in dynamic shared memory: a bitonic network.
__global__ void sort_block(float* data, int count, Planted planted) {
  DIOPI_DYNAMIC_SHARED(float, numbers);
  const int i = static_cast<int>(threadIdx.x);
  numbers[i] = data[i];
  for (int run = 2; run <= count; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      if (planted != Planted::kNoBarrierInWarp || distance >= 32) __syncthreads();
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
  data[i] = numbers[planted == Planted::kBeyondSharedArray ? i + 1 : i];
}

__global__ void record_blocks(int* blocks, int* count) { blocks[atomicAdd(count, 1)] = static_cast<int>(blockIdx.x); }

}  // namespace

cudaError_t run_record_blocks(int* blocks, int* count, int grid, cudaStream_t stream) {
  return launch(record_blocks, dim3(static_cast<unsigned>(grid)), dim3(1), 0, stream, blocks, count);
}

cudaError_t run_variance_rows(float* out, const float* in, int rows, int64_t length, cudaStream_t stream,
                              Planted planted) {
  return launch(variance_rows, dim3(static_cast<unsigned>(rows)), dim3(128), 0, stream, out, in, length, planted);
}

cudaError_t run_sum_all(float* out, const float* in, int64_t length, cudaStream_t stream, Planted planted) {
  return launch(sum_all, dim3(static_cast<unsigned>((length + 63) / 64)), dim3(64), 0, stream, out, in, length,
                planted);
}

cudaError_t run_transpose(float* out, const float* in, int rows, int columns, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((columns + 31) / 32), static_cast<unsigned>((rows + 31) / 32));
  return launch(transpose, grid, dim3(32, 32), 0, stream, out, in, rows, columns);
}

cudaError_t run_multiply(float* out, const float* a, const float* b, int size, cudaStream_t stream, Planted planted) {
  const auto tiles = static_cast<unsigned>((size + kTile - 1) / kTile);
  return launch(multiply, dim3(tiles, tiles), dim3(kTile, kTile), 0, stream, out, a, b, size, planted);
}

cudaError_t run_find_positive(int* positions, int* count, const float* in, int length, cudaStream_t stream,
                              Planted planted) {
  return launch(find_positive, dim3(1), dim3(32), 0, stream, positions, count, in, length, planted);
}

cudaError_t run_sort_block(float* data, int count, cudaStream_t stream, Planted planted) {
  return launch(sort_block, dim3(1), dim3(static_cast<unsigned>(count)), static_cast<size_t>(count) * sizeof(float),
                stream, data, count, planted);
}
