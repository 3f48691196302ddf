// SPDX-License-Identifier: BSD-3-Clause
// Converts index tensors to tables of offsets for the index engine, with all checks.
#ifndef IMPL_CPU_ENGINE_INDEX_TENSOR_OFFSETS_HPP_
#define IMPL_CPU_ENGINE_INDEX_TENSOR_OFFSETS_HPP_

#include "impl/common/engine/index.hpp"
#include "impl/common/tensor_view.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/index/slices.hpp"

namespace impl::cpu {

// A table of offsets: stored in the object if there are few positions, otherwise in a temporary of the context.
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

// The dimension of a tensor that an index tensor indexes, for range checks and messages.
struct IndexedDim {
  const diopi::TensorView* tensor;
  int dim;
  int64_t size;    // extent of the dimension
  int64_t stride;  // its stride in elements
  bool wrap;       // whether negative indices count from the end
};

// Returns the values of `index`, expanded to `shape`, as packed int64. They are in its own memory if that is packed
// int64.
diopi::Status packed_index(diopiContextHandle_t ctx, const diopi::TensorView& index, const diopi::Dims& shape,
                           OffsetTable* scratch, const int64_t** values);

// out = base, before something is written through an index.
diopi::Status write_base(diopiContextHandle_t ctx, const diopi::TensorView& out, const diopi::ScatterBase& base);

// Adds the offset of the k-th index to table[k]. An error names the first index that is out of range.
diopi::Status add_checked_offsets(int64_t* table, const int64_t* values, int64_t count, const diopi::TensorView& index,
                                  const IndexedDim& at, bool first = false);

// Sets the positions' offsets on a side with strides `stride`: a step if they are evenly spaced, otherwise a table.
diopi::Status packed_positions(diopiContextHandle_t ctx, const diopi::Dims& shape, const diopi::Dims& stride,
                               OffsetTable* scratch, IndexMap* map);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_TENSOR_OFFSETS_HPP_
