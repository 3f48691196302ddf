// SPDX-License-Identifier: BSD-3-Clause
// The vector instructions that kernels use: by default the best that the CPU has.
#pragma once

#include "impl/common/error.hpp"

namespace impl::cpu {

// Keeps kernels from using instructions beyond the named set: avx3 (AVX-512), avx2, sse4 or baseline, what every CPU
// of the architecture has. Before the first kernel runs; a null or empty name changes nothing. initLibrary() passes
// DIOPI_CPU_ISA on.
diopi::Status limit_instruction_set(const char* name);

}  // namespace impl::cpu
