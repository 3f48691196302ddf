// SPDX-License-Identifier: BSD-3-Clause
// PyTorch's advanced indexing input[indices...], resolved: which slices, in which order, in what shape.
#pragma once

#include "cpu/functions/index_offsets.hpp"

namespace impl::cpu {

// Lives on the stack of one call.
class AdvancedIndex {
 public:
  // Checks the list of `nums` index tensors against `input` and finds the shape of what they select. A null entry
  // takes its dimension whole; an int64 or int32 tensor indexes one dimension; a bool or uint8 tensor is a mask over
  // as many dimensions as it has. The values of indices are not looked at, those of masks are counted.
  diopi::Status resolve(diopiContextHandle_t ctx, const diopi::TensorView& input,
                        const diopiConstTensorHandle_t* indices, int64_t nums);
  // Lists the offsets that they select, after all shapes have been checked.
  diopi::Status locate(diopiContextHandle_t ctx);

  // The shape of input[indices...]: the positions' dimensions stand where the indexed dimensions were if those are
  // neighbours, else in front.
  const diopi::Dims& shape() const { return shape_; }
  int64_t count() const { return count_; }

  // The engine's view of a tensor of that shape with strides `packed_stride`.
  diopi::Status plan(diopiContextHandle_t ctx, const diopi::Dims& packed_stride, IndexMap* map, IndexSlices* slices);

 private:
  struct Entry {
    diopi::TensorView index;
    int dim = 0;   // first dimension that it addresses
    int dims = 1;  // how many: more than one for a mask
    bool mask = false;
    int64_t selected = 0;  // true elements of a mask
    const uint8_t* mask_bytes = nullptr;
  };

  diopi::Status read_entries(diopiContextHandle_t ctx, const diopiConstTensorHandle_t* indices, int64_t nums);
  diopi::Status read_mask(diopiContextHandle_t ctx, Entry* entry);
  diopi::Status broadcast();
  void find_shape();
  diopi::Status add_entry(diopiContextHandle_t ctx, const Entry& entry, bool first);

  const diopi::TensorView* input_ = nullptr;
  Entry entries_[diopi::kMaxDims];
  int num_entries_ = 0;
  bool indexed_[diopi::kMaxDims] = {};
  diopi::Dims positions_;  // broadcast shape of the index tensors
  diopi::Dims shape_;
  int first_ = 0;  // where the positions' dimensions start in shape_
  int64_t count_ = 1;
  OffsetTable table_, packed_;
};

}  // namespace impl::cpu
