// SPDX-License-Identifier: BSD-3-Clause
// From index tensors to the tables of offsets that the index engine runs on, with all checks.
#pragma once

#include "common/tensor_view.hpp"
#include "common/workspace.hpp"
#include "cpu/kernels/index.hpp"

namespace impl::cpu {

// A table of offsets: in place for few positions, else in a temporary of the context.
class OffsetTable {
 public:
  OffsetTable() = default;
  OffsetTable(const OffsetTable&) = delete;
  OffsetTable& operator=(const OffsetTable&) = delete;
  diopi::Status reserve(diopiContextHandle_t ctx, int64_t count);
  int64_t* data() { return data_; }

 private:
  static constexpr int64_t kInline = 128;
  int64_t inline_[kInline];
  int64_t* data_ = inline_;
};

// The dimension of a tensor that an index tensor addresses, for ranges and messages.
struct IndexedDim {
  const diopi::TensorView* tensor;
  int dim;
  int64_t size;    // extent of the dimension
  int64_t stride;  // its stride in elements
  bool wrap;       // whether negative indices count from the end
};

// `index` must be an int64 or int32 tensor.
diopi::Status require_index_dtype(const diopi::TensorView& index);

// The values of `index`, expanded to `shape`, as packed int64: its own memory where it already is that.
diopi::Status packed_index(diopiContextHandle_t ctx, const diopi::TensorView& index, const diopi::Dims& shape,
                           OffsetTable* scratch, const int64_t** values);

// table[k] += the offset of the k-th index; an error names the first that is out of range.
diopi::Status add_checked_offsets(int64_t* table, const int64_t* values, int64_t count, const diopi::TensorView& index,
                                  const IndexedDim& at, bool first = false);

// Where positions of `shape` start on a side with strides `stride`: a step if one will do, else a table.
diopi::Status packed_positions(diopiContextHandle_t ctx, const diopi::Dims& shape, const diopi::Dims& stride,
                               OffsetTable* scratch, IndexMap* map);

}  // namespace impl::cpu
