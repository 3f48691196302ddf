// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/scalar.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "impl/common/dtype_range.hpp"

namespace diopi {

namespace {

void merge(diopiDtype_t* group, diopiDtype_t dtype) {
  *group = *group == diopi_dtype_unsupported ? dtype : promote_types(*group, dtype);
}

int category(diopiDtype_t d) {
  if (d == diopi_dtype_unsupported) return -1;
  if (d == diopi_dtype_bool) return 0;
  if (is_integral(d)) return 1;
  return is_floating(d) ? 2 : 3;
}

// `low` changes `high` only if its category is higher.
diopiDtype_t combine(diopiDtype_t high, diopiDtype_t low) {
  if (category(high) >= category(low)) return high;
  return category(high) < 0 ? low : promote_types(high, low);
}

}  // namespace

ResultType& ResultType::tensor(diopiDtype_t dtype, int ndim) {
  merge(ndim > 0 ? &dims_ : &zero_, dtype);
  return *this;
}

ResultType& ResultType::scalar(const diopiScalar_t& s) {
  merge(&scalar_, scalar_dtype(s));
  return *this;
}

diopiDtype_t ResultType::get() const { return combine(combine(dims_, zero_), scalar_); }

namespace {

bool integer_fits(int64_t value, diopiDtype_t dtype) {
  const int bits = 8 * dtype_size(dtype);
  if (bits == 64) return true;
  const int64_t most = (int64_t{1} << (is_unsigned(dtype) ? bits : bits - 1)) - 1;
  return value <= most && value >= (is_unsigned(dtype) ? -most : -most - 1);
}

// Whether the integer part of `value` fits. The largest 64-bit integer is not a double; then the largest double below
// the power of two is the limit.
bool fraction_fits(double value, diopiDtype_t dtype) {
  const double end = std::ldexp(1.0, 8 * dtype_size(dtype) - (is_unsigned(dtype) ? 0 : 1));
  const double most = dtype_size(dtype) == 8 ? std::nextafter(end, 0.0) : end - 1;
  return value <= most && value >= (is_unsigned(dtype) ? 0 : -end);
}

}  // namespace

bool fits(const diopiScalar_t& value, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) return true;
  if (is_integral(dtype)) {
    return is_floating(value) ? fraction_fits(value.fval, dtype) : integer_fits(value.ival, dtype);
  }
  const double number = is_floating(value) ? value.fval : static_cast<double>(value.ival);
  return !std::isfinite(number) || std::fabs(number) <= largest_finite(dtype);
}

ScalarText::ScalarText(const diopiScalar_t& value) {
  if (is_floating(value)) {
    // Uses the fewest digits that identify the number, so that 255.5 is not printed as 256.
    for (int digits = 6; digits <= 17; ++digits) {
      std::snprintf(text_, sizeof(text_), "%.*g", digits, value.fval);
      if (std::strtod(text_, nullptr) == value.fval) break;
    }
  } else {
    std::snprintf(text_, sizeof(text_), "%lld", static_cast<long long>(value.ival));
  }
}

Status require_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype) {
  DIOPI_REQUIRE(fits(value, dtype), diopiErrorOccurred, "%s = %s does not fit dtype %s", name,
                ScalarText(value).c_str(), dtype_name(dtype));
  return diopiSuccess;
}

}  // namespace diopi
