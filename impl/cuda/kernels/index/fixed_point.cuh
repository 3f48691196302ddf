// SPDX-License-Identifier: BSD-3-Clause
// Sums by atomics on integers, which give the same in any order. Floating numbers become integers, too, in one of two
// ways:
// - The top of a place, the greatest exponent of its terms, gives the unit in which each term is rounded to an integer
//   of at most `bits` bits. The error of a term is at most half a unit: with 2^20 terms, 2^-43 of the greatest one.
// - A place has a bin for each 16 exponents, to which the terms of these exponents are added without rounding. This
//   needs more memory, but no tops.
#ifndef IMPL_CUDA_KERNELS_INDEX_FIXED_POINT_CUH_
#define IMPL_CUDA_KERNELS_INDEX_FIXED_POINT_CUH_

#include "impl/common/error.hpp"
#include "impl/cuda/kernels/number.cuh"
#include "impl/cuda/kernels/power_of_two.cuh"

namespace impl::cuda {

using Atomic = unsigned long long;  // NOLINT(google-runtime-int): the type of CUDA's atomics

// The top of a place: one more than the greatest exponent field of a float32, so 0 for places without terms.
inline constexpr unsigned kNotFinite = 256;
// The sums of places with terms that are not finite are sets of these.
inline constexpr Atomic kInfinity = 1, kMinusInfinity = 2, kNan = 4;

__device__ inline unsigned top_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return (bits >> 23 & 0xFF) + 1;
}

// The units of 1: terms of a place are less than 2^(top - 127), and less than 2^bits units.
__device__ inline int units_exponent(unsigned top, int bits) { return bits + 127 - static_cast<int>(top); }

// Adds a term to the sum of a place with this top.
__device__ inline void add_term(Atomic* sum, float x, unsigned top, int bits) {
  if (top != kNotFinite) {
    const double units = static_cast<double>(x) * power_of_two(units_exponent(top, bits));
    atomicAdd(sum, static_cast<Atomic>(llrint(units)));
  } else if (top_of(x) == kNotFinite) {
    atomicOr(sum, x != x ? kNan : x > 0 ? kInfinity : kMinusInfinity);
  }
}

__device__ inline double total_of(Atomic sum, unsigned top, int bits) {
  if (top != kNotFinite) {
    return static_cast<double>(static_cast<int64_t>(sum)) * power_of_two(-units_exponent(top, bits));
  }
  if ((sum & kNan) != 0 || sum == (kInfinity | kMinusInfinity)) return NAN;
  return sum == kInfinity ? INFINITY : -INFINITY;
}

// The bins of a place, which are `step` sums apart: 16 of them have the terms of 16 exponents each, in the unit of the
// least one. The last one is a set of the terms that are not finite.
inline constexpr int kBins = 17;

// Up to 2^24 terms.
__device__ inline void add_to_bins(Atomic* bins, int64_t step, float x) {
  uint32_t word;
  memcpy(&word, &x, sizeof(word));
  const int field = static_cast<int>(word >> 23 & 0xFF), exponent = field == 0 ? 1 : field;
  if (field == 0xFF) {
    atomicOr(bins + (kBins - 1) * step, x != x ? kNan : x > 0 ? kInfinity : kMinusInfinity);
    return;
  }
  const int64_t digits = (word & 0x7FFFFF) | (field == 0 ? 0 : 0x800000), term = digits << (exponent % 16);
  if (term != 0) atomicAdd(bins + exponent / 16 * step, static_cast<Atomic>((word >> 31) != 0 ? -term : term));
}

// Returns whether the bins have terms whose sum is not 0.
__device__ inline bool read_bins(const Atomic* bins, int64_t step, double* total) {
  Atomic bin[kBins], any = 0;
  DIOPI_UNROLL
  for (int k = 0; k < kBins; ++k) any |= bin[k] = bins[k * step];
  double sum = 0;
  DIOPI_UNROLL
  for (int k = kBins - 2; k >= 0; --k) {
    sum += static_cast<double>(static_cast<int64_t>(bin[k])) * power_of_two(16 * k - 150);
  }
  *total = bin[kBins - 1] != 0 ? total_of(bin[kBins - 1], kNotFinite, 0) : sum;
  return any != 0;
}

// Returns f(tag) for the type in which the sums read elements of `dtype`.
template <typename F>
diopi::Status with_terms(diopiDtype_t dtype, const F& f) {
  switch (dtype) {
    case diopi_dtype_float16:
      return f(float16());
    case diopi_dtype_bfloat16:
      return f(bfloat16());
    case diopi_dtype_float32:
      return f(float());
    default:
      return f(uint64_t());
  }
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_INDEX_FIXED_POINT_CUH_
