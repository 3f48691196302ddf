// SPDX-License-Identifier: BSD-3-Clause
// Outputs that an operator allocates itself: `T**` parameters of the contract.
#ifndef IMPL_COMMON_ALLOCATE_HPP_
#define IMPL_COMMON_ALLOCATE_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Allocates an output tensor in the caller's context. `name` is the name of the parameter. `stride` may be null, which
// means row-major.
Status allocate_output(diopiContextHandle_t ctx, const char* name, const Dims& shape, const Dims* stride,
                       diopiDtype_t dtype, diopiTensorHandle_t* handle, TensorView* view);

}  // namespace diopi

#endif  // IMPL_COMMON_ALLOCATE_HPP_
