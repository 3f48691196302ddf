// SPDX-License-Identifier: BSD-3-Clause
// A fill with a number of C++.
#ifndef IMPL_COMMON_FAMILIES_FILL_NUMBER_HPP_
#define IMPL_COMMON_FAMILIES_FILL_NUMBER_HPP_

#include "impl/common/engine/fill.hpp"

namespace impl::DIOPI_VENDOR {

// Sets every element to `value`.
inline Status fill_number(diopiContextHandle_t ctx, const TensorView& out, double value) {
  diopiScalar_t number{};
  number.stype = diopi_dtype_float64;
  number.fval = value;
  return fill(ctx, out, number);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_FILL_NUMBER_HPP_
