// SPDX-License-Identifier: BSD-3-Clause
// The loops of the element-wise engine over packed operands or a planned nest. Each function does the work of one
// thread.
#ifndef IMPL_CPU_ENGINE_ELEMENTWISE_LOOPS_HPP_
#define IMPL_CPU_ENGINE_ELEMENTWISE_LOOPS_HPP_

#include "impl/cpu/engine/copy/packed_block.hpp"
#include "impl/cpu/engine/elementwise/plan.hpp"

namespace impl::cpu::elementwise {

// Shorter rows are processed in blocks that span several rows.
inline constexpr int64_t kShortRow = 64;

// Whether the kernel can read and write all operands in place, row by row.
bool is_direct(const Plan& plan);
// Whether the kernel computes many short rows in one call.
bool has_rows(const Plan& plan);
void run_direct(const Plan& plan, int64_t begin, int64_t end);

// Processes long rows, elements [begin, end). Operands that are strided, broadcast or of another dtype pass through
// blocks.
void run_rows(const Plan& plan, int64_t begin, int64_t end);

// Whether blocks that span rows are faster, and the function that runs them. `begin` and `end` are at limits of tiles.
bool prefers_blocks(const Plan& plan);
void run_blocks(const Plan& plan, int64_t begin, int64_t end);

// The memory of one thread: a block for each operand that cannot be used in place.
struct Blocks {
  alignas(64) char staging[kBlock * kMaxItemsize];  // in the operand's dtype, before or after a conversion
  alignas(64) char packed[kMaxOperands][kBlock * kMaxItemsize];
};

// packed[0..n) = the element at `source`, in the kernel's dtype.
void load_broadcast(const Operand& op, const char* source, int64_t n, char* packed, char* staging);

}  // namespace impl::cpu::elementwise

#endif  // IMPL_CPU_ENGINE_ELEMENTWISE_LOOPS_HPP_
