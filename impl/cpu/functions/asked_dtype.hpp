// SPDX-License-Identifier: BSD-3-Clause
// Sums, products and means in a dtype that the caller requests by the dtype of the output, like PyTorch's `dtype=`.
#ifndef IMPL_CPU_FUNCTIONS_ASKED_DTYPE_HPP_
#define IMPL_CPU_FUNCTIONS_ASKED_DTYPE_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

using diopi::Status;
using diopi::TensorView;

// Converts the elements of `input` to the dtype `asked` before they are added or multiplied. If reading them in the
// dtype of computation gives the same values, `input` stays; otherwise it becomes a temporary copy.
Status convert_to_asked(diopiContextHandle_t ctx, diopiDtype_t asked, TensorView* input);

// The dtype in which elements of the dtype `asked` are added and multiplied: int64 for integers and bool.
diopiDtype_t accumulation_dtype(diopiDtype_t asked);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_ASKED_DTYPE_HPP_
