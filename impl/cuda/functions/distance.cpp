// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/distance.hpp"

#include "impl/common/engine/fill.hpp"
#include "impl/cuda/kernels/distance/distance.hpp"

namespace impl::cuda {

Status run_cdist(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b, double p,
                 bool /*by_products*/) {
  return compute_distances(ctx, out, a, b, p);
}

Status run_cdist_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                          const TensorView& a, const TensorView& b, const TensorView& distance, double p) {
  if (p != 0) return compute_distance_gradients(ctx, grad_input, grad_output, a, b, distance, p);
  return fill(ctx, grad_input, diopiScalar_t{diopi_dtype_int64, {0}});
}

}  // namespace impl::cuda
