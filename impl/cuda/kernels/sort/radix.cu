// SPDX-License-Identifier: BSD-3-Clause
// A pass of a radix sort has three kernels. Each block of the first counts the digits of a part of a row. The second
// adds up the counts of a digit over the parts. Each block of the third sorts its part by the digit in shared memory,
// and moves the runs of equal digits to their places. A part belongs to one row. If rows have few parts, each block of
// the third kernel adds up the counts, and there is no second one.
#include "impl/cuda/kernels/scan/scan.cuh"
#include "impl/cuda/kernels/sort/sort.hpp"

namespace impl::cuda {

namespace {

constexpr int kLanes = 32, kWarps = kBlock / kLanes;
constexpr int kDigits = 256;
static_assert(kDigits == kBlock, "a thread for each digit");

// The keys of a thread: many in long sorts, whose runs are then longer; few in short ones, so that there are enough
// blocks for a GPU.
constexpr int kFewRounds = 4, kManyRounds = 16, kManyWideRounds = 8;
constexpr int64_t kLongSort = int64_t{1} << 19;
constexpr int64_t kFewParts = 128;

int rounds_of(bool wide, int64_t rows, int64_t n) {
  if (rows * n < kLongSort || n <= kBlock * kFewRounds) return kFewRounds;
  return wide ? kManyWideRounds : kManyRounds;
}

__host__ __device__ constexpr int64_t parts_of(int64_t n, int rounds) {
  return (n + kBlock * rounds - 1) / (kBlock * rounds);
}

// A pass, which sorts by the eight bits of the keys from `shift` on.
struct RadixPass {
  bool first;  // the order before this pass is that of the keys
  bool last;   // the keys are not needed any more
  bool added;  // the second kernel has added up the counts
  int shift;
  int64_t rows, n, parts;
  const void* keys_in;
  void* keys_out;
  const uint32_t* order_in;
  uint32_t* order_out;
  uint32_t* counts;  // [rows, kDigits, parts], or [rows, parts, kDigits] if blocks of the third kernel add them up
  uint32_t* totals;  // [rows, kDigits]
};

// The part of a row that a block works on.
template <int kRounds>
struct Part {
  int64_t row, part, begin;  // `begin`: the first key, of all rows
  int count;

  __device__ explicit Part(const RadixPass& pass) {
    row = static_cast<int64_t>(blockIdx.x / static_cast<uint32_t>(pass.parts));
    part = blockIdx.x - row * pass.parts;
    begin = row * pass.n + part * (kBlock * kRounds);
    count = static_cast<int>(min(int64_t{kBlock * kRounds}, (row + 1) * pass.n - begin));
  }
  __device__ int64_t count_at(const RadixPass& pass, int digit) const {
    return pass.added ? (row * kDigits + digit) * pass.parts + part : (row * pass.parts + part) * kDigits + digit;
  }
};

template <typename Key>
__device__ int digit_of(const RadixPass& pass, Key key) {
  return static_cast<int>((key >> pass.shift) & (kDigits - 1));
}

// Lanes add to copies of the counts: neighbouring keys often have the same digit.
template <typename Key, int kRounds>
__global__ void __launch_bounds__(kBlock) count_digits(RadixPass pass) {
  constexpr int kCopies = 8;
  DIOPI_SHARED(unsigned, counts, [kDigits * kCopies]);  // the copies of a digit follow each other
  const Part<kRounds> part(pass);
  const Key* const in = static_cast<const Key*>(pass.keys_in) + part.begin;
  const int thread = static_cast<int>(threadIdx.x);
  Key keys[kRounds];
  DIOPI_UNROLL
  for (int round = 0; round < kRounds; ++round) {
    const int i = round * kBlock + thread;
    keys[round] = i < part.count ? in[i] : Key{0};
  }
  for (int k = 0; k < kCopies; ++k) counts[k * kBlock + thread] = 0;
  __syncthreads();
  DIOPI_UNROLL
  for (int round = 0; round < kRounds; ++round) {
    const int at = digit_of(pass, keys[round]) * kCopies + thread % kCopies;
    if (round * kBlock + thread < part.count) atomicAdd(&counts[at], 1u);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < kCopies; ++k) sum += counts[thread * kCopies + (k + thread) % kCopies];
  pass.counts[part.count_at(pass, thread)] = sum;
}

// A warp replaces the counts of a digit of a row by the sums of those before, and writes the sum of all.
__global__ void __launch_bounds__(kBlock) add_up_counts(RadixPass pass) {
  constexpr int kEach = 4;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t digit = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;  // of all rows
  uint32_t* const counts = pass.counts + digit * pass.parts;
  uint32_t before = 0;
  for (int64_t first = 0; first < pass.parts; first += kLanes * kEach) {
    const int64_t own = first + lane * kEach;
    uint32_t count[kEach], sum = 0;
    DIOPI_UNROLL
    for (int k = 0; k < kEach; ++k) {
      count[k] = own + k < pass.parts ? counts[own + k] : 0;
      sum += count[k];
    }
    uint32_t up_to = sum;
    for (int step = 1; step < kLanes; step *= 2) {
      const uint32_t other = __shfl_up_sync(0xFFFFFFFFu, up_to, step);
      if (lane >= step) up_to += other;
    }
    uint32_t at = before + up_to - sum;
    DIOPI_UNROLL
    for (int k = 0; k < kEach; ++k) {
      if (own + k < pass.parts) counts[own + k] = at;
      at += count[k];
    }
    before += __shfl_sync(0xFFFFFFFFu, up_to, kLanes - 1);
  }
  if (lane == 0) pass.totals[digit] = before;
}

// The keys of the row with the digit of the thread, and those of them in the parts before.
template <int kRounds>
__device__ void add_up_parts(const RadixPass& pass, const Part<kRounds>& part, uint32_t* total, uint32_t* before) {
  constexpr int kLoads = 16;
  const uint32_t* const counts = pass.counts + part.row * pass.parts * kDigits + threadIdx.x;
  const int parts = static_cast<int>(pass.parts), own = static_cast<int>(part.part);
  *total = *before = 0;
  for (int first = 0; first < parts; first += kLoads) {
    uint32_t count[kLoads];
    DIOPI_UNROLL
    for (int j = 0; j < kLoads; ++j) count[j] = first + j < parts ? counts[(first + j) * kDigits] : 0;
    DIOPI_UNROLL
    for (int j = 0; j < kLoads; ++j) {
      *total += count[j];
      if (first + j < own) *before += count[j];
    }
  }
}

// The keys of a warp follow each other; a lane has every 32nd. ranks[] becomes how many keys of the warp with the same
// digit come before, and counts[] the keys of each digit. The counts are zero before.
template <typename Key, int kRounds>
__device__ void rank_keys(const RadixPass& pass, const Key (&keys)[kRounds], int first, int count,
                          unsigned (&ranks)[kRounds], unsigned* counts) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  DIOPI_UNROLL
  for (int round = 0; round < kRounds; ++round) {
    const bool is_key = first + round * kLanes + lane < count;
    const int digit = is_key ? digit_of(pass, keys[round]) : kDigits;
    const unsigned equal = __match_any_sync(0xFFFFFFFFu, digit), before = equal & ((1u << lane) - 1);
    ranks[round] = is_key ? counts[digit] + __popc(before) : 0;
    __syncwarp();
    if (is_key && before == 0) counts[digit] += __popc(equal);
    __syncwarp();
  }
}

// Turns the counts of the warps into the first places of their digits in the part. A thread has a digit: `total` keys
// of the row, and `before_part` in the parts before. shifts[] becomes what leads from places in the part to those in
// the row.
__device__ inline void start_digits(unsigned (*counts)[kDigits], uint32_t total, uint32_t before_part,
                                    uint32_t* shifts) {
  unsigned in_part = 0;
  for (int w = 0; w < kWarps; ++w) in_part += counts[w][threadIdx.x];
  // Two sums at a time: of the digits of the row above those of the part, which are less than 2^32.
  uint64_t all = 0;
  const uint64_t before = scan_block(static_cast<uint64_t>(total) << 32 | in_part, &all);
  unsigned start = static_cast<unsigned>(before);
  shifts[threadIdx.x] = static_cast<uint32_t>(before >> 32) + before_part - start;
  for (int w = 0; w < kWarps; ++w) {
    const unsigned count = counts[w][threadIdx.x];
    counts[w][threadIdx.x] = start;
    start += count;
  }
}

// Writes the items of the block to buffer[to].
template <int kRounds, typename T>
__device__ void exchange(const T (&items)[kRounds], const unsigned (&to)[kRounds], int first, int count, T* buffer) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  DIOPI_UNROLL
  for (int round = 0; round < kRounds; ++round) {
    if (first + round * kLanes + lane < count) buffer[to[round]] = items[round];
  }
  __syncthreads();
}

// The place of a key is the first place of its digit in the row, plus the keys with this digit in the parts before,
// in the warps before, in the rounds before and in the lanes before.
template <typename Key, int kRounds>
__global__ void __launch_bounds__(kBlock) move_keys(RadixPass pass) {
  DIOPI_SHARED(unsigned, counts, [kWarps][kDigits]);
  DIOPI_SHARED(uint32_t, shifts, [kDigits]);  // from places in the part to places in the row
  DIOPI_SHARED(Key, buffer, [kBlock * kRounds]);
  const Part<kRounds> part(pass);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes, warp = thread / kLanes;
  const int first = warp * kRounds * kLanes;
  const int64_t row_begin = part.row * pass.n;
  Key keys[kRounds];
  unsigned to[kRounds];
  DIOPI_UNROLL
  for (int round = 0; round < kRounds; ++round) {
    const int i = first + round * kLanes + lane;
    keys[round] = i < part.count ? static_cast<const Key*>(pass.keys_in)[part.begin + i] : Key{0};
  }
  uint32_t total, before_part;
  if (pass.added) {
    total = pass.totals[part.row * kDigits + thread];
    before_part = pass.counts[part.count_at(pass, thread)];
  } else {
    add_up_parts(pass, part, &total, &before_part);
  }
  for (int w = 0; w < kWarps; ++w) counts[w][thread] = 0;
  __syncthreads();
  rank_keys(pass, keys, first, part.count, to, counts[warp]);
  __syncthreads();
  start_digits(counts, total, before_part, shifts);
  __syncthreads();
  uint32_t order[kRounds];
  DIOPI_UNROLL
  for (int round = 0; round < kRounds; ++round) {
    const int i = first + round * kLanes + lane;
    if (i >= part.count) continue;
    to[round] += counts[warp][digit_of(pass, keys[round])];
    const int64_t at = part.begin + i;
    order[round] = pass.first ? static_cast<uint32_t>(at - row_begin) : pass.order_in[at];
  }
  exchange(keys, to, first, part.count, buffer);
  uint32_t places[kRounds];
  DIOPI_UNROLL
  for (int round = 0; round < kRounds; ++round) {
    const int i = round * kBlock + thread;
    if (i >= part.count) continue;
    const Key key = buffer[i];
    places[round] = static_cast<uint32_t>(i) + shifts[digit_of(pass, key)];
    if (!pass.last) static_cast<Key*>(pass.keys_out)[row_begin + places[round]] = key;
  }
  __syncthreads();  // before the order replaces the keys
  uint32_t* const orders = reinterpret_cast<uint32_t*>(buffer);
  exchange(order, to, first, part.count, orders);
  DIOPI_UNROLL
  for (int round = 0; round < kRounds; ++round) {
    const int i = round * kBlock + thread;
    if (i < part.count) pass.order_out[row_begin + places[round]] = orders[i];
  }
}

template <typename Key, int kRounds>
cudaError_t run_pass(cudaStream_t stream, const RadixPass& pass) {
  const dim3 parts(static_cast<unsigned>(pass.rows * pass.parts));
  const dim3 digits(static_cast<unsigned>(pass.rows * (kDigits / kWarps)));
  cudaError_t error = launch(count_digits<Key, kRounds>, parts, kBlock, 0, stream, pass);
  if (error == cudaSuccess && pass.added) error = launch(add_up_counts, digits, kBlock, 0, stream, pass);
  if (error == cudaSuccess) error = launch(move_keys<Key, kRounds>, parts, kBlock, 0, stream, pass);
  return error;
}

}  // namespace

int64_t radix_counts(bool wide, int64_t rows, int64_t n) {
  return rows * kDigits * (parts_of(n, rounds_of(wide, rows, n)) + 1);
}

cudaError_t sort_by_radix(cudaStream_t stream, const RadixSort& sort) {
  const int rounds = rounds_of(sort.wide, sort.rows, sort.n);
  const int64_t parts = parts_of(sort.n, rounds);
  uint32_t* const totals = sort.counts + sort.rows * kDigits * parts;
  const bool few = rounds == kFewRounds;
  auto* const run = sort.wide ? (few ? run_pass<uint64_t, kFewRounds> : run_pass<uint64_t, kManyWideRounds>)
                              : (few ? run_pass<uint32_t, kFewRounds> : run_pass<uint32_t, kManyRounds>);
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < sort.passes && error == cudaSuccess; ++i) {
    const int from = i % 2, to = 1 - from;
    RadixPass pass{};
    pass.first = i == 0;
    pass.last = i + 1 == sort.passes;
    pass.added = parts > kFewParts;
    pass.shift = 8 * i;
    pass.rows = sort.rows;
    pass.n = sort.n;
    pass.parts = parts;
    pass.keys_in = sort.keys[from];
    pass.keys_out = sort.keys[to];
    pass.order_in = sort.orders[to];
    pass.order_out = sort.orders[from];
    pass.counts = sort.counts;
    pass.totals = totals;
    error = run(stream, pass);
  }
  return error;
}

}  // namespace impl::cuda
