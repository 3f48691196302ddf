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

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::SoftmaxOp;
using diopi::Status;
using diopi::TensorView;

// Computes each row along `dim`. All tensors have the same shape and at least one dimension; `in` has two tensors for a
// gradient, otherwise one. `dtype`: the floating point dtype in which the elements are read; float16 and bfloat16 are
// computed in float32. `out` may be one of `in`.
Status run_softmax(diopiContextHandle_t ctx, SoftmaxOp op, const TensorView& out, const TensorView* in, int dim,
                   diopiDtype_t dtype);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_SOFTMAX_HPP_
