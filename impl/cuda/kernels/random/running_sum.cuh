// SPDX-License-Identifier: BSD-3-Clause
// Running sums by a block, with the bits of a loop that adds one weight after another in float64.
//
// Such a sum is a multiple of its unit, the distance to the next float64. As long as the sum keeps its unit, a step
// adds the weight rounded to units; a weight halfway between two multiples gives the even sum. So the effect of some
// steps is one multiple for even sums before them and one for odd sums, and these effects can be joined in any
// grouping: a block scans them. All multiples are exact in float64. A step that gives the sum another unit is one
// addition in float64, after which the scan begins again.
#ifndef IMPL_CUDA_KERNELS_RANDOM_RUNNING_SUM_CUH_
#define IMPL_CUDA_KERNELS_RANDOM_RUNNING_SUM_CUH_

#include <cmath>
#include <cstring>

#include "impl/cuda/kernels/power_of_two.cuh"
#include "impl/cuda/kernels/scan/scan.cuh"

namespace impl::cuda {

inline constexpr int kSumThreads = 1024, kSumItems = 8;  // weights of a thread, which follow each other
inline constexpr int kSumChunk = kSumThreads * kSumItems;

// What some steps add to an even sum, and what they add to an odd one above that.
struct Steps {
  double even, odd_more;
};

// Whether a sum is an odd multiple of its unit.
__device__ inline bool is_odd(double sum) {
  uint64_t bits;
  memcpy(&bits, &sum, sizeof(bits));
  return (bits & 1) != 0;
}

// The sums that have the unit of a sum; those without a normal number have the smallest unit. Behind an infinite sum
// there is no limit.
struct SumUnit {
  double unit, base, limit;  // base: the smallest normal sum of this unit; from `limit` on, sums have another one

  __device__ explicit SumUnit(double sum) {
    const bool is_infinite = isinf(sum);
    base = is_infinite ? 0 : power_of_two(sum > 0 ? max(ilogb(sum), -1022) : -1022);
    unit = base * 0x1p-52;
    limit = is_infinite ? NAN : base + base;
  }
  // The sum of a weight and `base` is rounded to the unit, if it is less than `limit`. All weights are multiples of the
  // smallest unit.
  __device__ Steps step_of(double weight) const {
    const double even = unit > 0x1p-1074 ? (weight + base) - base : weight;
    const double twice = 2 * (weight - even);
    return {even, fabs(twice) == unit ? twice : 0};
  }
  // The steps of `a`, then those of `b`.
  __device__ Steps join(const Steps& a, const Steps& b) const {
    Steps both{a.even + b.even, a.odd_more};
    if (b.odd_more == 0) return both;
    const double from_even = is_odd(base + a.even) ? b.odd_more : 0;
    const double from_odd = is_odd(base + (a.even + a.odd_more)) ? 0 : b.odd_more;
    both.even += from_even;
    both.odd_more += from_odd - from_even;
    return both;
  }
};

// What the threads of a block share while they add up a row.
struct RunningSum {
  double sum;  // of all weights before `done`
  int done;    // the weights of the chunk whose sums are final: all those of some threads
};

// Adds weights of the chunk, up to those of the first thread that gives the sum another unit. Writes their sums to
// `numbers`. All threads of the block call this function; weights behind the first `count` are 0.
__device__ inline void add_weights(const double (&weight)[kSumItems], int count, double* numbers, RunningSum* running) {
  const double sum = running->sum;
  const int first = static_cast<int>(threadIdx.x) * kSumItems;
  const bool is_done = first < running->done;
  const SumUnit unit(sum);
  const auto join = [&](const Steps& a, const Steps& b) { return unit.join(a, b); };
  Steps own{0, 0}, all{};
  if (!is_done) {
    DIOPI_UNROLL
    for (int j = 0; j < kSumItems; ++j) own = join(own, unit.step_of(weight[j]));
  }
  const Steps before = scan_block(own, Steps{0, 0}, join, &all);  // all threads have read `running`
  double upto = sum + (before.even + (is_odd(sum) ? before.odd_more : 0));
  if (!is_done && first < count && !(upto >= unit.limit)) {
    DIOPI_UNROLL
    for (int j = 0; j < kSumItems; ++j) {
      upto += weight[j];
      if (first + j < count) numbers[first + j] = upto;
    }
    if (upto >= unit.limit || first + kSumItems >= count) {
      running->sum = upto;
      running->done = min(first + kSumItems, count);
    }
  }
  __syncthreads();
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RANDOM_RUNNING_SUM_CUH_
