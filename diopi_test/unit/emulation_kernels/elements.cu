// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose threads do not communicate, or only by atomics.
#include <cuda_fp16.h>

#include "kernels.hpp"

using diopi::emulation::launch;

namespace {

__global__ void add_scaled(float* out, const float* a, const float* b, float scale, int64_t count, Planted planted) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count + (planted == Planted::kBeyondTheEnd ? 1 : 0)) out[i] = a[i] + scale * b[i];
}

__global__ void copy_vectors(float4* out, const float4* in, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

__global__ void count_values(int* histogram, const int* in, int length, Planted planted) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= length) return;
  if (planted == Planted::kPlainHistogram) {
    histogram[in[i]] += 1;
  } else {
    atomicAdd(&histogram[in[i]], 1);
  }
}

__global__ void add_halves(__half* sum, const __half* in, int length) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < length) atomicAdd(sum, in[i]);
}

__global__ void fill_column(uint8_t* out, int rows, int stride, Planted planted) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  const int64_t right = static_cast<int64_t>(row) * stride;
  const auto wrong = static_cast<int32_t>(static_cast<uint32_t>(row) * static_cast<uint32_t>(stride));
  out[planted == Planted::kIndexOf32Bits ? wrong : right] = 7;
}

dim3 blocks_of(int64_t count, int threads) { return dim3(static_cast<unsigned>((count + threads - 1) / threads)); }

}  // namespace

cudaError_t run_add_scaled(float* out, const float* a, const float* b, float scale, int64_t count, cudaStream_t stream,
                           Planted planted) {
  return launch(add_scaled, blocks_of(count + 1, 128), dim3(128), 0, stream, out, a, b, scale, count, planted);
}

cudaError_t run_copy_vectors(float* out, const float* in, int64_t count, cudaStream_t stream) {
  return launch(copy_vectors, blocks_of(count / 4, 128), dim3(128), 0, stream, reinterpret_cast<float4*>(out),
                reinterpret_cast<const float4*>(in), count / 4);
}

cudaError_t run_count_values(int* histogram, const int* in, int length, cudaStream_t stream, Planted planted) {
  return launch(count_values, blocks_of(length, 64), dim3(64), 0, stream, histogram, in, length, planted);
}

cudaError_t run_add_halves(uint16_t* sum, const uint16_t* in, int length, cudaStream_t stream) {
  return launch(add_halves, blocks_of(length, 64), dim3(64), 0, stream, reinterpret_cast<__half*>(sum),
                reinterpret_cast<const __half*>(in), length);
}

cudaError_t run_fill_column(uint8_t* out, int rows, int stride, cudaStream_t stream, Planted planted) {
  return launch(fill_column, blocks_of(rows, 64), dim3(64), 0, stream, out, rows, stride, planted);
}
