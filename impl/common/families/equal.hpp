// SPDX-License-Identifier: BSD-3-Clause
// Whether two tensors are equal. impl/<vendor>/functions/equal.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_EQUAL_HPP_
#define IMPL_COMMON_FAMILIES_EQUAL_HPP_

#include "arguments/equal.hpp"
#include "impl/common/engine/equal.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::EqualArgs& args) {
  const TensorView &a = args.input, &b = args.other;
  bool equal = a.shape == b.shape;
  if (equal && a.numel > 0) DIOPI_TRY(all_equal(ctx, a, b, diopi::promoted_dtype(a, b), &equal));
  *args.out = equal;
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/equal.hpp"

#endif  // IMPL_COMMON_FAMILIES_EQUAL_HPP_
