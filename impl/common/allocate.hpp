// SPDX-License-Identifier: BSD-3-Clause
// Outputs that an operator makes itself: `T**` parameters of the contract.
#pragma once

#include "tensor_view.hpp"

namespace diopi {

// Requires a tensor of the caller's context. `name` is the parameter's; `stride` null means row-major.
Status allocate_output(diopiContextHandle_t ctx, const char* name, const Dims& shape, const Dims* stride,
                       diopiDtype_t dtype, diopiTensorHandle_t* handle, TensorView* view);

}  // namespace diopi
