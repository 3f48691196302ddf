// SPDX-License-Identifier: BSD-3-Clause
// Negative log likelihood and cross entropy, and their gradients. impl/<vendor>/functions/loss_nll.cpp includes this
// file.
#ifndef IMPL_COMMON_FAMILIES_LOSS_NLL_HPP_
#define IMPL_COMMON_FAMILIES_LOSS_NLL_HPP_

#include "arguments/loss_nll.hpp"
#include "impl/common/engine/loss_nll.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
ClassLoss class_loss(const Args& args) {
  ClassLoss loss{args.input, args.target};
  loss.weight = args.weight ? &*args.weight : nullptr;
  loss.class_dim = diopi::class_dim(args.input);
  loss.classes = args.input.shape[loss.class_dim];
  loss.samples = loss.has_probabilities() ? loss.target_shape().product() : args.target.numel;
  loss.reduction = args.reduction;
  loss.ignore_index = args.ignore_index;
  return loss;
}

template <typename Args>
ClassLoss smoothed_loss(const Args& args) {
  ClassLoss loss = class_loss(args);
  loss.label_smoothing = args.label_smoothing > 0 ? args.label_smoothing : 0;  // PyTorch accepts negative values too
  return loss;
}

inline Status nll_forward(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& out,
                          const TensorView* total_weight) {
  DIOPI_TRY(diopi::require_writable(out));
  return run_nll(ctx, loss, out, total_weight);
}

template <typename Args>
Status nll_backward(diopiContextHandle_t ctx, Args& args, const TensorView* total_weight) {
  const ClassLoss loss = class_loss(args);
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return run_nll_backward(ctx, loss, args.grad_input, args.grad_output, total_weight);
}

inline Status run(diopiContextHandle_t ctx, diopi::NLLLossArgs& args) {
  return nll_forward(ctx, class_loss(args), args.out, nullptr);
}
inline Status run(diopiContextHandle_t ctx, diopi::NLLLossV2Args& args) {
  return nll_forward(ctx, class_loss(args), args.out, &args.totalWeight);
}
inline Status run(diopiContextHandle_t ctx, diopi::NLLLossBackwardArgs& args) {
  return nll_backward(ctx, args, nullptr);
}
inline Status run(diopiContextHandle_t ctx, diopi::NLLLossV2BackwardArgs& args) {
  return nll_backward(ctx, args, &args.totalWeight);
}

inline Status run(diopiContextHandle_t ctx, diopi::CrossEntropyLossArgs& args) {
  const ClassLoss loss = smoothed_loss(args);
  DIOPI_TRY(diopi::require_writable(args.out));
  return run_cross_entropy(ctx, loss, args.out);
}

inline Status run(diopiContextHandle_t ctx, diopi::CrossEntropyLossBackwardArgs& args) {
  const ClassLoss loss = smoothed_loss(args);
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return run_cross_entropy_backward(ctx, loss, args.grad_input, args.grad_output);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/loss_nll.hpp"

#endif  // IMPL_COMMON_FAMILIES_LOSS_NLL_HPP_
