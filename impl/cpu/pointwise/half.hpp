// SPDX-License-Identifier: BSD-3-Clause
// Block kernels whose operands and results are all float16 or all bfloat16. A function returns null if conversion to
// float, block by block, is as fast.
#ifndef IMPL_CPU_POINTWISE_HALF_HPP_
#define IMPL_CPU_POINTWISE_HALF_HPP_

#include "impl/common/engine/ternary.hpp"
#include "impl/cpu/pointwise/activation.hpp"
#include "impl/cpu/pointwise/binary.hpp"
#include "impl/cpu/pointwise/unary.hpp"

namespace impl::cpu {

BlockFn half_binary_kernel(BinaryOp op, diopiDtype_t dtype);
// Kernels for one input and a number, a float32 parameter.
BlockFn half_by_number_kernel(BinaryOp op, diopiDtype_t dtype);
OneSided half_one_sided_kernels(BinaryOp op, diopiDtype_t dtype);
BlockFn half_ternary_kernel(TernaryOp op, diopiDtype_t dtype);  // params: the factor, as float
BlockFn half_lerp_by_number_kernel(diopiDtype_t dtype);         // TernaryOp::kLerp; params: the weight, as float
BlockFn half_unary_kernel(UnaryOp op, diopiDtype_t dtype);
BlockFn simple_half_kernel(UnaryOp op, diopiDtype_t dtype);  // the kernels without elementary functions
BlockFn half_gradient_kernel(ActivationGradient op, diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTWISE_HALF_HPP_
