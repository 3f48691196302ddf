// SPDX-License-Identifier: BSD-3-Clause
// Magnitudes of complex elements, for the norms of several families.
#ifndef IMPL_COMMON_FAMILIES_MAGNITUDES_HPP_
#define IMPL_COMMON_FAMILIES_MAGNITUDES_HPP_

#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/rules/dtypes.hpp"
#include "impl/common/temporary.hpp"

namespace impl::DIOPI_VENDOR {

// Replaces complex elements by their magnitudes, for a result of the dtype `out`: float64 if that is float64.
inline Status take_magnitudes(diopiContextHandle_t ctx, diopiDtype_t out, TensorView* input) {
  TensorView in = *input, magnitudes;
  if (out == diopi_dtype_float64 && in.dtype != diopi_dtype_complex128) {
    DIOPI_TRY(diopi::make_temporary(ctx, in.shape, diopi_dtype_complex128, in.name, &in));
    DIOPI_TRY(copy(ctx, in, *input));
  }
  DIOPI_TRY(diopi::make_temporary(ctx, in.shape, diopi::real_dtype(in.dtype), in.name, &magnitudes));
  DIOPI_TRY(run_unary(ctx, UnaryOp::kAbs, magnitudes, in));
  *input = magnitudes;
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_MAGNITUDES_HPP_
