// SPDX-License-Identifier: BSD-3-Clause
// Reading `diopiScalar_t`: `fval` where the type is floating point, `ival` for integers and bool.
#pragma once

#include <type_traits>

#include "dtype.hpp"

namespace diopi {

inline bool is_floating(const diopiScalar_t& s) { return is_floating(s.stype); }

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

// Writes of a scalar that the dtype cannot hold are errors. Negative integers wrap into unsigned dtypes, as far as
// their magnitude fits; infinities and NaN fit every floating dtype.
Status require_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype);

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
