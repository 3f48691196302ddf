// SPDX-License-Identifier: BSD-3-Clause
// One step of an optimiser as block kernels: each kernel reads and writes each element of its tensors once.
#ifndef IMPL_CPU_OPTIMIZER_OPTIMIZER_HPP_
#define IMPL_CPU_OPTIMIZER_OPTIMIZER_HPP_

#include "impl/common/engine/optimizer.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

using diopi::AdadeltaParams;
using diopi::AdamParams;
using diopi::OptimizerStep;
using diopi::RmspropParams;
using diopi::SgdParams;

// The kernel for tensors of a floating dtype. float16 and bfloat16 are computed in float32 and rounded once.
// Inputs are all tensors of the step, outputs are those without grad.
BlockFn optimizer_kernel(OptimizerStep step, diopiDtype_t dtype);

// Calls a kernel with packed tensors of the same size. grad is tensor 1.
void run_packed_step(BlockFn kernel, char* const* tensors, int count, int64_t numel, int64_t itemsize,
                     const void* params);

}  // namespace impl::cpu

#endif  // IMPL_CPU_OPTIMIZER_OPTIMIZER_HPP_
