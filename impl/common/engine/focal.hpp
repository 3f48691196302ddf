// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for the focal losses of mmcv, whose targets are classes. All other tensors are floating
// point; their dtypes may differ. Operations compute in float32, or in float64 if an operand is float64, and round
// once.
#ifndef IMPL_COMMON_ENGINE_FOCAL_HPP_
#define IMPL_COMMON_ENGINE_FOCAL_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// `scores` has the shape [samples, classes]; `target`, of int32 or int64, has a class for each sample. `weight` has a
// number for each class, or no element.
struct FocalProblem {
  const TensorView &scores, &target, &weight;
  double gamma, alpha;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::FocalProblem;
using diopi::Status;
using diopi::TensorView;

// The formulas are those of the registry. Classes that do not exist are allowed. `out` has the shape of `scores` for
// sigmoid losses, and one element for each sample for softmax losses. Outputs have distinct elements.
Status run_sigmoid_focal(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p);
Status run_sigmoid_focal_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const FocalProblem& p);
Status run_softmax_focal(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p);
// `slopes` receives the factor of each sample.
Status run_softmax_focal_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& slopes,
                                  const FocalProblem& p);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_FOCAL_HPP_
