// SPDX-License-Identifier: BSD-3-Clause
// Temporary tensors of one call, owned by the caller's context.
#ifndef IMPL_COMMON_TEMPORARY_HPP_
#define IMPL_COMMON_TEMPORARY_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Makes a row-major temporary of the context. `name` is the name of the view in messages.
Status make_temporary(diopiContextHandle_t ctx, const Dims& shape, diopiDtype_t dtype, const char* name,
                      TensorView* view);

}  // namespace diopi

#endif  // IMPL_COMMON_TEMPORARY_HPP_
