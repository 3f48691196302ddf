// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/equal.hpp"

#include "impl/cuda/kernels/elementwise/any.hpp"

namespace impl::cuda {

Status all_equal(diopiContextHandle_t ctx, const TensorView& a, const TensorView& b, diopiDtype_t promoted,
                 bool* equal) {
  bool differ = false;
  DIOPI_TRY(find_difference(ctx, a, b, diopi::compute_dtype(promoted), &differ));
  *equal = !differ;
  return diopiSuccess;
}

}  // namespace impl::cuda
