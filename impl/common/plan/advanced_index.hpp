// SPDX-License-Identifier: BSD-3-Clause
// PyTorch's advanced indexing, input[indices...]: which dimensions are indexed, and the shape of the result.
#ifndef IMPL_COMMON_PLAN_ADVANCED_INDEX_HPP_
#define IMPL_COMMON_PLAN_ADVANCED_INDEX_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// The true elements of a mask, in row-major order.
struct TrueElements {
  TrueElements() = default;
  TrueElements(const TrueElements&) = delete;  // `counts` may point into it
  TrueElements& operator=(const TrueElements&) = delete;

  static constexpr int kFew = 16;
  TensorView mask;  // row-major, one byte for each element: zero or not
  int64_t count = 0;
  int64_t* counts = nullptr;  // for the vendor: what it knows about parts of the mask
  int64_t few_counts[kFew];
};

// The tensors that index a tensor. An object is meant for the stack of one call.
class AdvancedIndex {
 public:
  // An index tensor of one dimension, or a mask of one or more dimensions.
  struct Entry {
    TensorView index;
    int dim = 0;   // first dimension that it indexes
    int dims = 1;  // number of dimensions
    bool is_mask = false;
    TrueElements found;  // of a mask
  };

  explicit AdvancedIndex(const TensorView& input) : input_(&input) {}

  // Adds an entry for the next dimension. A null tensor keeps it. The caller finds the true elements of a mask, and
  // then calls broadcast().
  Status add(const TensorView* index);
  // Broadcasts the entries and finds the shape of the result. All entries have been added.
  Status broadcast();

  // The shape of input[indices...]. If the indexed dimensions are neighbours, the dimensions of the positions replace
  // them; otherwise they come first.
  const Dims& shape() const { return shape_; }
  // The broadcast shape of the entries, and where it begins in shape().
  const Dims& positions() const { return positions_; }
  int first() const { return first_; }
  bool is_indexed(int dim) const { return indexed_[dim]; }
  Entry* begin() { return reinterpret_cast<Entry*>(entries_); }
  Entry* end() { return begin() + num_entries_; }
  const Entry* begin() const { return reinterpret_cast<const Entry*>(entries_); }
  const Entry* end() const { return begin() + num_entries_; }

 private:
  Status require_mask_fits(const Entry& entry) const;
  void find_shape();

  const TensorView* input_;
  alignas(Entry) char entries_[kMaxDims * sizeof(Entry)];  // most are not used, so they are not initialised
  int num_entries_ = 0;
  int next_ = 0;  // the dimension after the entries
  bool indexed_[kMaxDims] = {};
  Dims positions_, shape_;
  int first_ = 0;
};

}  // namespace diopi

#endif  // IMPL_COMMON_PLAN_ADVANCED_INDEX_HPP_
