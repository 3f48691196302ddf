// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/simd/bfloat16_rounding.hpp"

namespace impl::cpu::internal {

#if defined(__x86_64__)
bool rounds_to_bfloat16 = __builtin_cpu_supports("avx512bf16") != 0;
#else
bool rounds_to_bfloat16 = false;
#endif

}  // namespace impl::cpu::internal
