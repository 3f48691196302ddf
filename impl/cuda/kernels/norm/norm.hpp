// SPDX-License-Identifier: BSD-3-Clause
// The steps of normalisations. Numbers are computed in float64 and rounded once, if nothing else is said.
#ifndef IMPL_CUDA_KERNELS_NORM_NORM_HPP_
#define IMPL_CUDA_KERNELS_NORM_NORM_HPP_

#include "impl/cuda/kernels/rows/calls.hpp"

namespace impl::cuda {

// Normalises each row of in[0], multiplies it by in[1] and adds in[2]: computed in float64 if `wide`, otherwise in
// float32 with compensated sums. results: the mean, 0 unless `centred`, and the inverse of the deviation.
Status fused_normalize(diopiContextHandle_t ctx, bool wide, bool centred, double eps, const FusedCall& call);
// The gradient of the elements: (g w - mean(g w) - h mean(g w h)) r, where g = in[0], w = in[1], h = (in[2] - in[3]) r,
// r = in[4]. The mean of g w is 0 unless `centred`.
Status fused_gradient(diopiContextHandle_t ctx, bool wide, bool centred, const FusedCall& call);

// The gradients of rows, which are the dimensions from `first` on, and the sums of the gradients of the parameters over
// the rows. Pointers may be null: not wanted.
struct RowGradientCall {
  const TensorView &grad_output, &input;
  const RowInput &mean, &invstd, &weight;
  bool centred;  // false: no mean was subtracted
  int first;
  const TensorView *grad_input, *grad_weight, *grad_bias;
};
// Does nothing, and leaves *done as it is, if it has no kernels for the dtypes, the strides or the alignment.
Status row_gradients(diopiContextHandle_t ctx, const RowGradientCall& call, bool* done);

// out[0] = (in[0] - in[1]) * in[2] * in[3] + in[4]
Status pointwise_normalize(diopiContextHandle_t ctx, const PointwiseCall& call);
// out = 1 / sqrt(variance + eps)
Status pointwise_inverse(diopiContextHandle_t ctx, double eps, const TensorView& variance, const TensorView& out);
// running = (1 - momentum) * running + momentum * values
Status pointwise_running(diopiContextHandle_t ctx, double momentum, const TensorView& values,
                         const TensorView& running);

// With g = in[0] * in[1] and h = (in[2] - in[3]) * in[4]: out[0] = sum of g, out[1] = sum of g h.
Status fold_gradients(diopiContextHandle_t ctx, const FoldCall& call);

// out[0] = in[0] + in[1] + in[2]
Status pointwise_add(diopiContextHandle_t ctx, const PointwiseCall& call);

// The gradient of norms of order p for elements x: g = in[0], divided by the number in[3]; x = in[1]; norm = in[2].
Status pointwise_norm_gradient(diopiContextHandle_t ctx, double p, const PointwiseCall& call);
// out[0] = the number of elements in[0] of which the magnitude is in[1].
Status fold_extremes(diopiContextHandle_t ctx, const FoldCall& call);
// out[0] = in[0] / max(in[1], eps)
Status pointwise_divide(diopiContextHandle_t ctx, double eps, const PointwiseCall& call);
// The gradient of in[1] / max(norm, eps): g = in[0], norm = in[2], in[3] = the sum of g * in[1], in[4] = the number of
// extreme elements.
Status pointwise_divide_gradient(diopiContextHandle_t ctx, double p, double eps, const PointwiseCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_NORM_NORM_HPP_
