// SPDX-License-Identifier: BSD-3-Clause
// Normalisation of sets of elements: the dimensions of a mask, for each index of the others. All families of
// normalisations call these functions with views of their tensors.
#ifndef IMPL_CUDA_ENGINE_NORM_HPP_
#define IMPL_CUDA_ENGINE_NORM_HPP_

#include "impl/cuda/kernels/norm/norm.hpp"

namespace impl::cuda {

// The elements that are normalised together are those of the dimensions of `mask`.
struct NormSets {
  Dims shape;
  uint32_t mask;
};

struct NormCall {
  NormSets sets;
  TensorView out, input;
  RowInput weight, bias;    // broadcast to the shape of the sets
  TensorView mean, invstd;  // the shape of the sets with 1 for the mask; without memory: not wanted
  double eps = 0;
  bool centred = true;  // false: no mean is subtracted
};
// out = (input - mean) * invstd * weight + bias, with the statistics of each set.
Status normalize_sets(diopiContextHandle_t ctx, const NormCall& call);

// float64 temporaries with the shape of the sets and 1 for the dimensions of the mask.
struct NormStatistics {
  TensorView mean, invstd;
};

Status make_statistics(diopiContextHandle_t ctx, const NormSets& sets, NormStatistics* statistics);
// Makes the statistics and computes them.
Status compute_statistics(diopiContextHandle_t ctx, const NormSets& sets, const TensorView& input, double eps,
                          NormStatistics* statistics);

// out = (input - mean) * invstd * weight + bias; all broadcast to the shape of `out`.
Status normalize(diopiContextHandle_t ctx, const TensorView& out, const TensorView& input, const RowInput& mean,
                 const RowInput& invstd, const RowInput& weight, const RowInput& bias);

// The operands of a gradient; all broadcast to the shape of the sets.
struct NormGradientCall {
  NormSets sets;
  TensorView grad_output, input;
  RowInput mean, invstd, weight;
  bool centred = true;       // false: no mean was subtracted
  uint32_t weight_mask = 0;  // the dimensions over which gradients of the parameters are summed
  const TensorView *grad_input = nullptr, *grad_weight = nullptr, *grad_bias = nullptr;  // null: not wanted
};
// Computes the gradients of a normalisation whose weight may differ between the elements of a set.
Status norm_gradients(diopiContextHandle_t ctx, const NormGradientCall& call);

// The number of elements of each row whose magnitude is `norm`, the norm of order p of the row, if p is infinite;
// otherwise 1.
Status count_extremes(diopiContextHandle_t ctx, const TensorView& input, uint32_t mask, const TensorView& norm,
                      double p, RowInput* count);

// Copies `values`, a packed temporary with the elements of `out` in row-major order.
Status copy_values(diopiContextHandle_t ctx, const TensorView& out, TensorView values);
// A packed copy of `view` with another shape.
Status packed_values(diopiContextHandle_t ctx, const TensorView& view, const Dims& shape, TensorView* packed);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_NORM_HPP_
