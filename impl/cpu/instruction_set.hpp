// SPDX-License-Identifier: BSD-3-Clause
// The vector instructions that kernels use: by default the best set of the CPU.
#ifndef IMPL_CPU_INSTRUCTION_SET_HPP_
#define IMPL_CPU_INSTRUCTION_SET_HPP_

#include "impl/common/error.hpp"

namespace impl::cpu {

// Limits kernels to the named instruction set: avx3 (AVX-512), avx2, sse4 or baseline (the instructions that every CPU
// of the architecture has). A new limit must be set while no kernel runs. A null or empty name changes nothing.
// initLibrary() passes the value of DIOPI_CPU_ISA.
diopi::Status limit_instruction_set(const char* name);

}  // namespace impl::cpu

#endif  // IMPL_CPU_INSTRUCTION_SET_HPP_
