// SPDX-License-Identifier: BSD-3-Clause
// Inputs that share memory with the output of a call.
#ifndef IMPL_COMMON_FAMILIES_OVERLAP_HPP_
#define IMPL_COMMON_FAMILIES_OVERLAP_HPP_

#include "impl/common/engine/copy.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"

namespace impl::DIOPI_VENDOR {

// Replaces `view` by a row-major copy.
inline Status replace_by_copy(diopiContextHandle_t ctx, TensorView* view) {
  TensorView packed;
  DIOPI_TRY(diopi::make_temporary(ctx, view->shape, view->dtype, view->name, &packed));
  DIOPI_TRY(copy_apart(ctx, packed, *view));
  *view = packed;
  return diopiSuccess;
}

// Replaces `view` by a row-major copy if writing to `out` could change its elements.
inline Status replace_if_overlapping(diopiContextHandle_t ctx, const TensorView& out, TensorView* view) {
  return diopi::may_overlap(out, *view) ? replace_by_copy(ctx, view) : Status(diopiSuccess);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_OVERLAP_HPP_
