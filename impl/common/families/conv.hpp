// SPDX-License-Identifier: BSD-3-Clause
// Convolutions and their gradients. impl/<vendor>/functions/conv.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_CONV_HPP_
#define IMPL_COMMON_FAMILIES_CONV_HPP_

#include "arguments/conv.hpp"
#include "impl/common/families/conv_operands.hpp"
#include "impl/common/families/conv_transpose.hpp"

namespace impl::DIOPI_VENDOR {

// Reads the operands of a convolution; `dst` is the output or its gradient.
template <typename Args>
Status read_conv(const Args& args, const TensorView& dst, ConvCall* call) {
  const int spatial = args.windows.spatial;
  call->groups = args.groups;
  call->windows = args.windows;
  call->src = batched(args.input, spatial);
  call->weight = args.weight;
  call->dst = batched(dst, spatial);
  return finish_windows(args.padding, call);
}

template <typename Args>
Status conv_forward(diopiContextHandle_t ctx, const Args& args) {
  ConvCall call;
  DIOPI_TRY(read_conv(args, args.out, &call));
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.bias) call.bias = &*args.bias;
  if (call.dst.numel == 0) return diopiSuccess;
  if (call.src.numel > 0) return run_conv(ctx, call);
  return fill_bias(ctx, call.dst, args.bias);  // there are no input channels
}

// `grad` becomes the gradient of an operand.
inline Status conv_gradient(diopiContextHandle_t ctx, const ConvCall& forward, ConvKind kind, const TensorView& grad) {
  ConvCall call = forward;
  call.kind = kind;
  (kind == ConvKind::kBackwardData ? call.src : call.weight) = grad;
  if (grad.numel == 0) return diopiSuccess;
  return call.dst.numel > 0 && call.src.numel > 0 ? run_conv(ctx, call) : fill_number(ctx, grad, 0);
}

template <typename Args>
Status conv_backward(diopiContextHandle_t ctx, const Args& args) {
  ConvCall call;
  DIOPI_TRY(read_conv(args, args.grad_output, &call));
  DIOPI_TRY(require_bias_sizes(args, args.weight.shape[0]));
  for (const auto* grad : {&args.grad_input, &args.grad_weight, &args.grad_bias}) {
    if (*grad) DIOPI_TRY(diopi::require_writable(**grad));
  }
  const auto weight = [&] {
    return args.grad_weight ? conv_gradient(ctx, call, ConvKind::kBackwardWeights, *args.grad_weight) : Status();
  };
  const auto input = [&] {
    if (!args.grad_input) return Status();
    return conv_gradient(ctx, call, ConvKind::kBackwardData, batched(*args.grad_input, call.windows.spatial));
  };
  const auto bias = [&] { return args.grad_bias ? sum_channels(ctx, *args.grad_bias, call.dst) : Status(); };
  // The gradient of the weight is first, because a library of the vendor could fail while it computes it.
  return diopi::run_steps(weight, input, bias);
}

inline Status run(diopiContextHandle_t ctx, diopi::Convolution2dArgs& args) { return conv_forward(ctx, args); }
inline Status run(diopiContextHandle_t ctx, diopi::Convolution3dArgs& args) { return conv_forward(ctx, args); }
inline Status run(diopiContextHandle_t ctx, diopi::Convolution2dBackwardArgs& args) { return conv_backward(ctx, args); }
inline Status run(diopiContextHandle_t ctx, diopi::Convolution3dBackwardArgs& args) { return conv_backward(ctx, args); }

}  // namespace impl::DIOPI_VENDOR

#include "functions/conv.hpp"

#endif  // IMPL_COMMON_FAMILIES_CONV_HPP_
