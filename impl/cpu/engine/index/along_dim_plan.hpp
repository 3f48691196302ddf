// SPDX-License-Identifier: BSD-3-Clause
// The plan of the engine for an index along one dimension for a call: loops with their strides, and blocks of two
// loops.
#ifndef IMPL_CPU_ENGINE_INDEX_ALONG_DIM_PLAN_HPP_
#define IMPL_CPU_ENGINE_INDEX_ALONG_DIM_PLAN_HPP_

#include <cstdint>

#include "impl/cpu/engine/index/along_dim.hpp"

namespace impl::cpu::along_dim_detail {

// Two loops over an index, the indexed side and the packed side. The offset in the indexed side is index * by_index + a
// * indexed_a + b * indexed_b, where indexed_a or indexed_b is 0. Strides of the index count entries; all other strides
// count bytes.
struct Block {
  int64_t n_a, n_b;
  int64_t index_a, index_b;
  int64_t packed_a, packed_b;
  int64_t indexed_a, indexed_b;
  int64_t by_index;
  int64_t size;          // every index is below it
  bool streams = false;  // gathered lines are written with non-temporal stores
};

// All loops of one call: the loop along `dim`, the innermost other loop (columns), and the remaining loops (outer).
struct DimPlan {
  int64_t along = 1, columns = 1, outer = 1;
  int64_t index_along = 0, packed_along = 0, by_index = 0, size = 0;
  int64_t index_column = 0, packed_column = 0, indexed_column = 0;
  diopi::LoopNest<3> rest;  // strides of the index, the packed side and the indexed side
  bool streams = false;
};

struct Offsets {
  int64_t index = 0, packed = 0, indexed = 0;
};

DimPlan make_dim_plan(const DimIndex& dim_index, int64_t packed_size, int64_t indexed_size);
Offsets outer_offsets(const DimPlan& plan, int64_t outer);
// Makes the block of `along` positions and `columns` columns. The loop with the smaller stride of the index is inside.
Block make_block(const DimPlan& plan, int64_t along, int64_t columns);

inline int64_t count(const DimIndex& dim_index) { return dim_index.shape.product(); }
inline const char* entry(const DimIndex& dim_index, int64_t offset) {
  return static_cast<const char*>(dim_index.index) + offset * (dim_index.is_int64 ? 8 : 4);
}

using BlockFn = void (*)(char* indexed, char* packed, const void* index, const Block& block);

// Divides a scatter among threads. Positions along `dim` may be equal, so they stay on one thread, in order.
void run_columns(const DimIndex& dim_index, const DimPlan& plan, BlockFn block, char* indexed, char* packed);

}  // namespace impl::cpu::along_dim_detail

#endif  // IMPL_CPU_ENGINE_INDEX_ALONG_DIM_PLAN_HPP_
