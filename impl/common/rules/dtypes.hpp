// SPDX-License-Identifier: BSD-3-Clause
// The rules of the registry about dtypes. Generated code calls these functions.
#ifndef IMPL_COMMON_RULES_DTYPES_HPP_
#define IMPL_COMMON_RULES_DTYPES_HPP_

#include "impl/common/scalar.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/tensor_view.hpp"
#include "impl/common/view_list.hpp"

namespace diopi {

// A set of dtypes: bit i stands for the dtype of value i.
struct DtypeSet {
  uint32_t bits;
  constexpr bool has(diopiDtype_t dtype) const {
    return static_cast<unsigned>(dtype) < 32 && (bits >> static_cast<unsigned>(dtype) & 1) != 0;
  }
  constexpr DtypeSet operator~() const { return {~bits}; }
};

// Whether elements of the dtype are integers or bools.
constexpr bool is_exact(diopiDtype_t dtype) { return !is_floating(dtype) && !is_complex(dtype); }
// The dtype of a floating point function of integers and bools is float32.
constexpr diopiDtype_t floating_dtype(diopiDtype_t dtype) { return is_exact(dtype) ? diopi_dtype_float32 : dtype; }
// The dtype of a sum of integers and bools is int64.
constexpr diopiDtype_t summed_dtype(diopiDtype_t dtype) { return is_exact(dtype) ? diopi_dtype_int64 : dtype; }
// The dtype of the real part.
constexpr diopiDtype_t real_dtype(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_complex128) return diopi_dtype_float64;
  return dtype == diopi_dtype_complex64 ? diopi_dtype_float32 : dtype;
}

// The dtype to which tensors promote. Equal dtypes, which are common, need no promotion.
template <typename... Views>
diopiDtype_t promoted_dtype(const TensorView& first, const Views&... rest) {
  if (((rest.dtype == first.dtype) && ...)) return first.dtype;
  ResultType promoted;
  promoted.tensor(first.dtype, first.ndim());
  (promoted.tensor(rest.dtype, rest.ndim()), ...);
  return promoted.get();
}

// `expected` describes the set in the message: `floating point or bool`.
Status refuse_dtype(const TensorView& view, const char* expected);
inline Status require_dtype_in(const TensorView& view, DtypeSet set, const char* expected) {
  return __builtin_expect(set.has(view.dtype), 1) ? Status(diopiSuccess) : refuse_dtype(view, expected);
}
Status require_dtypes_in(const ViewList& views, DtypeSet set, const char* expected);
Status require_castable(diopiDtype_t from, const ViewList& outs);
Status require_castable(const ViewList& from, const TensorView& out);
// Requires that all tensors of both lists have the same dtype.
Status require_same_dtypes(const ViewList& views, const ViewList& others);
// `operands` lists the parameters that are promoted: `input, other`.
Status refuse_promoted(diopiDtype_t promoted, const char* operands, const char* expected);
inline Status require_promoted_in(diopiDtype_t promoted, DtypeSet set, const char* operands, const char* expected) {
  return __builtin_expect(set.has(promoted), 1) ? Status(diopiSuccess) : refuse_promoted(promoted, operands, expected);
}
// A scalar without its fraction, as an int64, which must hold it.
inline diopiScalar_t whole_part(const diopiScalar_t& value) {
  diopiScalar_t whole{diopi_dtype_int64, {0}};
  whole.ival = scalar_as<int64_t>(value);
  return whole;
}
// For integers, requires that the whole part of a scalar fits; for other dtypes, that the scalar fits.
Status require_whole_part_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype);
// Requires that the negative of a scalar fits.
Status require_negative_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype);

}  // namespace diopi

#endif  // IMPL_COMMON_RULES_DTYPES_HPP_
