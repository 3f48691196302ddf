// SPDX-License-Identifier: BSD-3-Clause
// Reads `diopiScalar_t`: `fval` if the type is floating point, `ival` for integers and bool.
//
// As in PyTorch, an operator uses a scalar in one of two ways. If the scalar replaces a tensor, it is an operand
// (`other` of diopiMulScalar): it is converted like an element of an int64 tensor, and integers wrap around. Any other
// scalar (a factor, a bound, an exponent, a number to write) is a value, which must fit the dtype in which it is used.
#ifndef IMPL_COMMON_SCALAR_HPP_
#define IMPL_COMMON_SCALAR_HPP_

#include <type_traits>

#include "impl/common/dtype.hpp"

namespace diopi {

inline bool is_floating(const diopiScalar_t& s) { return is_floating(s.stype); }

// Whether an integral dtype is unsigned: the odd values of the enum are.
constexpr bool is_unsigned(diopiDtype_t dtype) { return (dtype & 1) != 0; }

template <typename T>
T scalar_as(const diopiScalar_t& s) {
  if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>) {
    return T(is_floating(s) ? static_cast<float>(s.fval) : static_cast<float>(s.ival));
  } else {
    return is_floating(s) ? static_cast<T>(s.fval) : static_cast<T>(s.ival);
  }
}

// The dtype of a scalar for promotion, before the category of the tensors is considered: bool, int64 or float32
// (PyTorch's default floating point dtype).
inline diopiDtype_t scalar_dtype(const diopiScalar_t& s) {
  if (is_floating(s)) return diopi_dtype_float32;
  return s.stype == diopi_dtype_bool ? diopi_dtype_bool : diopi_dtype_int64;
}

// Whether `dtype` can hold a value. A negative integer may wrap around into an unsigned dtype if its magnitude fits.
// Fractions are truncated, but -0.5 is below the range of uint8 and 255.5 is above it. Infinities and NaN fit every
// floating point dtype, and everything fits bool.
bool fits(const diopiScalar_t& value, diopiDtype_t dtype);
Status require_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype);

// A scalar as text for messages.
class ScalarText {
 public:
  explicit ScalarText(const diopiScalar_t& value);
  const char* c_str() const { return text_; }

 private:
  char text_[32];
};

// PyTorch's result_type for tensors and Python scalars. There are three groups: tensors with dimensions, 0-d tensors,
// and scalars. A later group counts only if its category is higher.
class ResultType {
 public:
  ResultType& tensor(diopiDtype_t dtype, int ndim);
  ResultType& scalar(const diopiScalar_t& s);
  diopiDtype_t get() const;

 private:
  diopiDtype_t dims_ = diopi_dtype_unsupported, zero_ = diopi_dtype_unsupported, scalar_ = diopi_dtype_unsupported;
};

}  // namespace diopi

#endif  // IMPL_COMMON_SCALAR_HPP_
