// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for triangular parts of matrices.
#ifndef IMPL_COMMON_ENGINE_TRIANGLE_HPP_
#define IMPL_COMMON_ENGINE_TRIANGLE_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Copies the elements on and to one side of a diagonal (`lower`: column <= row + diagonal, otherwise column >= row +
// diagonal); the other elements of `out` become zero. The matrices are in the last two dimensions. `out` and `in` have
// the same shape and dtype, and are the same view or do not overlap.
Status run_triangle(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, bool lower,
                    int64_t diagonal);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_TRIANGLE_HPP_
