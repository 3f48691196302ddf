// SPDX-License-Identifier: BSD-3-Clause
// Running sums by a block, with the bits of a loop that adds one weight after another in float64.
//
// Such a sum is a multiple of its unit, the distance to the next float64. As long as the sum keeps its exponent, a step
// adds the weight rounded to units, an integer; a weight halfway between two integers gives the even sum. So the effect
// of some steps is one integer for even sums before them and one for odd sums, and these effects can be joined in any
// grouping: a block scans them. A step to the next exponent is one addition in float64, after which the scan begins
// again.
#ifndef IMPL_CUDA_KERNELS_RANDOM_RUNNING_SUM_CUH_
#define IMPL_CUDA_KERNELS_RANDOM_RUNNING_SUM_CUH_

#include <cmath>
#include <cstring>

#include "impl/cuda/kernels/launch.cuh"

namespace impl::cuda {

inline constexpr int kSumThreads = 512, kSumItems = 8;  // weights of a thread, which follow each other
inline constexpr int kSumChunk = kSumThreads * kSumItems;

// Units that some steps add to an even sum and to an odd one.
struct Steps {
  // More than any sum can take with its exponent; larger numbers of units count as this one.
  static constexpr int64_t kMost = int64_t{1} << 53;
  int64_t even, odd;

  __device__ int64_t from(int64_t sum) const { return (sum & 1) == 0 ? even : odd; }
};

// The steps of `a`, then those of `b`.
__device__ inline Steps join(const Steps& a, const Steps& b) {
  return {min(a.even + b.from(a.even), Steps::kMost), min(a.odd + b.from(a.odd + 1), Steps::kMost)};
}

// 2^n for n in (-1023, 1024).
__device__ inline double power_of_two(int n) {
  const uint64_t bits = static_cast<uint64_t>(n + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

// x * 2^n for n from -1074 to 1074, as two products because 2^n may be no float64. Exact, unless the result is too
// large or so small that it counts as zero units.
__device__ inline double scaled(double x, int n) { return x * power_of_two(n / 2) * power_of_two(n - n / 2); }

// The step of a weight; the unit is 2^exponent.
__device__ inline Steps step_of(double weight, int exponent) {
  const double units = scaled(weight, -exponent);
  if (!(units < static_cast<double>(Steps::kMost))) return {Steps::kMost, Steps::kMost};
  const auto whole = static_cast<int64_t>(units);
  const double rest = units - static_cast<double>(whole);
  if (rest == 0.5) return {whole + (whole & 1), whole + (1 - (whole & 1))};
  const int64_t rounded = whole + (rest > 0.5 ? 1 : 0);
  return {rounded, rounded};
}

__device__ inline Steps shuffled_up(const Steps& steps, int lanes) {
  return {__shfl_up_sync(0xFFFFFFFFu, steps.even, lanes), __shfl_up_sync(0xFFFFFFFFu, steps.odd, lanes)};
}

// The steps of all threads before this one.
__device__ inline Steps steps_before(const Steps& own) {
  constexpr int kLanes = 32, kWarps = kSumThreads / kLanes;
  DIOPI_SHARED(Steps, totals, [kWarps]);
  const int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  Steps up_to = own;
  for (int lanes = 1; lanes < kLanes; lanes *= 2) {
    const Steps other = shuffled_up(up_to, lanes);
    if (lane >= lanes) up_to = join(other, up_to);
  }
  if (lane == kLanes - 1) totals[warp] = up_to;
  const Steps in_warp = shuffled_up(up_to, 1);
  __syncthreads();
  Steps before{0, 0};
  for (int w = 0; w < warp; ++w) before = join(before, totals[w]);
  __syncthreads();  // `totals` may be used again
  return lane == 0 ? before : join(before, in_warp);
}

// What the threads of a block share while they add up a row.
struct RunningSum {
  double sum;  // of all weights before `done`
  int done;    // the weights of the chunk whose sums are final
};

// The exponent of the unit of a positive sum.
__device__ inline int unit_of(double sum) { return max(ilogb(sum) - 52, -1074); }

// Adds weights of the chunk up to the first one that gives the sum another exponent. Writes their sums to `numbers`.
// All threads of the block call this function.
__device__ inline void add_weights(const double (&weight)[kSumItems], int count, double* numbers, RunningSum* running) {
  const double sum = running->sum;
  const int done = running->done, first = static_cast<int>(threadIdx.x) * kSumItems;
  const bool is_infinite = isinf(sum);  // stays so
  const int exponent = sum > 0 && !is_infinite ? unit_of(sum) : 0;
  // Without a sum, each positive weight is the step to another exponent.
  const auto step = [&](int j) -> Steps {
    if (first + j < done || first + j >= count || weight[j] == 0 || is_infinite) return {0, 0};
    return sum > 0 ? step_of(weight[j], exponent) : Steps{Steps::kMost, Steps::kMost};
  };
  Steps own{0, 0};
  DIOPI_UNROLL
  for (int j = 0; j < kSumItems; ++j) own = join(own, step(j));
  const int64_t start = is_infinite ? 0 : static_cast<int64_t>(scaled(sum, -exponent));
  int64_t units = start + steps_before(own).from(start);  // below kMost in the thread of the first such weight
  __syncthreads();                                        // all threads have read `running`
  bool is_before = units < Steps::kMost;
  DIOPI_UNROLL
  for (int j = 0; j < kSumItems; ++j) {
    if (!is_before || first + j < done || first + j >= count) continue;
    const int64_t next = units + step(j).from(units);
    const double before = scaled(static_cast<double>(units), exponent);
    is_before = next < Steps::kMost;
    double after = is_before ? scaled(static_cast<double>(next), exponent) : before + weight[j];
    if (is_infinite) after = sum;
    numbers[first + j] = after;
    units = next;
    if (is_before && first + j + 1 < count) continue;
    running->sum = after;
    running->done = first + j + 1;
  }
  __syncthreads();
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RANDOM_RUNNING_SUM_CUH_
