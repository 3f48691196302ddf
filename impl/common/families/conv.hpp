// SPDX-License-Identifier: BSD-3-Clause
// Convolutions and their gradients. impl/<vendor>/functions/conv.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_CONV_HPP_
#define IMPL_COMMON_FAMILIES_CONV_HPP_

#include "arguments/conv.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/engine/conv.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/engine/reduce.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::DIOPI_VENDOR {

// Adds the dimension of the batch if the tensor lacks it.
inline TensorView batched(const TensorView& image, int spatial) {
  return image.ndim() == spatial + 1 ? image.unsqueeze(0) : image;
}

// Reads the operands of a convolution; `dst` is the output or its gradient.
template <typename Args>
Status read_conv(const Args& args, const TensorView& dst, ConvCall* call) {
  const int spatial = args.windows.spatial;
  call->groups = args.groups;
  call->windows = args.windows;
  call->src = batched(args.input, spatial);
  call->weight = args.weight;
  call->dst = batched(dst, spatial);
  diopi::Dims padded;
  padded.push_back(call->src.shape[1]);
  for (int i = 0; i < spatial; ++i) {
    diopi::Window& w = call->windows.at(i);
    padded.push_back(w.in + 2 * w.padding);
    // A stride or a dilation that is never used becomes 1, because implementations may refuse other values.
    if (w.out == 1) w.stride = 1;
    if (w.kernel == 1) w.dilation = 1;
  }
  int64_t numel = 0;
  DIOPI_REQUIRE(diopi::count_elements(padded, &numel), diopiErrorOccurred,
                "padding = %s makes an image of shape %s, which is more than 2^63 bytes",
                diopi::Text(args.padding).c_str(), diopi::Text(padded).c_str());
  return diopiSuccess;
}

// Writes zeros: the value of a sum without terms.
inline Status fill_zero(diopiContextHandle_t ctx, const TensorView& view) {
  diopiScalar_t zero{diopi_dtype_int64, {}};
  zero.ival = 0;
  return diopi::in_dry_run() ? Status() : fill(ctx, view, zero);
}

template <typename Args>
Status conv_forward(diopiContextHandle_t ctx, const Args& args) {
  ConvCall call;
  DIOPI_TRY(read_conv(args, args.out, &call));
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.bias) call.bias = &*args.bias;
  if (call.dst.numel == 0) return diopiSuccess;
  if (call.src.numel > 0) return run_conv(ctx, call);
  if (!args.bias) return fill_zero(ctx, call.dst);  // there are no input channels
  TensorView expanded = *args.bias;
  for (int i = 0; i < call.windows.spatial; ++i) expanded = expanded.unsqueeze(expanded.ndim());
  return copy(ctx, call.dst, expanded);
}

// `grad` becomes the gradient of an operand.
inline Status conv_gradient(diopiContextHandle_t ctx, const ConvCall& forward, ConvKind kind, const TensorView& grad) {
  ConvCall call = forward;
  call.kind = kind;
  (kind == ConvKind::kBackwardData ? call.src : call.weight) = grad;
  if (grad.numel == 0) return diopiSuccess;
  return call.dst.numel > 0 && call.src.numel > 0 ? run_conv(ctx, call) : fill_zero(ctx, grad);
}

// Requires that the sizes of the bias are those of its gradient.
template <typename Args>
Status require_bias_sizes(const Args& args) {
  if (!args.grad_bias || args.bias_sizes == nullptr) return diopiSuccess;
  const diopiSize_t& sizes = *args.bias_sizes;
  DIOPI_REQUIRE(sizes.len == 1 && sizes.data[0] == args.weight.shape[0], diopiErrorOccurred,
                "bias_sizes = %s, expected [%lld]", diopi::Text(sizes).c_str(),
                static_cast<long long>(args.weight.shape[0]));
  return diopiSuccess;
}

template <typename Args>
Status conv_backward(diopiContextHandle_t ctx, const Args& args) {
  ConvCall call;
  DIOPI_TRY(read_conv(args, args.grad_output, &call));
  DIOPI_TRY(require_bias_sizes(args));
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
  const auto bias = [&] {  // the sum of the output's gradient over images and positions
    if (!args.grad_bias) return Status();
    const uint32_t all = (1u << call.dst.ndim()) - 1;
    return run_reduce(ctx, ReduceOp::kSum, *args.grad_bias, call.dst, all & ~2u, diopi::compute_dtype(call.dst.dtype));
  };
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
