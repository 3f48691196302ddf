// SPDX-License-Identifier: BSD-3-Clause
// The loops of the element-wise engine over packed operands or a planned nest. Each call is the work of one thread.
#pragma once

#include "impl/cpu/kernels/block_io.hpp"
#include "impl/cpu/kernels/elementwise_plan.hpp"

namespace impl::cpu::elementwise {

// Rows shorter than this are worked on in blocks that span several rows.
inline constexpr int64_t kShortRow = 64;

// Whether the kernel can read and write all operands in place, row by row.
bool is_direct(const Plan& plan);
void run_direct(const Plan& plan, int64_t begin, int64_t end);

// Long rows, elements [begin, end): operands that are strided, of another dtype or spread go through blocks.
void run_rows(const Plan& plan, int64_t begin, int64_t end);

// Whether blocks that span rows serve better, and the work on them; elements [begin, end) begin and end with a tile.
bool prefers_blocks(const Plan& plan);
void run_blocks(const Plan& plan, int64_t begin, int64_t end);

// The memory of one thread: a block for each operand that cannot be used in place.
struct Blocks {
  alignas(64) char staging[kBlock * kMaxItemsize];  // in the operand's dtype, before or after a conversion
  alignas(64) char packed[kMaxOperands][kBlock * kMaxItemsize];
};

// packed[0..n) = the element at `source`, in the kernel's dtype.
void load_splat(const Operand& op, const char* source, int64_t n, char* packed, char* staging);

}  // namespace impl::cpu::elementwise
