// SPDX-License-Identifier: BSD-3-Clause
// Kernels of functions of two numbers.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_BINARY_HPP_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_BINARY_HPP_

#include "impl/common/engine/elementwise.hpp"
#include "impl/cuda/engine/map.hpp"
#include "impl/cuda/kernels/first_bad.hpp"

namespace impl::cuda {

// Whether there is a kernel that computes in `dtype`, a dtype of computation.
bool has_binary(BinaryOp op, diopiDtype_t dtype);
// `params`: see run_binary().
Status launch_arithmetic(const MapCall& call, BinaryOp op, diopiDtype_t dtype, const void* params);
// `zero` gets integers that are divided by zero.
Status launch_division(const MapCall& call, BinaryOp op, diopiDtype_t dtype, const FirstBad& zero);
// `rounded`: the dtype to which each operand is rounded before the comparison in float32.
Status launch_compare(const MapCall& call, BinaryOp op, diopiDtype_t dtype, const diopiDtype_t (&rounded)[2]);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_BINARY_HPP_
