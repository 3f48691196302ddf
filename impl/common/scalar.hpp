// SPDX-License-Identifier: BSD-3-Clause
// Reading `diopiScalar_t`: `fval` where the type is floating point, `ival` for integers and bool.
//
// A scalar is one of two things to an operator, as in PyTorch. In the place of a tensor it is an operand (`other` of
// diopiMulScalar): it is converted as an element of an int64 tensor would be, and integers wrap around. Anything else
// (a factor, a bound, an exponent, a number to write) is a value, which must fit the dtype that it is used in.
#pragma once

#include <type_traits>

#include "dtype.hpp"

namespace diopi {

inline bool is_floating(const diopiScalar_t& s) { return is_floating(s.stype); }

// Of an integral dtype. The odd values of the enum are unsigned.
constexpr bool is_unsigned(diopiDtype_t dtype) { return (dtype & 1) != 0; }

template <typename T>
T scalar_as(const diopiScalar_t& s) {
  if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>) {
    return T(is_floating(s) ? static_cast<float>(s.fval) : static_cast<float>(s.ival));
  } else {
    return is_floating(s) ? static_cast<T>(s.fval) : static_cast<T>(s.ival);
  }
}

// The dtype that a scalar contributes to promotion before the tensors' own category is considered:
// bool, int64 or float32 (PyTorch's default floating dtype).
inline diopiDtype_t scalar_dtype(const diopiScalar_t& s) {
  if (is_floating(s)) return diopi_dtype_float32;
  return s.stype == diopi_dtype_bool ? diopi_dtype_bool : diopi_dtype_int64;
}

// Whether `dtype` can hold a value. Negative integers wrap into unsigned dtypes as far as their magnitude fits, and
// fractions are cut off, but -0.5 is below the range of uint8 and 255.5 above it. Infinities and NaN fit every floating
// dtype, and everything fits bool.
bool fits(const diopiScalar_t& value, diopiDtype_t dtype);
Status require_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype);

// The scalar as text for messages.
class ScalarText {
 public:
  explicit ScalarText(const diopiScalar_t& value);
  const char* c_str() const { return text_; }

 private:
  char text_[32];
};

// PyTorch's result_type over tensors and Python scalars: dimensioned tensors first, then 0-d tensors,
// then scalars; a later group counts only where its category is higher.
class ResultType {
 public:
  ResultType& tensor(diopiDtype_t dtype, int ndim);
  ResultType& scalar(const diopiScalar_t& s);
  diopiDtype_t get() const;

 private:
  diopiDtype_t dims_ = diopi_dtype_unsupported, zero_ = diopi_dtype_unsupported, scalar_ = diopi_dtype_unsupported;
};

}  // namespace diopi
