// SPDX-License-Identifier: BSD-3-Clause
// The plan of a selection of slices for the index engine.
#ifndef IMPL_CPU_ENGINE_INDEX_TENSOR_SELECTION_HPP_
#define IMPL_CPU_ENGINE_INDEX_TENSOR_SELECTION_HPP_

#include "impl/cpu/engine/index_tensor/offsets.hpp"

namespace impl::cpu {

// `whole` has the full dimension; in `picked`, the dimensions of the index replace it. The positions are the indices,
// the slices are over the other dimensions.
struct Selection {
  OffsetTable table, packed, scratch;
  IndexMap map;
  IndexSlices slices;
  const int64_t* values = nullptr;  // the indices

  diopi::Status prepare(diopiContextHandle_t ctx, const diopi::TensorView& whole, const diopi::TensorView& picked,
                        int dim, const diopi::TensorView& index);
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_INDEX_TENSOR_SELECTION_HPP_
