// SPDX-License-Identifier: BSD-3-Clause
// Whether two tensors are equal. impl/<vendor>/functions/equal.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_EQUAL_HPP_
#define IMPL_COMMON_FAMILIES_EQUAL_HPP_

#include "arguments/equal.hpp"
#include "impl/common/engine/equal.hpp"
#include "impl/common/families/promoted_operands.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::EqualArgs& args) {
  TensorView a = args.input, b = args.other;
  bool equal = a.shape == b.shape;
  if (equal && a.numel > 0) {
    const diopiDtype_t promoted = diopi::promoted_dtype(a, b);
    for (TensorView* operand : {&a, &b}) {
      if (rounds_integers(promoted, *operand)) DIOPI_TRY(convert_to_requested(ctx, promoted, operand));
    }
    DIOPI_TRY(all_equal(ctx, a, b, promoted, &equal));
  }
  *args.out = equal;
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/equal.hpp"

#endif  // IMPL_COMMON_FAMILIES_EQUAL_HPP_
