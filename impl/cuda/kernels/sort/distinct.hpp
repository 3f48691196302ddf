// SPDX-License-Identifier: BSD-3-Clause
// Kernels for groups of equal rows.
#ifndef IMPL_CUDA_KERNELS_SORT_DISTINCT_HPP_
#define IMPL_CUDA_KERNELS_SORT_DISTINCT_HPP_

#include <cuda_runtime_api.h>
#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/plan/loop_nest.hpp"

namespace impl::cuda {

// Rows of `length` elements of a real dtype or bool, `row_stride` elements apart.
struct RowsCall {
  int64_t n, length, row_stride;
  diopi::LoopNest<1> elements;  // of a row
  diopiDtype_t dtype;
  const void* data;
  const uint32_t* order;  // the numbers of the rows in increasing order
  uint64_t least;         // what is subtracted from the keys of columns, so that they have fewer bits
};

// keys[i] = the key of element `column` of row order[i], or of row i if `order` is null. `wide`: keys have 64 bits,
// otherwise 32.
cudaError_t make_column_keys(cudaStream_t stream, const RowsCall& rows, int64_t column, bool wide, void* keys);
// order[i] = before[order[i]].
cudaError_t compose_orders(cudaStream_t stream, int64_t n, const uint32_t* before, uint32_t* order);
// heads[i] = whether row order[i] differs from row order[i - 1]. Rows with NaN differ from all.
cudaError_t mark_heads(cudaStream_t stream, const RowsCall& rows, uint8_t* heads);

// Group k has the rows order[starts[k]] up to order[starts[k + 1] - 1], the last one those up to order[n - 1].
struct GroupsCall {
  int64_t n, count;
  const int64_t* starts;  // [count]
  const uint32_t* order;
};
// firsts[k] = order[starts[k]].
cudaError_t write_firsts(cudaStream_t stream, const GroupsCall& groups, int64_t* firsts);
// group[order[i] * stride] = the number of the group of order[i], as int64 or int32.
cudaError_t number_rows(cudaStream_t stream, const GroupsCall& groups, void* group, int64_t stride, bool is_int64);
cudaError_t write_sizes(cudaStream_t stream, const GroupsCall& groups, int64_t* sizes);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_SORT_DISTINCT_HPP_
