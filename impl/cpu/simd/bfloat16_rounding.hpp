// SPDX-License-Identifier: BSD-3-Clause
// Whether the processor has an instruction that rounds vectors of float to bfloat16.
#ifndef IMPL_CPU_SIMD_BFLOAT16_ROUNDING_HPP_
#define IMPL_CPU_SIMD_BFLOAT16_ROUNDING_HPP_

namespace impl::cpu {

namespace internal {
extern bool rounds_to_bfloat16;  // tests set it to false to use the other way
}

// Whether it has AVX512_BF16. The instruction rounds like PyTorch, except that denormal numbers become 0.
inline bool rounds_to_bfloat16() { return internal::rounds_to_bfloat16; }

}  // namespace impl::cpu

#endif  // IMPL_CPU_SIMD_BFLOAT16_ROUNDING_HPP_
