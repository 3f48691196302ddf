// SPDX-License-Identifier: BSD-3-Clause
// Gather and scatter with an index tensor that has one entry for every element: the entry replaces the coordinate of
// the element in one dimension. If the index is expanded over whole slices, the engine of slices.hpp is better.
#ifndef IMPL_CPU_ENGINE_INDEX_ALONG_DIM_HPP_
#define IMPL_CPU_ENGINE_INDEX_ALONG_DIM_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/engine/index/slices.hpp"

namespace impl::cpu {

// The geometry of a call. It has at least one dimension. Strides count elements.
struct DimIndex {
  diopi::Dims shape;  // of the index
  int dim = 0;
  int64_t size = 0;  // extent of `dim` on the indexed side
  const void* index = nullptr;
  bool is_int64 = true;  // else int32
  diopi::Dims index_stride, indexed_stride, packed_stride;
  bool long_sums = false;  // of an addition: see has_long_sums
};

// Returns the row-major position of the first index entry outside of [0, size), or -1 if there is none.
int64_t find_out_of_range(const DimIndex& dim_index);
// Returns the index entry at a row-major position.
int64_t index_at(const DimIndex& dim_index, int64_t position);

// packed[i] = indexed[i with i_dim replaced by index[i]]. In all functions below, the two sides must not overlap.
void gather_along_dim(void* packed, const void* indexed, int64_t item_size, const DimIndex& dim_index);

// indexed[i with i_dim replaced by index[i]] = packed[i] in row-major order: among equal indices, the last element
// wins.
void scatter_along_dim(void* indexed, const void* packed, int64_t item_size, const DimIndex& dim_index);

// indexed[i with i_dim replaced by index[i]] op= packed[i] in row-major order, with the arithmetic of
// accumulate_slices.
diopi::Status scatter_reduce_along_dim(diopiContextHandle_t ctx, Accumulate op, diopiDtype_t dtype, void* indexed,
                                       const void* packed, const DimIndex& dim_index);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_ALONG_DIM_HPP_
