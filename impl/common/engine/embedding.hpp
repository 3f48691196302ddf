// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for embeddings. The indices have the dtype int32 or int64 and at least one dimension; the
// vendor checks them as engine/index.hpp says.
#ifndef IMPL_COMMON_ENGINE_EMBEDDING_HPP_
#define IMPL_COMMON_ENGINE_EMBEDDING_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// out = 0; then out[index[i]] += grad[i] for every i with index[i] != padding_idx. `out` has two dimensions; `grad` has
// the dimensions of `index` and one more. `mean`: each term is divided by the number of indices that are equal to
// index[i]; for integers this is an integer division. The tensors do not overlap.
Status embedding_backward(diopiContextHandle_t ctx, const TensorView& out, const TensorView& grad,
                          const TensorView& index, int64_t padding_idx, bool mean);

// Multiplies each row of `table` that occurs in `index`, and whose norm of order `norm_type` exceeds `max_norm`, by
// max_norm / (norm + 1e-7). A row is scaled once, even if several indices select it. `table` has a floating point
// dtype.
Status renorm_selected(diopiContextHandle_t ctx, const TensorView& table, const TensorView& index, double max_norm,
                       double norm_type);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_EMBEDDING_HPP_
