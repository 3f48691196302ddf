// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/rules/values.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "impl/common/dtype_range.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

namespace {

long long wide(int64_t n) { return static_cast<long long>(n); }

}  // namespace

Status refuse_null(const char* name) { return fail(diopiErrorOccurred, "%s is null, but this call needs it", name); }

Status require_absent(bool given, const char* name) {
  DIOPI_REQUIRE(!given, diopiErrorOccurred, "%s is not null, expected null", name);
  return diopiSuccess;
}

Status require_enum(const char* name, int value, std::initializer_list<int> values, const char* allowed) {
  DIOPI_REQUIRE(std::find(values.begin(), values.end(), value) != values.end(), diopiErrorOccurred,
                "%s = %d, expected %s", name, value, allowed);
  return diopiSuccess;
}

Status require_string(const char* name, const char* value, std::initializer_list<const char*> values) {
  for (const char* known : values) {
    if (std::strcmp(value, known) == 0) return diopiSuccess;
  }
  char list[160] = "";
  size_t length = 0;
  for (const char* known : values) {
    if (length >= sizeof(list)) continue;
    const char* between = length == 0 ? "" : known == *(values.end() - 1) ? " or " : ", ";
    length += std::snprintf(list + length, sizeof(list) - length, "%s\"%s\"", between, known);
  }
  return fail(diopiErrorOccurred, "%s = \"%.64s\", expected %s", name, value, list);
}

Status require_whole_number(const diopiScalar_t& value, const char* name) {
  DIOPI_REQUIRE(!is_floating(value) || value.fval == std::trunc(value.fval), diopiErrorOccurred,
                "%s = %s, expected a whole number", name, ScalarText(value).c_str());
  return diopiSuccess;
}

Status require_at_least(const char* name, int64_t value, int64_t least) {
  DIOPI_REQUIRE(value >= least, diopiErrorOccurred, "%s = %lld, expected at least %lld", name, wide(value),
                wide(least));
  return diopiSuccess;
}

Status require_at_least(const char* name, double value, double least) {
  DIOPI_REQUIRE(value >= least, diopiErrorOccurred, "%s = %g, expected at least %g", name, value, least);
  return diopiSuccess;
}

Status require_at_most(const char* name, int64_t value, int64_t most) {
  DIOPI_REQUIRE(value <= most, diopiErrorOccurred, "%s = %lld, expected at most %lld", name, wide(value), wide(most));
  return diopiSuccess;
}

Status require_at_most(const char* name, double value, double most) {
  DIOPI_REQUIRE(value <= most, diopiErrorOccurred, "%s = %g, expected at most %g", name, value, most);
  return diopiSuccess;
}

Status require_above(const char* name, double value, double bound) {
  DIOPI_REQUIRE(value > bound, diopiErrorOccurred, "%s = %g, expected more than %g", name, value, bound);
  return diopiSuccess;
}

Status require_below(const char* name, double value, double bound) {
  DIOPI_REQUIRE(value < bound, diopiErrorOccurred, "%s = %g, expected less than %g", name, value, bound);
  return diopiSuccess;
}

Status require_finite(const char* name, double value) {
  DIOPI_REQUIRE(std::isfinite(value), diopiErrorOccurred, "%s = %g, expected a finite number", name, value);
  return diopiSuccess;
}

Status require_not(const char* name, int64_t value, int64_t other) {
  DIOPI_REQUIRE(value != other, diopiErrorOccurred, "%s = %lld, expected any other number", name, wide(value));
  return diopiSuccess;
}

Status require_not(const char* name, double value, double other) {
  const bool same = std::isnan(other) ? std::isnan(value) : value == other;
  DIOPI_REQUIRE(!same, diopiErrorOccurred, "%s = %g, expected any other number", name, value);
  return diopiSuccess;
}

Status require_whole_part_at_least(const char* name, double value, double least) {
  DIOPI_REQUIRE(std::trunc(value) >= least, diopiErrorOccurred, "%s = %g, expected a whole part of at least %g", name,
                value, least);
  return diopiSuccess;
}

Status require_whole_part_not(const char* name, double value, double other) {
  DIOPI_REQUIRE(std::trunc(value) != other, diopiErrorOccurred, "%s = %g, expected a whole part other than %g", name,
                value, other);
  return diopiSuccess;
}

Status require_within(const char* name, double value, Bound least, Bound most) {
  const bool above = least.open ? value > least.value : value >= least.value;
  const bool below = most.open ? value < most.value : value <= most.value;
  DIOPI_REQUIRE(above && below, diopiErrorOccurred, "%s = %g is outside of %c%g, %g%c", name, value,
                least.open ? '(' : '[', least.value, most.value, most.open ? ')' : ']');
  return diopiSuccess;
}

static __attribute__((noinline, cold)) Status refuse_entries(const char* name, const diopiSize_t& list, bool few,
                                                             int64_t bound) {
  return fail(diopiErrorOccurred, "%s = %s, expected entries of at %s %lld", name, Text(list).c_str(),
              few ? "least" : "most", wide(bound));
}

Status require_entries(const char* name, const diopiSize_t& list, int64_t least, int64_t most) {
  for (int64_t i = 0; i < list.len; ++i) {
    if (list.data[i] < least) return refuse_entries(name, list, true, least);
    if (list.data[i] > most) return refuse_entries(name, list, false, most);
  }
  return diopiSuccess;
}

Status require_ordered(const char* first_name, double first, const char* second_name, double second) {
  DIOPI_REQUIRE(first <= second, diopiErrorOccurred, "%s = %g is greater than %s = %g", first_name, first, second_name,
                second);
  return diopiSuccess;
}

Status require_ordered(const char* first_name, double first, const char* second_name, double second, Strictly) {
  DIOPI_REQUIRE(first < second, diopiErrorOccurred, "%s = %g is not less than %s = %g", first_name, first, second_name,
                second);
  return diopiSuccess;
}

Status require_ordered(const char* first_name, int64_t first, const char* second_name, int64_t second, Strictly) {
  DIOPI_REQUIRE(first < second, diopiErrorOccurred, "%s = %lld is not less than %s = %lld", first_name, wide(first),
                second_name, wide(second));
  return diopiSuccess;
}

Status require_finite_fits(const char* text, double value, diopiDtype_t dtype) {
  DIOPI_REQUIRE(std::fabs(value) <= largest_finite(dtype), diopiErrorOccurred, "%s = %g is out of bounds for dtype %s",
                text, value, dtype_name(dtype));
  return diopiSuccess;
}

namespace {

bool in_range(int64_t value, diopiDtype_t dtype) {
  if (is_floating(dtype)) return std::fabs(static_cast<double>(value)) <= largest_finite(dtype);
  const uint64_t most = largest_exact(dtype);
  if (value >= 0) return static_cast<uint64_t>(value) <= most;
  const bool has_negative = dtype != diopi_dtype_bool && !is_unsigned(dtype);
  return has_negative && value >= -static_cast<int64_t>(most) - 1;
}

}  // namespace

Status require_in_range(const char* text, int64_t value, diopiDtype_t dtype) {
  DIOPI_REQUIRE(in_range(value, dtype), diopiErrorOccurred, "%s = %lld is out of bounds for dtype %s", text,
                wide(value), dtype_name(dtype));
  return diopiSuccess;
}

Status require_exact(const char* name, int64_t value, int64_t greatest, diopiDtype_t dtype) {
  DIOPI_REQUIRE(greatest <= 0 || static_cast<uint64_t>(greatest) <= largest_exact(dtype), diopiErrorOccurred,
                "%s = %lld is too large for dtype %s", name, wide(value), dtype_name(dtype));
  return diopiSuccess;
}

}  // namespace diopi
