// SPDX-License-Identifier: BSD-3-Clause
// Kernels that make one step of an optimiser.
#ifndef IMPL_CUDA_KERNELS_OPTIMIZER_OPTIMIZER_HPP_
#define IMPL_CUDA_KERNELS_OPTIMIZER_OPTIMIZER_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/engine/optimizer.hpp"
#include "impl/cuda/kernels/first_bad.hpp"

namespace impl::cuda {

// What the step of one parameter has by its number: AdamParams::step_size and root_of_correction. kLeftOut in the place
// of the root, which is not negative, says that the parameter is left as it is.
struct AdamCorrection {
  static constexpr double kLeftOut = -1;
  double step_size, root;
};

// Makes the step of run_step(). `correction`, in memory of the device, replaces the numbers in AdamParams unless it is
// null.
Status launch_step(cudaStream_t stream, OptimizerStep step, const StepTensors& tensors, const void* params,
                   const AdamCorrection* correction = nullptr);

// Whether a step is computed in double: a tensor has float64. All others are computed in float.
bool is_computed_in_double(const StepTensors& tensors);

// Writes the correction of each step to memory of the device. Reports numbers that are not is_step(): the position is
// that in the list, and the value has the bits of the number as float.
Status launch_corrections(cudaStream_t stream, const diopi::AdamSteps& steps, AdamCorrection* corrections,
                          const FirstBad& bad);

// Whether launch_adam_list() makes the step: the elements lie without gaps, and in the same order in all tensors.
bool is_listed_step(const StepTensors& tensors);

// Makes the steps that is_listed_step() accepts, up to 64 in a launch.
Status launch_adam_list(cudaStream_t stream, const diopi::AdamSteps& steps, const AdamCorrection* corrections);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_OPTIMIZER_OPTIMIZER_HPP_
