// SPDX-License-Identifier: BSD-3-Clause
// The tile products of AMX without AMX, for tests on processors that lack it.
#ifndef IMPL_CPU_BF16_AMX_EMULATION_HPP_
#define IMPL_CPU_BF16_AMX_EMULATION_HPP_

#include "impl/cpu/bf16/amx.hpp"

namespace impl::cpu {

// Adds kAmxDepth terms to the sums of `rows` x `cols` tiles of `out`, as the instructions TDPBF16PS do: subnormal
// operands and sums are 0, and the terms with even and with odd numbers have a sum each. `sums` has kAmxBlock^2 numbers
// and keeps its contents until the last terms are added.
void emulate_amx_step(const AmxProduct& p, int64_t row, int64_t col, int64_t depth, int64_t rows, int64_t cols,
                      float* sums);

}  // namespace impl::cpu

#endif  // IMPL_CPU_BF16_AMX_EMULATION_HPP_
