// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for products with sparse matrices.
#ifndef IMPL_COMMON_ENGINE_SPARSE_HPP_
#define IMPL_COMMON_ENGINE_SPARSE_HPP_

#include "impl/common/csr_view.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::CsrView;
using diopi::Status;
using diopi::TensorView;

// out = sparse @ dense. Shapes and dtypes fit, and `out` overlaps nothing. The function checks row pointers
// and column indices before it reads or writes through them.
Status run_spmm(diopiContextHandle_t ctx, const TensorView& out, const CsrView& sparse, const TensorView& dense);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_SPARSE_HPP_
