// SPDX-License-Identifier: BSD-3-Clause
// Reads the index tensors of PyTorch's advanced indexing.
#ifndef IMPL_COMMON_FAMILIES_ADVANCED_INDEX_HPP_
#define IMPL_COMMON_FAMILIES_ADVANCED_INDEX_HPP_

#include "impl/common/engine/index.hpp"

namespace impl::DIOPI_VENDOR {

// Messages name an element of the list.
inline constexpr const char* kIndexNames[] = {"indices[0]",  "indices[1]",  "indices[2]",  "indices[3]",
                                              "indices[4]",  "indices[5]",  "indices[6]",  "indices[7]",
                                              "indices[8]",  "indices[9]",  "indices[10]", "indices[11]",
                                              "indices[12]", "indices[13]", "indices[14]", "indices[15]"};

// Reads `nums` index tensors, at most as many as the indexed tensor has dimensions. Null selects a whole dimension; an
// int64 or int32 tensor indexes one dimension; a bool or uint8 tensor is a mask over as many dimensions as it has.
inline Status read_indices(diopiContextHandle_t ctx, const diopiConstTensorHandle_t* indices, int64_t nums,
                           AdvancedIndex* index) {
  for (int64_t i = 0; i < nums; ++i) {
    TensorView view;
    if (indices[i] != nullptr) DIOPI_TRY(diopi::read_tensor(indices[i], kIndexNames[i], &view));
    DIOPI_TRY(index->add(indices[i] != nullptr ? &view : nullptr));
  }
  for (AdvancedIndex::Entry& entry : *index) {
    if (entry.is_mask) DIOPI_TRY(find_true(ctx, entry.index, &entry.found));
  }
  return index->broadcast();
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_ADVANCED_INDEX_HPP_
