// SPDX-License-Identifier: BSD-3-Clause
// Focal loss of logits and its gradient. impl/<vendor>/functions/loss_focal.cpp includes this file; the engine
// functions are those of losses.
#ifndef IMPL_COMMON_FAMILIES_LOSS_FOCAL_HPP_
#define IMPL_COMMON_FAMILIES_LOSS_FOCAL_HPP_

#include "arguments/loss_focal.hpp"
#include "impl/common/engine/loss.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::SigmoidFocalLossArgs& args) {
  LossCall call;
  call.in[0] = args.inputs;
  call.in[1] = args.targets;
  call.num_inputs = 2;
  call.promoted = diopi::promote_types(args.inputs.dtype, args.targets.dtype);
  call.params.alpha = args.alpha;
  call.params.gamma = args.gamma;
  return run_loss(ctx, LossOp::kSigmoidFocal, args.out, call, args.inputs.shape, args.reduction);
}

inline Status run(diopiContextHandle_t ctx, diopi::SigmoidFocalLossBackwardArgs& args) {
  LossCall call;
  call.in[0] = args.grad_output;
  call.in[1] = args.input;
  call.in[2] = args.target;
  call.num_inputs = 3;
  const diopiDtype_t operands = diopi::promote_types(args.input.dtype, args.target.dtype);
  call.promoted = diopi::promote_types(operands, args.grad_output.dtype);
  call.params.alpha = args.alpha;
  call.params.gamma = args.gamma;
  if (args.reduction == ReductionMean) call.params.scale = 1 / static_cast<double>(args.input.numel);
  return run_loss_backward(ctx, LossOp::kSigmoidFocalBackward, args.grad_input, call);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/loss_focal.hpp"

#endif  // IMPL_COMMON_FAMILIES_LOSS_FOCAL_HPP_
