// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/rules/dtypes.hpp"

namespace diopi {

Status refuse_dtype(const TensorView& view, const char* expected) {
  return fail(diopiDtypeNotSupported, "%s has dtype %s, expected %s", view.name, dtype_name(view.dtype), expected);
}

Status require_dtypes_in(const ViewList& views, DtypeSet set, const char* expected) {
  for (int64_t i = 0; i < views.size(); ++i) DIOPI_TRY(require_dtype_in(views[i], set, expected));
  return diopiSuccess;
}

Status require_castable(diopiDtype_t from, const ViewList& outs) {
  for (int64_t i = 0; i < outs.size(); ++i) DIOPI_TRY(require_castable(from, outs[i]));
  return diopiSuccess;
}

Status require_castable(const ViewList& from, const TensorView& out) {
  for (const TensorView& view : from) {
    DIOPI_REQUIRE(can_cast(view.dtype, out.dtype), diopiDtypeNotSupported,
                  "%s has dtype %s, which cannot be stored in %s of dtype %s", view.name, dtype_name(view.dtype),
                  out.name, dtype_name(out.dtype));
  }
  return diopiSuccess;
}

Status require_same_dtypes(const ViewList& views, const ViewList& others) {
  for (const TensorView& view : views) DIOPI_TRY(require_same_dtype(view, views[0]));
  for (const TensorView& other : others) DIOPI_TRY(require_same_dtype(other, views[0]));
  return diopiSuccess;
}

Status refuse_promoted(diopiDtype_t promoted, const char* operands, const char* expected) {
  return fail(diopiDtypeNotSupported, "%s: the promoted dtype is %s, expected %s", operands, dtype_name(promoted),
              expected);
}

Status require_whole_part_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype) {
  if (!is_exact(dtype)) return require_fits(value, name, dtype);
  if (is_floating(value)) DIOPI_TRY(require_fits(value, name, diopi_dtype_int64));
  return require_fits(whole_part(value), name, dtype);
}

Status require_negative_fits(const diopiScalar_t& value, const char* name, diopiDtype_t dtype) {
  diopiScalar_t negative = value;
  if (is_floating(value)) {
    negative.fval = -value.fval;
  } else {
    negative.ival = static_cast<int64_t>(-static_cast<uint64_t>(value.ival));
  }
  DIOPI_REQUIRE(fits(negative, dtype), diopiErrorOccurred, "%s = %s, negated, does not fit dtype %s", name,
                ScalarText(value).c_str(), dtype_name(dtype));
  return diopiSuccess;
}

}  // namespace diopi
