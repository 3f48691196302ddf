// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for numbers of tensors that a family must know.
#ifndef IMPL_COMMON_ENGINE_HOST_NUMBERS_HPP_
#define IMPL_COMMON_ENGINE_HOST_NUMBERS_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Reads the integers of a tensor, in row-major order, to the host. The dtype is int32 or int64.
Status read_integers(diopiContextHandle_t ctx, const TensorView& view, int64_t* values);
// The same for a tensor of float32.
Status read_floats(diopiContextHandle_t ctx, const TensorView& view, float* values);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_HOST_NUMBERS_HPP_
