// SPDX-License-Identifier: BSD-3-Clause
// The parameters of random numbers, which are the same for every vendor.
#ifndef IMPL_COMMON_RANDOM_PARAMS_HPP_
#define IMPL_COMMON_RANDOM_PARAMS_HPP_

#include <cmath>
#include <cstdint>

#include "impl/common/error.hpp"

namespace diopi {

// Value: from + u * (to - from). u has the upper `bits` bits of the word (float32: 24, float16: 11, bfloat16: 8), or of
// the pair of words (float64: 53). Values from `limit` on would be rounded to `to`; they become `from`.
struct UniformParams {
  double from, to, limit;
  int bits;
};

struct NormalParams {
  double mean, std;
};

// The value is 1 if `any` is true and word <= last.
struct BernoulliParams {
  uint32_t last;
  bool any;

  // Makes the value 1 if word < ceil(p * 2^32).
  explicit BernoulliParams(double p) {
    const double threshold = std::ceil(p * 0x1p32);  // exact: the scaling is by a power of two
    any = threshold > 0;
    last = any ? static_cast<uint32_t>(static_cast<uint64_t>(threshold) - 1) : 0;
  }
};

// Value: from + floor(W * range / 2^64) for the pair of words W. A range of 0 means 2^64.
struct IntegerParams {
  int64_t from;
  uint64_t range;
};

// The parameters of numbers of a floating point dtype, which holds both bounds.
UniformParams uniform_params(diopiDtype_t dtype, double from, double to);

// The parameters of integers in [from, to) of a dtype in whose range they lie. If `to` is null, the largest integer is
// largest_exact(), inclusive. An error if the dtype holds no such integer.
Status integer_params(diopiDtype_t dtype, int64_t from, const int64_t* to, IntegerParams* params);

}  // namespace diopi

#endif  // IMPL_COMMON_RANDOM_PARAMS_HPP_
