// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for losses of each element, their sums and means, and their gradients.
#ifndef IMPL_COMMON_ENGINE_LOSS_HPP_
#define IMPL_COMMON_ENGINE_LOSS_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

enum class LossOp {
  kMse,                    // x, t
  kMseBackward,            // g, x, t
  kSmoothL1,               // x, t
  kSmoothL1Backward,       // g, x, t
  kBce,                    // x, t, weight
  kBceBackward,            // g, x, t, weight
  kBceWithLogits,          // x, t, weight, pos_weight
  kBceWithLogitsBackward,  // g, x, t, weight, pos_weight
  kSigmoidFocal,           // x, t
  kSigmoidFocalBackward,   // g, x, t
};

struct LossParams {
  double scale = 1;              // factor of gradients: 1 / number of losses for a mean
  double beta = 1;               // threshold of smooth L1
  double alpha = -1, gamma = 0;  // of focal loss: weight of the positive class, none if negative; exponent
};

struct LossCall {
  static constexpr int kMaxInputs = 5;
  TensorView in[kMaxInputs];  // the operands of the operation, in its order
  int num_inputs = 0;
  diopiDtype_t promoted = diopi_dtype_unsupported;  // of all operands of the caller
  LossParams params;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::Dims;
using diopi::LossCall;
using diopi::LossOp;
using diopi::Status;
using diopi::TensorView;

// Computes losses in the floating point dtype `promoted`; float16 and bfloat16 are computed in float32 and rounded
// once. The operands broadcast to `shape`, the shape of the losses. If `reduction` is ReductionNone, `out` has that
// shape; otherwise it has no dimensions and gets the sum or the mean of the losses. `out` may be an operand of its
// shape.
Status run_loss(diopiContextHandle_t ctx, LossOp op, const TensorView& out, const LossCall& call, const Dims& shape,
                diopiReduction_t reduction);

// Computes a gradient in the same dtype. `grad_input`, which may be an operand of its shape, has the shape of the
// losses. The first operand has that shape or no dimensions.
Status run_loss_backward(diopiContextHandle_t ctx, LossOp op, const TensorView& grad_input, const LossCall& call);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_LOSS_HPP_
