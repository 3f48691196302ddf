// SPDX-License-Identifier: BSD-3-Clause
#include "scalar.hpp"

#include <cmath>
#include <limits>

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

// `low` changes `high` only where its category is higher.
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

Status require_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) return diopiSuccess;
  const double v = is_floating(value) ? value.fval : static_cast<double>(value.ival);
  double most = 0, least = 0;
  if (is_integral(dtype)) {
    const bool is_unsigned = (dtype & 1) != 0;  // of the integers, the odd values of the enum
    most = std::ldexp(1.0, 8 * dtype_size(dtype) - (is_unsigned ? 0 : 1));  // the first that is too large
    least = -most;
    const bool fits = is_floating(value) ? v > least - 1 && v < most
                                         : dtype == diopi_dtype_int64 || dtype == diopi_dtype_uint64 ||
                                               (v >= (is_unsigned ? least + 1 : least) && v < most);
    DIOPI_REQUIRE(fits, diopiErrorOccurred, "%s = %g does not fit dtype %s", name, v, dtype_name(dtype));
    return diopiSuccess;
  }
  switch (dtype) {
    case diopi_dtype_float16:
      most = 65504;
      break;
    case diopi_dtype_bfloat16:
      most = 0x1.FEp127;
      break;
    case diopi_dtype_float32:
    case diopi_dtype_complex64:
      most = std::numeric_limits<float>::max();
      break;
    default:
      most = std::numeric_limits<double>::max();
  }
  DIOPI_REQUIRE(!std::isfinite(v) || std::fabs(v) <= most, diopiErrorOccurred, "%s = %g does not fit dtype %s", name, v,
                dtype_name(dtype));
  return diopiSuccess;
}

}  // namespace diopi
