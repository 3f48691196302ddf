// SPDX-License-Identifier: BSD-3-Clause
// Where and MaskedFill: a mask selects between two values. impl/<vendor>/functions/where.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_WHERE_HPP_
#define IMPL_COMMON_FAMILIES_WHERE_HPP_

#include "arguments/where.hpp"
#include "impl/common/engine/ternary.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::WhereArgs& args) {
  return run_select(ctx, args.out, args.condition, args.input, args.other, args.promoted);
}

// The result has the dtype of the input, so a number becomes an element of this dtype.
inline Status run(diopiContextHandle_t ctx, diopi::MaskedFillArgs& args) {
  const diopiScalar_t* number = args.value_number.scalar;
  if (number != nullptr) args.value_number.set(*number, "value", args.input.dtype, &args.value);
  return run_select(ctx, args.out, args.mask, args.value, args.input, args.input.dtype);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/where.hpp"

#endif  // IMPL_COMMON_FAMILIES_WHERE_HPP_
