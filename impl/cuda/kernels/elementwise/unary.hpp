// SPDX-License-Identifier: BSD-3-Clause
// Kernels of functions of one number.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_UNARY_HPP_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_UNARY_HPP_

#include "impl/common/engine/elementwise.hpp"
#include "impl/cuda/engine/map.hpp"

namespace impl::cuda {

// Whether there is a kernel that computes in `dtype`, a dtype of computation.
bool has_unary(UnaryOp op, diopiDtype_t dtype);
Status launch_unary(const MapCall& call, UnaryOp op, diopiDtype_t dtype);
// The same for complex numbers.
bool has_complex(UnaryOp op);
Status launch_complex_unary(const MapCall& call, UnaryOp op, diopiDtype_t dtype);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_UNARY_HPP_
