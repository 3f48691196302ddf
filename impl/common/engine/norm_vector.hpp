// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for the gradients of vector norms and for scaling to unit norm. All tensors are floating
// point; their dtypes may differ. Norms are those of run_vector_norm() in engine/reduce.hpp.
//
// Operations compute in float32, or in float64 if an operand is float64. Results are rounded once.
#ifndef IMPL_COMMON_ENGINE_NORM_VECTOR_HPP_
#define IMPL_COMMON_ENGINE_NORM_VECTOR_HPP_

#include "impl/common/engine/reduce.hpp"

namespace diopi {

// The gradient of the norms of order p over the dimensions of `mask`. `grad_output` and `norm`, the norms, have the
// shape of `input` with 1 for these dimensions. `grad_input` may be `input`.
struct VectorNormBackwardProblem {
  const TensorView& grad_input;
  const TensorView &grad_output, &input, &norm;
  uint32_t mask;
  double p;
};

// Divides the elements along dimension `axis` by max(norm, eps). An empty row has norm 0.
struct NormalizeProblem {
  const TensorView &out, &input;
  int axis;
  double p, eps;
};

struct NormalizeBackwardProblem {
  const TensorView& grad_input;
  const TensorView &grad_output, &input;
  int axis;
  double p, eps;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::NormalizeBackwardProblem;
using diopi::NormalizeProblem;
using diopi::VectorNormBackwardProblem;

// The formulas are those of the registry.
Status run_vector_norm_backward(diopiContextHandle_t ctx, const VectorNormBackwardProblem& p);
Status run_normalize(diopiContextHandle_t ctx, const NormalizeProblem& p);
Status run_normalize_backward(diopiContextHandle_t ctx, const NormalizeBackwardProblem& p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_NORM_VECTOR_HPP_
