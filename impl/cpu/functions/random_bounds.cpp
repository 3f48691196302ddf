// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/random_bounds.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace impl::cpu {

namespace {

using Wide = __int128;

int mantissa_digits(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return 11;
    case diopi_dtype_bfloat16:
      return 8;
    case diopi_dtype_float32:
      return 24;
    default:
      return 53;
  }
}

double largest_finite(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return 65504;
    case diopi_dtype_bfloat16:
      return 0x1.FEp127;
    case diopi_dtype_float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

double rounded(diopiDtype_t dtype, double value) {
  switch (dtype) {
    case diopi_dtype_float16:
      return static_cast<float>(diopi::float16(static_cast<float>(value)));
    case diopi_dtype_bfloat16:
      return static_cast<float>(diopi::bfloat16(static_cast<float>(value)));
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
  const int digits = mantissa_digits(dtype);
  Wide unit = 1;
  while (magnitude / unit >> digits != 0) unit *= 2;
  const Wide excess = ((v % unit) + unit) % unit;
  if (excess == 0) return v;
  return upwards ? v + (unit - excess) : v - excess;
}

}  // namespace

uint64_t largest_exact(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) return 1;
  if (diopi::is_floating(dtype)) return uint64_t{1} << mantissa_digits(dtype);
  const int bits = 8 * diopi::dtype_size(dtype);
  const bool is_unsigned = (dtype & 1) != 0;  // the odd values of the enum are unsigned
  return ~uint64_t{0} >> (64 - bits + (is_unsigned ? 0 : 1));
}

Status uniform_params(diopiDtype_t dtype, double from, double to, UniformParams* params) {
  const double most = largest_finite(dtype);
  DIOPI_REQUIRE(from >= -most && from <= most, diopiErrorOccurred, "from = %g is out of bounds for dtype %s", from,
                diopi::dtype_name(dtype));
  DIOPI_REQUIRE(to >= -most && to <= most, diopiErrorOccurred, "to = %g is out of bounds for dtype %s", to,
                diopi::dtype_name(dtype));
  DIOPI_REQUIRE(from <= to, diopiErrorOccurred, "from = %g is greater than to = %g", from, to);
  DIOPI_REQUIRE(to - from <= most, diopiErrorOccurred, "to - from = %g is out of bounds for dtype %s", to - from,
                diopi::dtype_name(dtype));
  params->from = rounded(dtype, from);
  params->to = rounded(dtype, to);
  params->limit = diopi::is_reduced_float(dtype) ? narrow_limit(dtype, params->to) : params->to;
  params->bits = mantissa_digits(dtype);
  return diopiSuccess;
}

Status integer_params(diopiDtype_t dtype, int64_t from, const int64_t* to, IntegerParams* params) {
  const char* const name = diopi::dtype_name(dtype);
  const Wide exact = largest_exact(dtype);
  Wide low = from, high = to != nullptr ? Wide{*to} - 1 : exact;  // both ends are included
  if (to != nullptr) {
    DIOPI_REQUIRE(from < *to, diopiErrorOccurred, "from = %lld is not less than to = %lld",
                  static_cast<long long>(from), static_cast<long long>(*to));
  }
  if (diopi::is_floating(dtype)) {
    const double most = largest_finite(dtype);
    DIOPI_REQUIRE(std::fabs(static_cast<double>(low)) <= most, diopiErrorOccurred,
                  "from = %lld is out of bounds for dtype %s", static_cast<long long>(low), name);
    DIOPI_REQUIRE(std::fabs(static_cast<double>(high)) <= most, diopiErrorOccurred,
                  "to - 1 = %lld is out of bounds for dtype %s", static_cast<long long>(high), name);
    low = representable(dtype, low, true);
    high = representable(dtype, high, false);
  } else {
    const bool is_signed = diopi::is_integral(dtype) && (dtype & 1) == 0;
    const Wide least = is_signed ? -exact - 1 : 0;
    DIOPI_REQUIRE(low >= least && low <= exact, diopiErrorOccurred, "from = %lld is out of bounds for dtype %s",
                  static_cast<long long>(low), name);
    DIOPI_REQUIRE(high >= least && high <= exact, diopiErrorOccurred, "to - 1 = %lld is out of bounds for dtype %s",
                  static_cast<long long>(high), name);
  }
  DIOPI_REQUIRE(low <= high, diopiErrorOccurred, "dtype %s holds no integer from %lld to %lld", name,
                static_cast<long long>(from),
                to != nullptr ? static_cast<long long>(*to - 1) : static_cast<long long>(exact));
  params->from = static_cast<int64_t>(low);
  params->range = static_cast<uint64_t>(high - low + 1);  // 2^64 becomes 0
  return diopiSuccess;
}

}  // namespace impl::cpu
