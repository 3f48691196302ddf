// SPDX-License-Identifier: BSD-3-Clause
// Averages over windows of any kind, for the functions of average and adaptive average pooling.
#pragma once

#include "pool_common.hpp"

namespace impl::cpu {

// `args` has the windows; the rest is checked and filled here.
Status average_forward(diopiContextHandle_t ctx, const TensorView& y, const TensorView& x, const diopi::Dims& shape,
                       int spatial, PoolArgs args);
// The shape of `dy` has been checked.
Status average_backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, const TensorView& dy,
                        const TensorView& x, int spatial, PoolArgs args);

}  // namespace impl::cpu
