// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for floating point numbers of small tensors that a family must know.
#ifndef IMPL_COMMON_ENGINE_HOST_NUMBERS_HPP_
#define IMPL_COMMON_ENGINE_HOST_NUMBERS_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Reads the numbers of a tensor of float32, in row-major order, to the host.
Status read_floats(diopiContextHandle_t ctx, const TensorView& view, float* values);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_HOST_NUMBERS_HPP_
