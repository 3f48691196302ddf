// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for softmax, log-softmax and their gradients.
#ifndef IMPL_COMMON_ENGINE_SOFTMAX_HPP_
#define IMPL_COMMON_ENGINE_SOFTMAX_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class SoftmaxOp {
  kSoftmax,             // x -> e^(x - max) / sum
  kLogSoftmax,          // x -> x - max - log(sum e^(x - max))
  kSoftmaxBackward,     // g, y -> y (g - sum g y)
  kLogSoftmaxBackward,  // g, y -> g - e^y sum g
};

// Softmax over the last of four dimensions, where hidden elements count as -10000. The tensors but the mask have one
// shape and one floating dtype.
struct MaskedSoftmaxProblem {
  const TensorView* mask = nullptr;  // real or bool, expanded to the shape; not 0: hidden. Null: the elements after the
                                     // position of the row in the third dimension are hidden
  double scale = 1;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::MaskedSoftmaxProblem;
using diopi::SoftmaxOp;
using diopi::Status;
using diopi::TensorView;

// Computes each row along `dim`. All tensors have the same shape and at least one dimension; `in` has two tensors for a
// gradient, otherwise one. `dtype`: the floating point dtype in which the elements are read; float16 and bfloat16 are
// computed in float32. `out` may be one of `in`.
Status run_softmax(diopiContextHandle_t ctx, SoftmaxOp op, const TensorView& out, const TensorView* in, int dim,
                   diopiDtype_t dtype);

// out = softmax of scale * in. `out` may be `in`.
Status run_masked_softmax(diopiContextHandle_t ctx, const MaskedSoftmaxProblem& p, const TensorView& out,
                          const TensorView& in);
// grad_in = scale * out (grad_out - sum of grad_out * out), and 0 for hidden elements. `grad_in` may be `grad_out` or
// `out`.
Status run_masked_softmax_backward(diopiContextHandle_t ctx, const MaskedSoftmaxProblem& p, const TensorView& grad_in,
                                   const TensorView& grad_out, const TensorView& out);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_SOFTMAX_HPP_
