// SPDX-License-Identifier: BSD-3-Clause
// Averages over any windows, for average pooling and adaptive average pooling.
#ifndef IMPL_CPU_FUNCTIONS_POOL_AVERAGE_HPP_
#define IMPL_CPU_FUNCTIONS_POOL_AVERAGE_HPP_

#include "impl/cpu/functions/pool_common.hpp"

namespace impl::cpu {

// `args` has the windows; this function checks and sets all other fields.
Status average_forward(diopiContextHandle_t ctx, const TensorView& y, const TensorView& x, const diopi::Dims& shape,
                       int spatial, PoolArgs args);
// The caller has checked the shape of `dy`.
Status average_backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, const TensorView& dy,
                        const TensorView& x, int spatial, PoolArgs args);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_POOL_AVERAGE_HPP_
