// SPDX-License-Identifier: BSD-3-Clause
// The checked call of a one-operand kernel, for unary.cpp and activation.cpp.
#ifndef IMPL_CPU_FUNCTIONS_UNARY_CALL_HPP_
#define IMPL_CPU_FUNCTIONS_UNARY_CALL_HPP_

#include "impl/cpu/pointwise/unary.hpp"

namespace impl::cpu {

// Computes out = op(input). `out_name` is the contract's name of `out`, which may be the input itself.
Status call_unary(diopiContextHandle_t ctx, UnaryOp op, diopiTensorHandle_t out, const char* out_name,
                  diopiConstTensorHandle_t input);

// The error for an operation that has no kernel for this operand's dtype.
Status unsupported_operand(const TensorView& operand);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_UNARY_CALL_HPP_
