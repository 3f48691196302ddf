// SPDX-License-Identifier: BSD-3-Clause
// The index engine: copies or accumulates slices between a tensor that is addressed through a table of offsets (the
// indexed side) and a tensor that is not (the packed side). It implements indexing, gather, scatter and embedding.
#ifndef IMPL_CPU_ENGINE_INDEX_SLICES_HPP_
#define IMPL_CPU_ENGINE_INDEX_SLICES_HPP_

#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"

namespace impl::cpu {

// The positions that an index tensor selects, in order. Offsets count elements.
struct IndexMap {
  int64_t count = 0;
  const int64_t* table = nullptr;         // offset of slice k on the indexed side; accumulation skips negative ones
  int64_t packed_step = 0;                // slice k begins at k * packed_step on the packed side,
  const int64_t* packed_table = nullptr;  // or at packed_table[k] if the table is given
  int64_t reach = INT64_MAX;              // upper bound of the offsets
  bool long_sums = false;                 // for an addition: the result of has_long_sums
};

// The loops over a slice, in any order, with the strides of the indexed side and the packed side in elements.
using IndexSlices = diopi::LoopNest<2>;

enum class Accumulate { kAdd, kMultiply };

// packed[k, slice] = indexed[table[k], slice]. In all functions below, the two sides must not overlap.
void gather_slices(void* packed, const void* indexed, int64_t item_size, const IndexMap& map, const IndexSlices& s);

// indexed[table[k], slice] = packed[k, slice] in the order of k: among equal offsets, the last slice wins.
void scatter_slices(void* indexed, const void* packed, int64_t item_size, const IndexMap& map, const IndexSlices& s);

// indexed[table[k], slice] op= packed[k, slice] in the order of k, for every storage dtype. bool adds as logical or and
// multiplies as logical and; integers wrap around. float16, bfloat16 and sums of many terms accumulate in a wider type
// and round once per element of the indexed side; `ctx` allocates the temporaries for this. The bits do not depend on
// the number of threads.
diopi::Status accumulate_slices(diopiContextHandle_t ctx, Accumulate op, diopiDtype_t dtype, void* indexed,
                                const void* packed, const IndexMap& map, const IndexSlices& s);

// Returns whether an element may receive so many terms of an inexact dtype that a sum in this dtype loses digits. This
// is an estimate: it may be true although no element receives so many terms, but not the reverse. If it is true, the
// caller sets long_sums of the map.
bool has_long_sums(diopiDtype_t dtype, const IndexMap& map);

// Adds the mean of all slices with equal offset to the indexed side. Floating point and complex dtypes only.
diopi::Status accumulate_slice_means(diopiContextHandle_t ctx, diopiDtype_t dtype, void* indexed, const void* packed,
                                     const IndexMap& map, const IndexSlices& s);

// table[k] += stride * index[k]; if `first`, table[k] = stride * index[k]. If `wrap`, a negative index counts from
// `size`. Returns the first k whose index is out of range, or -1. If an index is out of range, the table must not be
// used.
int64_t add_index_offsets(int64_t* table, const int64_t* index, int64_t count, int64_t size, int64_t stride, bool wrap,
                          bool first = false);

// table[k] = the offset of the k-th element of `shape` in row-major order, with strides `stride`.
void enumerate_offsets(int64_t* table, const diopi::Dims& shape, const diopi::Dims& stride);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_SLICES_HPP_
