// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/random_params.hpp"

#include <cstring>
#include <limits>

#include "impl/common/dtype_range.hpp"

namespace diopi {

namespace {

using Wide = __int128;

double rounded(diopiDtype_t dtype, double value) {
  switch (dtype) {
    case diopi_dtype_float16:
      return static_cast<float>(float16(static_cast<float>(value)));
    case diopi_dtype_bfloat16:
      return static_cast<float>(bfloat16(static_cast<float>(value)));
    case diopi_dtype_float32:
      return static_cast<float>(value);
    default:
      return value;
  }
}

// The smallest float32 that is rounded to `to` or more in float16 or bfloat16. That dtype holds `to` exactly.
double narrow_limit(diopiDtype_t dtype, double to) {
  float low = -std::numeric_limits<float>::infinity(), high = static_cast<float>(to);
  // `high` qualifies and `low` does not. Bisection over floats in the order of their bits.
  const auto order = [](float x) {
    int32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return static_cast<int64_t>(bits < 0 ? INT32_MIN - static_cast<int64_t>(bits) : bits);
  };
  const auto value = [](int64_t rank) {
    const auto bits = static_cast<int32_t>(rank < 0 ? INT32_MIN - rank : rank);
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
  };
  int64_t below = order(low), at = order(high);
  while (at - below > 1) {
    const int64_t middle = below + (at - below) / 2;
    (rounded(dtype, value(middle)) >= to ? at : below) = middle;
  }
  return value(at);
}

// The nearest multiple of the spacing of `dtype` at `v`: the next one down, or up if `upwards`.
Wide representable(diopiDtype_t dtype, Wide v, bool upwards) {
  const Wide magnitude = v < 0 ? -v : v;
  const int digits = significand_bits(dtype);
  Wide unit = 1;
  while (magnitude / unit >> digits != 0) unit *= 2;
  const Wide excess = ((v % unit) + unit) % unit;
  if (excess == 0) return v;
  return upwards ? v + (unit - excess) : v - excess;
}

}  // namespace

UniformParams uniform_params(diopiDtype_t dtype, double from, double to) {
  UniformParams params;
  params.from = rounded(dtype, from);
  params.to = rounded(dtype, to);
  params.limit = is_reduced_float(dtype) ? narrow_limit(dtype, params.to) : params.to;
  params.bits = significand_bits(dtype);
  return params;
}

Status integer_params(diopiDtype_t dtype, int64_t from, const int64_t* to, IntegerParams* params) {
  const Wide exact = largest_exact(dtype);
  Wide low = from, high = to != nullptr ? Wide{*to} - 1 : exact;  // both ends are included
  if (is_floating(dtype)) {
    low = representable(dtype, low, true);
    high = representable(dtype, high, false);
  }
  DIOPI_REQUIRE(low <= high, diopiErrorOccurred, "dtype %s holds no integer from %lld to %lld", dtype_name(dtype),
                static_cast<long long>(from),
                to != nullptr ? static_cast<long long>(*to - 1) : static_cast<long long>(exact));
  params->from = static_cast<int64_t>(low);
  params->range = static_cast<uint64_t>(high - low + 1);  // 2^64 becomes 0
  return diopiSuccess;
}

}  // namespace diopi
