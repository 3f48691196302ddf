// SPDX-License-Identifier: BSD-3-Clause
// Kernels of activations with parameters, and of gradients of activations.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_ACTIVATION_HPP_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_ACTIVATION_HPP_

#include "impl/common/engine/activation.hpp"
#include "impl/cuda/engine/map.hpp"

namespace impl::cuda {

// Whether there is a kernel that computes in `dtype`, a dtype of computation.
bool has_activation(ParametricActivation op, diopiDtype_t dtype);
bool has_gradient(ActivationGradient op, diopiDtype_t dtype);
Status launch_activation(const MapCall& call, ParametricActivation op, diopiDtype_t dtype,
                         const ActivationParams& params);
Status launch_gradient(const MapCall& call, ActivationGradient op, diopiDtype_t dtype, const ActivationParams& params);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_ACTIVATION_HPP_
