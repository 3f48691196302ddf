// SPDX-License-Identifier: BSD-3-Clause
// Kernels that call single functions of the emulation, for tests that compare with what CUDA's manual says.
#include "functions.hpp"

#include <cstdint>
#include <cstring>

using diopi::emulation::launch;

namespace {

// One row of 32 numbers for each function.
__global__ void call_warp_functions(int* out) {
  const int lane = static_cast<int>(threadIdx.x), value = lane * 10;
  const unsigned all = 0xFFFFFFFFu;
  int row = 0;
  const auto put = [&](int result) { out[row++ * 32 + lane] = result; };
  put(__shfl_sync(all, value, 5));
  put(__shfl_sync(all, value, 9, 8));
  put(__shfl_up_sync(all, value, 3));
  put(__shfl_up_sync(all, value, 1, 8));
  put(__shfl_down_sync(all, value, 3));
  put(__shfl_down_sync(all, value, 1, 8));
  put(__shfl_xor_sync(all, value, 1));
  put(static_cast<int>(__ballot_sync(all, lane % 3 == 0 ? 1 : 0)));
  put(__any_sync(all, lane == 7 ? 1 : 0));
  put(__all_sync(all, lane == 7 ? 1 : 0));
  put(static_cast<int>(__match_any_sync(all, lane % 4)));
  put(__reduce_add_sync(all, value));
  put(__reduce_max_sync(all, value - 100));
  put(__reduce_min_sync(all, value - 100));
  put(static_cast<int>(__reduce_xor_sync(all, static_cast<unsigned>(lane))));
  // Groups of eight lanes, each with a mask of its own and a count of exchanges of its own.
  const unsigned group = 0xFFu << (lane / 8 * 8);
  int sum = value;
  for (int round = 0; round <= lane / 8; ++round) sum = __reduce_add_sync(group, sum);
  put(sum);
}

__global__ void call_barriers(int* out) {
  const int thread = static_cast<int>(threadIdx.x);
  out[thread] = __syncthreads_count(thread % 5 == 0 ? 1 : 0);
  out[96 + thread] = __syncthreads_or(thread == 60 ? 1 : 0);
  out[192 + thread] = __syncthreads_and(thread != 60 ? 1 : 0);
  if (thread < 40) return;
  out[288 + thread] = __syncthreads_count(1);
}

__global__ void call_atomics(int* signed_words, unsigned* words, unsigned long long* wide, double* real) {
  const auto thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicMin(&signed_words[0], -thread);
  atomicMax(&signed_words[1], thread);
  atomicSub(&signed_words[2], 2);
  atomicAnd(&words[0], ~(1u << (thread % 32)));
  atomicOr(&words[1], 1u << (thread % 32));
  atomicXor(&words[2], 1u << (thread % 32));
  atomicInc(&words[3], 9);
  atomicAdd(&wide[0], static_cast<unsigned long long>(thread) << 32);
  atomicMax(&wide[1], static_cast<unsigned long long>(thread) << 32);
  atomicAdd(real, 0.5);
  unsigned seen = words[4];
  for (unsigned expected = seen + 1; seen != expected;) {
    expected = seen;
    seen = atomicCAS(&words[4], expected, expected + 3);
  }
}

__global__ void trap_in_thread(int thread) {
  __syncthreads();
  if (static_cast<int>(threadIdx.x) == thread) __trap();
  __syncthreads();
}

__global__ void fill_dynamic_shared(size_t bytes) {
  DIOPI_DYNAMIC_SHARED(char, data);
  for (size_t i = threadIdx.x; i < bytes; i += blockDim.x) data[i] = 1;
}

__global__ void copy_fresh_shared(float* out) {
  DIOPI_SHARED(float, fresh, [64]);
  out[threadIdx.x] = fresh[threadIdx.x];
}

struct RowList {
  const float* rows[4];
  bool used;  // padding follows
};

__global__ void read_rows(RowList list) {
  if (list.rows[threadIdx.x] != nullptr && *list.rows[threadIdx.x] == 7) __trap();
}

}  // namespace

cudaError_t run_warp_functions(int* out) { return launch(call_warp_functions, dim3(1), dim3(32), 0, nullptr, out); }

cudaError_t run_barriers(int* out) { return launch(call_barriers, dim3(1), dim3(96), 0, nullptr, out); }

cudaError_t run_atomics(int* signed_words, unsigned* words, unsigned long long* wide, double* real) {
  return launch(call_atomics, dim3(3), dim3(64), 0, nullptr, signed_words, words, wide, real);
}

cudaError_t run_trap(int thread, cudaStream_t stream) {
  return launch(trap_in_thread, dim3(2), dim3(64), 0, stream, thread);
}

cudaError_t run_dynamic_shared(size_t bytes, cudaStream_t stream) {
  return launch(fill_dynamic_shared, dim3(2), dim3(64), bytes, stream, bytes);
}

cudaError_t allow_dynamic_shared(int bytes) {
  return cudaFuncSetAttribute(fill_dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

cudaError_t run_fresh_shared(float* out) { return launch(copy_fresh_shared, dim3(3), dim3(64), 0, nullptr, out); }

cudaError_t run_with_list(const float* const* rows, int count) {
  RowList list;
  const auto stale = reinterpret_cast<uintptr_t>(&list);
  for (uintptr_t* word = reinterpret_cast<uintptr_t*>(&list); word != reinterpret_cast<uintptr_t*>(&list + 1); ++word) {
    memcpy(word, &stale, sizeof(stale));  // also into the padding
  }
  list.used = true;
  for (const float*& row : list.rows) row = nullptr;
  for (int i = 0; i < count && i < 4; ++i) list.rows[i] = rows[i];
  return launch(read_rows, dim3(1), dim3(4), 0, nullptr, list);
}
