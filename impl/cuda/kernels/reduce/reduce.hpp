// SPDX-License-Identifier: BSD-3-Clause
// Folds over dimensions: what the kernels of kernels/reduce compute.
#ifndef IMPL_CUDA_KERNELS_REDUCE_REDUCE_HPP_
#define IMPL_CUDA_KERNELS_REDUCE_REDUCE_HPP_

#include "impl/common/engine/reduce.hpp"
#include "impl/cuda/kernels/rows/calls.hpp"

namespace impl::cuda {

// Adds (kSum), averages (kMean) or multiplies (kProd) the elements of in[0]: as complex128 if `dtype` is complex, as
// float64 if it is floating point, otherwise as integers of 64 bits, which wrap around.
Status fold_sum(diopiContextHandle_t ctx, diopi::ReduceOp op, diopiDtype_t dtype, const FoldCall& call);
// Whether all or any elements of in[0] are not 0.
Status fold_test(diopiContextHandle_t ctx, bool all, const FoldCall& call);
// Writes the extreme element of in[0] to out[0] and its position to out[1]; one of them may be without memory. `dtype`
// is that of in[0].
Status fold_extremum(diopiContextHandle_t ctx, bool largest, diopiDtype_t dtype, const FoldCall& call);

enum class MomentResult {
  kMean,       // 0 for nothing
  kSquares,    // the sum of the squared distances from the mean
  kVariance,   // squares / max(0, n - correction)
  kDeviation,  // its root
  kInverse,    // 1 / sqrt(squares / n + eps)
};

struct MomentParams {
  double correction, eps;
  MomentResult results[4];  // of out[0] to out[3]; outputs without memory are not wanted
};

// The moments of the elements of in[0], in float64.
Status fold_moments(diopiContextHandle_t ctx, const MomentParams& params, const FoldCall& call);
// The standard deviations of the complex numbers whose parts are in[0] and in[1], in float64.
Status fold_complex_deviation(diopiContextHandle_t ctx, double correction, const FoldCall& call);
// The norms of order p of the elements of in[0], in float64.
Status fold_norm(diopiContextHandle_t ctx, double p, const FoldCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_REDUCE_REDUCE_HPP_
