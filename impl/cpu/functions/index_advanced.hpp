// SPDX-License-Identifier: BSD-3-Clause
// PyTorch's advanced indexing, input[indices...]: finds the selected slices, their order and the shape of the result.
#ifndef IMPL_CPU_FUNCTIONS_INDEX_ADVANCED_HPP_
#define IMPL_CPU_FUNCTIONS_INDEX_ADVANCED_HPP_

#include "impl/cpu/functions/index_offsets.hpp"

namespace impl::cpu {

// An object is meant for the stack of one call.
class AdvancedIndex {
 public:
  // Checks the list of `nums` index tensors against `input` and finds the shape of the result. A null entry selects its
  // whole dimension; an int64 or int32 tensor indexes one dimension; a bool or uint8 tensor is a mask over as many
  // dimensions as it has. The values of indices are not read; the true elements of masks are counted.
  diopi::Status resolve(diopiContextHandle_t ctx, const diopi::TensorView& input,
                        const diopiConstTensorHandle_t* indices, int64_t nums);
  // Lists the selected offsets. Call it after all shapes have been checked.
  diopi::Status locate(diopiContextHandle_t ctx);

  // The shape of input[indices...]. If the indexed dimensions are neighbours, the dimensions of the positions replace
  // them; otherwise they come first.
  const diopi::Dims& shape() const { return shape_; }
  int64_t count() const { return count_; }

  // The plan for the index engine, for a tensor of that shape with strides `packed_stride`.
  diopi::Status plan(diopiContextHandle_t ctx, const diopi::Dims& packed_stride, IndexMap* map, IndexSlices* slices);

 private:
  struct Entry {
    diopi::TensorView index;
    int dim = 0;   // first dimension that it indexes
    int dims = 1;  // number of dimensions: more than one for a mask
    bool mask = false;
    int64_t selected = 0;  // number of true elements of a mask
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
  int first_ = 0;  // begin of the positions' dimensions in shape_
  int64_t count_ = 1;
  OffsetTable table_, packed_;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_INDEX_ADVANCED_HPP_
