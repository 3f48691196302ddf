// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for sorting.
#ifndef IMPL_COMMON_ENGINE_SORT_HPP_
#define IMPL_COMMON_ENGINE_SORT_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Sorts each row of `in` along `dim`, and writes the first elements to `values` (unless null) and their positions to
// `indices`, of dtype int32 or int64; these two have as many elements along `dim` as are wanted. Equal elements keep
// their order, and NaN is greater than all numbers. All tensors have at least one dimension and are not empty. `values`
// may be `in` itself; otherwise the tensors do not overlap.
Status run_sort(diopiContextHandle_t ctx, const TensorView* values, const TensorView& indices, const TensorView& in,
                int dim, bool descending);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_SORT_HPP_
