// SPDX-License-Identifier: BSD-3-Clause
// The plan of the reduction engine for a call: its loops, and their division into items of work.
#ifndef IMPL_CPU_ENGINE_REDUCE_PLAN_HPP_
#define IMPL_CPU_ENGINE_REDUCE_PLAN_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"
#include "impl/cpu/engine/reduce/reduce.hpp"

namespace impl::cpu::reduce_detail {

inline constexpr int64_t kChunk = 32768;   // reduced elements in a chunk
inline constexpr int64_t kColumnRun = 64;  // rows folded before the partial column is merged
inline constexpr int64_t kJoined = 256;    // elements in joined rows: several vectors, but few of a chunk

using Nest = diopi::LoopNest<1>;

struct Plan {
  const ReduceKernel* kernel = nullptr;
  const char* input = nullptr;
  int itemsize = 0;
  CastFn cast = nullptr;
  Nest kept;     // input strides, outputs in row-major order
  Nest reduced;  // input strides
  Nest out[2];   // output strides; the same dimensions as `kept` before merging
  char* output[2] = {};
  int out_itemsize[2] = {};
  CastFn out_cast[2] = {};
  int64_t outputs = 0, count = 0;
  bool by_columns = false;
  int64_t tile = 1;    // adjacent outputs folded together
  int64_t joined = 1;  // rows of a tile, one behind the other in memory, that are folded as one row: a power of two
  int64_t chunks = 1;  // chunks of one reduction
  int64_t chunk = 0;   // reduced elements (rows of a tile) in a chunk
};

// Plans a call. The outputs must not overlap `input`. If the outputs are empty, only the loops are planned.
void make_plan(const ReduceKernel& kernel, const TensorView* outputs, const TensorView& input, uint32_t mask,
               Plan* plan);

inline constexpr int64_t kRowsTogether = 16;  // at least so many rows are folded together

// The elements that fit a block of packed elements which the kernel reads.
inline int64_t elements_of_block(const Plan& plan) {
  return kBlock * kMaxItemsize / std::max(1, diopi::dtype_size(plan.kernel->in));
}

// One item of work: a tile of outputs and a chunk of their reduction.
struct Work {
  int64_t first;  // first output
  int64_t width;  // number of outputs
  int64_t begin, end;
};

// Work `index`: outputs or tiles are numbered in order, and each has `chunks` consecutive items of work.
Work work_at(const Plan& plan, int64_t index);

// The number of outputs, or of tiles of outputs if the plan reduces by columns.
int64_t num_items(const Plan& plan);

}  // namespace impl::cpu::reduce_detail

#endif  // IMPL_CPU_ENGINE_REDUCE_PLAN_HPP_
