// SPDX-License-Identifier: BSD-3-Clause
// Block kernels of element-wise losses; computed in float32 or float64.
#ifndef IMPL_CPU_LOSS_ELEMENTWISE_HPP_
#define IMPL_CPU_LOSS_ELEMENTWISE_HPP_

#include "impl/common/engine/loss.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

using diopi::LossOp;
using diopi::LossParams;

// Null if `dtype` is neither float32 nor float64.
BlockFn loss_kernel(LossOp op, diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_ELEMENTWISE_HPP_
