// SPDX-License-Identifier: BSD-3-Clause
// Multiplication by a dropout mask of any dtype, shape and strides.
#ifndef IMPL_CPU_POINTWISE_DROPOUT_HPP_
#define IMPL_CPU_POINTWISE_DROPOUT_HPP_

#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

// out = x * (mask * scale), computed in the compute dtype of x; `mask` broadcasts to the shape of `out` and `x`.
Status multiply_by_mask(diopiContextHandle_t ctx, const TensorView& out, const TensorView& x, const TensorView& mask,
                        double scale);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_DROPOUT_HPP_
