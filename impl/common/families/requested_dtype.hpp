// SPDX-License-Identifier: BSD-3-Clause
// Sums, products, means and softmax in a dtype that the caller requests by the dtype of the output, like PyTorch's
// `dtype=`: the elements are converted to that dtype before the computation.
#ifndef IMPL_COMMON_FAMILIES_REQUESTED_DTYPE_HPP_
#define IMPL_COMMON_FAMILIES_REQUESTED_DTYPE_HPP_

#include "impl/common/engine/copy.hpp"
#include "impl/common/rules/dtypes.hpp"
#include "impl/common/temporary.hpp"

namespace diopi {

// The dtype in which elements of the dtype `requested` are added and multiplied: int64 for integers and bool.
constexpr diopiDtype_t accumulation_dtype(diopiDtype_t requested) { return summed_dtype(compute_dtype(requested)); }

// Whether reading an element in the dtype of computation gives the same value as converting it to `requested`. For
// integers, a difference of a multiple of 2^bits is allowed, because converting the result removes it.
constexpr bool reads_as_requested(diopiDtype_t dtype, diopiDtype_t requested) {
  if (dtype == requested || accumulation_dtype(requested) == requested) return true;
  return is_exact(requested) && is_exact(dtype) && requested != diopi_dtype_bool;
}

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

// Converts `input` to a temporary of the dtype `requested`, unless reading it gives the same values.
inline Status convert_to_requested(diopiContextHandle_t ctx, diopiDtype_t requested, TensorView* input) {
  if (diopi::reads_as_requested(input->dtype, requested)) return diopiSuccess;
  TensorView converted;
  DIOPI_TRY(diopi::make_temporary(ctx, input->shape, requested, input->name, &converted));
  DIOPI_TRY(copy(ctx, converted, *input));
  *input = converted;
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_REQUESTED_DTYPE_HPP_
