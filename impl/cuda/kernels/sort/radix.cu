// SPDX-License-Identifier: BSD-3-Clause
// A pass of a radix sort: each block counts the digits of a part of a row, a scan of all counts gives the first place
// of each digit of each part, and each block moves its keys to their places. A part belongs to one row.
#include "impl/cuda/kernels/index/offsets.cuh"
#include "impl/cuda/kernels/scan/scan.hpp"
#include "impl/cuda/kernels/sort/sort.hpp"

namespace impl::cuda {

namespace {

constexpr int kLanes = 32, kWarps = kBlock / kLanes, kRounds = 8;
constexpr int kDigits = 256;
constexpr int64_t kPart = kBlock * kRounds;

__host__ __device__ constexpr int64_t parts_of(int64_t n) { return (n + kPart - 1) / kPart; }

// A pass, which sorts by the eight bits of the keys from `shift` on.
struct RadixPass {
  bool first;  // the order before this pass is that of the keys
  int shift;
  int64_t rows, n;
  const void* keys_in;
  void* keys_out;
  const uint32_t* order_in;
  uint32_t* order_out;
  int64_t *counts, *scratch;
};

// The part of a row that a block works on.
struct Part {
  int64_t row, part, parts, begin, end;  // keys [begin, end) of all rows

  __device__ explicit Part(const RadixPass& pass) {
    parts = parts_of(pass.n);
    row = blockIdx.x / parts;
    part = blockIdx.x - row * parts;
    begin = row * pass.n + part * kPart;
    end = min(begin + kPart, (row + 1) * pass.n);
  }
  // Where the count of a digit is: digits of a row follow each other, and parts of a digit.
  __device__ int64_t count_at(int digit) const { return (row * kDigits + digit) * parts + part; }
};

template <typename Key>
__device__ int digit_of(const RadixPass& pass, Key key) {
  return static_cast<int>((key >> pass.shift) & (kDigits - 1));
}

template <typename Key>
__global__ void __launch_bounds__(kBlock) count_digits(RadixPass pass) {
  DIOPI_SHARED(unsigned, counts, [kDigits]);
  const Part part(pass);
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int64_t i = part.begin + threadIdx.x; i < part.end; i += kBlock) {
    atomicAdd(&counts[digit_of(pass, static_cast<const Key*>(pass.keys_in)[i])], 1u);
  }
  __syncthreads();
  pass.counts[part.count_at(static_cast<int>(threadIdx.x))] = counts[threadIdx.x];
}

// Each warp takes kRounds * kLanes keys that follow each other. The place of a key is the first place of its digit in
// the part, plus the keys with this digit in the warps before, in the rounds before and in the lanes before.
template <typename Key>
__global__ void __launch_bounds__(kBlock) move_keys(RadixPass pass) {
  DIOPI_SHARED(unsigned, counts, [kWarps][kDigits]);
  DIOPI_SHARED(int64_t, starts, [kDigits]);
  const Part part(pass);
  const int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  for (int w = 0; w < kWarps; ++w) counts[w][threadIdx.x] = 0;
  __syncthreads();
  Key keys[kRounds];
  unsigned ranks[kRounds];
  const int64_t warp_begin = part.begin + warp * kRounds * kLanes;
  for (int round = 0; round < kRounds; ++round) {
    const int64_t i = warp_begin + round * kLanes + lane;
    const bool is_key = i < part.end;
    keys[round] = is_key ? static_cast<const Key*>(pass.keys_in)[i] : Key{0};
    const int digit = is_key ? digit_of(pass, keys[round]) : kDigits;
    const unsigned equal = __match_any_sync(0xFFFFFFFFu, digit), before = equal & ((1u << lane) - 1);
    ranks[round] = is_key ? counts[warp][digit] + __popc(before) : 0;
    __syncwarp();
    if (is_key && before == 0) counts[warp][digit] += __popc(equal);
    __syncwarp();
  }
  __syncthreads();
  unsigned sum = 0;
  for (int w = 0; w < kWarps; ++w) {
    const unsigned count = counts[w][threadIdx.x];
    counts[w][threadIdx.x] = sum;
    sum += count;
  }
  starts[threadIdx.x] = pass.counts[part.count_at(static_cast<int>(threadIdx.x))];
  __syncthreads();
  for (int round = 0; round < kRounds; ++round) {
    const int64_t i = warp_begin + round * kLanes + lane;
    if (i >= part.end) continue;
    const int digit = digit_of(pass, keys[round]);
    const int64_t place = starts[digit] + counts[warp][digit] + ranks[round];
    static_cast<Key*>(pass.keys_out)[place] = keys[round];
    pass.order_out[place] = pass.first ? static_cast<uint32_t>(i - part.row * pass.n) : pass.order_in[i];
  }
}

template <typename Key>
cudaError_t run_pass(cudaStream_t stream, const RadixPass& pass) {
  const dim3 grid(static_cast<unsigned>(pass.rows * parts_of(pass.n)));
  cudaError_t error = launch(count_digits<Key>, grid, kBlock, 0, stream, pass);
  if (error == cudaSuccess) error = scan_exclusive(stream, pass.counts, radix_counts(pass.rows, pass.n), pass.scratch);
  if (error == cudaSuccess) error = launch(move_keys<Key>, grid, kBlock, 0, stream, pass);
  return error;
}

}  // namespace

int64_t radix_counts(int64_t rows, int64_t n) { return rows * parts_of(n) * kDigits; }

cudaError_t sort_by_radix(cudaStream_t stream, const RadixSort& sort) {
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < sort.passes && error == cudaSuccess; ++i) {
    const int from = i % 2, to = 1 - from;
    const RadixPass pass{i == 0,        8 * i,           sort.rows,         sort.n,      sort.keys[from],
                         sort.keys[to], sort.orders[to], sort.orders[from], sort.counts, sort.scratch};
    error = sort.wide ? run_pass<uint64_t>(stream, pass) : run_pass<uint32_t>(stream, pass);
  }
  return error;
}

}  // namespace impl::cuda
