// SPDX-License-Identifier: BSD-3-Clause
// Kernels of distances between the rows of matrices, and of their gradients. Tensors are as in
// impl/common/engine/distance.hpp.
#ifndef IMPL_CUDA_KERNELS_DISTANCE_DISTANCE_HPP_
#define IMPL_CUDA_KERNELS_DISTANCE_DISTANCE_HPP_

#include "impl/common/engine/distance.hpp"

namespace impl::cuda {

Status compute_distances(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
                         double p);

// p is not 0.
Status compute_distance_gradients(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                                  const TensorView& a, const TensorView& b, const TensorView& distance, double p);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_DISTANCE_DISTANCE_HPP_
