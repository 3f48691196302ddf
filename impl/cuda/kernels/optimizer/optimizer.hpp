// SPDX-License-Identifier: BSD-3-Clause
// Kernels that make one step of an optimiser.
#ifndef IMPL_CUDA_KERNELS_OPTIMIZER_OPTIMIZER_HPP_
#define IMPL_CUDA_KERNELS_OPTIMIZER_OPTIMIZER_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/engine/optimizer.hpp"

namespace impl::cuda {

// Makes a step, computed in float or double as `dtype` says. No tensor that changes shares memory with another one,
// except that the gradient may be the same view.
Status launch_step(cudaStream_t stream, OptimizerStep step, diopiDtype_t dtype, const StepTensors& tensors,
                   const void* params);

// Whether launch_adam_list() makes the step: packed tensors of one dtype, of which none shares memory with another.
bool is_listed_step(const StepTensors& tensors);

// Makes the steps that is_listed_step() accepts, up to 64 in a launch.
Status launch_adam_list(cudaStream_t stream, OptimizerStep step, const diopi::AdamCall* calls, int64_t count);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_OPTIMIZER_OPTIMIZER_HPP_
