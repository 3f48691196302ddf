// SPDX-License-Identifier: BSD-3-Clause
// The plan of the row engine for a call: which operands the kernel uses in place, and how the others are packed.
#ifndef IMPL_CPU_ENGINE_ROWS_PLAN_HPP_
#define IMPL_CPU_ENGINE_ROWS_PLAN_HPP_

#include <cstdint>

#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/packed_nest.hpp"
#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu::rows_detail {

struct Operand {
  char* data = nullptr;
  int itemsize = 0;
  int kernel_size = 0;
  CastFn cast = nullptr;
  ByteNest row;       // merged; one element if the operand does not vary along the row
  int64_t count = 1;  // elements per row
  int64_t pitch = 1;  // elements between packed rows, or, for the column form, between packed elements of a row
  bool direct = false;
  bool constant = false;    // all rows are equal, so the row is packed once
  int64_t chunk_bytes = 0;  // of an accumulated output: distance from one chunk's row to the next
  bool across = false;      // adjacent rows are adjacent in memory: tiles are packed by a transpose
  int64_t packed_at = 0;    // offsets in the thread's scratch memory
  int64_t staging_at = 0;
};

struct Plan {
  const RowKernel* kernel = nullptr;
  int count = 0;                           // number of operands; outputs come first
  diopi::LoopNest<kMaxRowOperands> outer;  // the loops over rows; accumulated outputs have strides of 0
  Operand op[kMaxRowOperands];
  int64_t rows = 1, n = 1, tile = 1;
  int64_t column_tile = 0;  // adjacent rows in one call of the column form; 0 if it is not used
  int64_t scratch = 0;      // bytes per thread
};

// Plans a call. An input that partly overlaps an output is replaced by a copy in a temporary of `ctx`.
Status make_plan(diopiContextHandle_t ctx, const RowKernel& kernel, const Dims& shape, uint32_t row_mask,
                 const TensorView* const* outputs, const TensorView* const* inputs, Plan* plan);

// Plans the scratch memory of a thread, in which rows are packed, and the number of rows packed together.
void plan_scratch(Plan* plan);

}  // namespace impl::cpu::rows_detail

#endif  // IMPL_CPU_ENGINE_ROWS_PLAN_HPP_
