// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements to check the values of index tensors.
#ifndef IMPL_COMMON_ENGINE_INDEX_RANGE_HPP_
#define IMPL_COMMON_ENGINE_INDEX_RANGE_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Finds the least and the greatest element of a tensor of int32 or int64 that is not empty.
Status index_range(diopiContextHandle_t ctx, const TensorView& index, int64_t* least, int64_t* most);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_INDEX_RANGE_HPP_
