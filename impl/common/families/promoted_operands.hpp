// SPDX-License-Identifier: BSD-3-Clause
// Operands that are promoted to float16 or bfloat16.
#ifndef IMPL_COMMON_FAMILIES_PROMOTED_OPERANDS_HPP_
#define IMPL_COMMON_FAMILIES_PROMOTED_OPERANDS_HPP_

#include <initializer_list>

#include "impl/common/families/requested_dtype.hpp"

namespace impl::DIOPI_VENDOR {

// Whether an integer may not be a number of the promoted dtype. Engines read operands of float16 and bfloat16 in
// float32, which tells 257 from the 256 of bfloat16. Integers of one byte are exact in both dtypes.
inline bool rounds_integers(diopiDtype_t promoted, const TensorView& operand) {
  return diopi::is_reduced_float(promoted) && diopi::is_integral(operand.dtype) && operand.itemsize() > 1;
}

// Rounds integers to the promoted dtype, as PyTorch does, before a computation that writes `out`.
inline Status round_integers(diopiContextHandle_t ctx, diopiDtype_t promoted, const TensorView& out,
                             std::initializer_list<TensorView*> operands) {
  for (TensorView* operand : operands) {
    if (!rounds_integers(promoted, *operand) || out.numel == 0) continue;
    DIOPI_TRY(diopi::require_writable(out));
    DIOPI_TRY(convert_to_requested(ctx, promoted, operand));
  }
  return diopiSuccess;
}

// Rounds operands of any other dtype to a promoted dtype of 16 bits, before a computation that writes `out`.
// Computation in float32 would skip this rounding.
inline Status round_operands(diopiContextHandle_t ctx, diopiDtype_t promoted, const TensorView& out,
                             std::initializer_list<TensorView*> operands) {
  if (!diopi::is_reduced_float(promoted) || out.numel == 0) return diopiSuccess;
  for (TensorView* operand : operands) {
    if (operand->dtype == promoted) continue;
    DIOPI_TRY(diopi::require_writable(out));
    TensorView rounded;
    DIOPI_TRY(diopi::make_temporary(ctx, operand->shape, promoted, operand->name, &rounded));
    DIOPI_TRY(copy(ctx, rounded, *operand));
    *operand = rounded;
  }
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_PROMOTED_OPERANDS_HPP_
