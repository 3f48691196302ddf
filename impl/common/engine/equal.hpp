// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements to compare whole tensors.
#ifndef IMPL_COMMON_ENGINE_EQUAL_HPP_
#define IMPL_COMMON_ENGINE_EQUAL_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Whether each element of `a` equals that of `b` in the dtype `promoted`. NaN equals nothing. The shapes are the same.
Status all_equal(diopiContextHandle_t ctx, const TensorView& a, const TensorView& b, diopiDtype_t promoted,
                 bool* equal);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_EQUAL_HPP_
