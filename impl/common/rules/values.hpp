// SPDX-License-Identifier: BSD-3-Clause
// The rules of the registry about attributes. Generated code calls these functions.
#ifndef IMPL_COMMON_RULES_VALUES_HPP_
#define IMPL_COMMON_RULES_VALUES_HPP_

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "impl/common/scalar.hpp"

namespace diopi {

Status refuse_null(const char* name);
inline Status require_given(bool given, const char* name) {
  return __builtin_expect(given, 1) ? Status(diopiSuccess) : refuse_null(name);
}
Status require_absent(bool given, const char* name);

// `allowed` names the values in the message.
Status require_enum(const char* name, int value, std::initializer_list<int> values, const char* allowed);
Status require_string(const char* name, const char* value, std::initializer_list<const char*> values);
Status require_whole_number(const diopiScalar_t& value, const char* name);

struct NanAllowed {};
inline constexpr NanAllowed kNanAllowed{};
Status require_at_least(const char* name, int64_t value, int64_t least);
Status require_at_least(const char* name, double value, double least);
Status require_at_most(const char* name, int64_t value, int64_t most);
Status require_at_most(const char* name, double value, double most);
inline Status require_at_most(const char* name, double value, double most, NanAllowed) {
  return std::isnan(value) ? Status(diopiSuccess) : require_at_most(name, value, most);
}
Status require_above(const char* name, double value, double bound);
Status require_below(const char* name, double value, double bound);
Status require_finite(const char* name, double value);
Status require_not(const char* name, int64_t value, int64_t other);
Status require_not(const char* name, double value, double other);

// The same for a number without its fraction. The messages name the number with its fraction.
Status require_whole_part_at_least(const char* name, double value, double least);
Status require_whole_part_not(const char* name, double value, double other);

struct Bound {
  double value;
  bool open;
};
Status require_within(const char* name, double value, Bound least, Bound most);

// Requires that every entry of a list lies between the bounds.
Status require_entries(const char* name, const diopiSize_t& list, int64_t least, int64_t most);

struct Strictly {};
inline constexpr Strictly kStrictly{};
Status require_ordered(const char* first_name, double first, const char* second_name, double second);
Status require_ordered(const char* first_name, double first, const char* second_name, double second, Strictly);
Status require_ordered(const char* first_name, int64_t first, const char* second_name, int64_t second, Strictly);

// Requires that a floating point dtype, or the parts of a complex one, can hold a number, which must be finite. `text`
// names the number: `to - from`.
Status require_finite_fits(const char* text, double value, diopiDtype_t dtype);
// Requires that a number lies between the least and the greatest number of a real dtype, or is 0 or 1 for bool.
Status require_in_range(const char* text, int64_t value, diopiDtype_t dtype);
// Requires that a dtype holds all integers from 0 to `greatest`, which follows from the number `value`.
Status require_exact(const char* name, int64_t value, int64_t greatest, diopiDtype_t dtype);

}  // namespace diopi

#endif  // IMPL_COMMON_RULES_VALUES_HPP_
