// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for distances between vectors. Families have checked the arguments. All tensors have one
// dtype, float32 or float64, the same batch dimensions in front (with stride 0 where they are broadcast), and rows of
// vectors: a [batch..., m, k] and b [batch..., n, k]. Outputs overlap nothing and are not empty.
#ifndef IMPL_COMMON_ENGINE_DISTANCE_HPP_
#define IMPL_COMMON_ENGINE_DISTANCE_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// out [batch..., m, n] = the distances in the norm p >= 0, which may be infinite. k may be 0. `by_products`: whether
// distances with p = 2 may be computed from products.
Status run_cdist(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b, double p,
                 bool by_products);

// grad_input [batch..., m, k] = the gradient for `a`, with the formula of the registry. n may be 0.
Status run_cdist_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                          const TensorView& a, const TensorView& b, const TensorView& distance, double p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_DISTANCE_HPP_
