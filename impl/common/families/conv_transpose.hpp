// SPDX-License-Identifier: BSD-3-Clause
// Transposed convolutions and their gradients. families/conv.hpp includes this file.
//
// A transposed convolution is the gradient of a convolution with respect to its input: there, src is the output here,
// and dst is the input here.
#ifndef IMPL_COMMON_FAMILIES_CONV_TRANSPOSE_HPP_
#define IMPL_COMMON_FAMILIES_CONV_TRANSPOSE_HPP_

#include <algorithm>
#include <limits>

#include "arguments/conv.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/families/conv_operands.hpp"
#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Windows;

// The extent of the output without output padding; negative if the padding takes everything away.
template <typename Args>
Status transposed_extent(const Args& args, const diopi::Window& w, int64_t* extent) {
  int64_t reach = 0, steps = 0, taken = 0;
  const bool fits = diopi::window_reach(w.kernel, w.dilation, &reach) &&
                    diopi::mul_sizes(w.out - 1, w.stride, &steps) && diopi::add_sizes(steps, reach, extent) &&
                    diopi::mul_sizes(w.padding, 2, &taken);
  DIOPI_REQUIRE(fits, diopiErrorOccurred,
                "stride = %s, padding = %s and dilation = %s make an output of input of shape %s and weight of shape "
                "%s that is too large",
                diopi::Text(args.stride).c_str(), diopi::Text(args.padding).c_str(), diopi::Text(args.dilation).c_str(),
                diopi::Text(args.input.shape).c_str(), diopi::Text(args.weight.shape).c_str());
  *extent -= taken;
  return diopiSuccess;
}

// Reads the windows; `out` of a window is an extent of the input. `extents` becomes the extents of the output without
// output padding. `any_output` says that the forward call may have had another output padding.
template <typename Args>
Status read_transposed_windows(const Args& args, bool any_output, Windows* windows, diopi::Dims* extents) {
  const int spatial = windows->spatial = args.weight.ndim() - 2;
  for (int i = 0; i < spatial; ++i) {
    diopi::Window& w = windows->at(i);
    w.out = args.input.shape[args.input.ndim() - spatial + i];
    w.kernel = args.weight.shape[i + 2];
    w.stride = diopi::spatial_entry(args.stride, i, 1);
    w.padding = diopi::spatial_entry(args.padding, i, 0);
    w.dilation = diopi::spatial_entry(args.dilation, i, 1);
    const int64_t more = diopi::spatial_entry(args.output_padding, i, 0), below = std::max(w.stride, w.dilation);
    DIOPI_REQUIRE(more < below, diopiErrorOccurred,
                  "output_padding = %s, expected less than stride = %s or dilation = %s in each dimension",
                  diopi::Text(args.output_padding).c_str(), diopi::Text(args.stride).c_str(),
                  diopi::Text(args.dilation).c_str());
    extents->push_back(0);
    DIOPI_TRY(transposed_extent(args, w, &extents->v[i]));
    int64_t whole = 0;
    const bool fits = diopi::add_sizes((*extents)[i], any_output ? below - 1 : more, &whole);
    if (!fits && any_output) whole = std::numeric_limits<int64_t>::max();
    DIOPI_REQUIRE((fits || any_output) && whole >= 1, diopiErrorOccurred,
                  "padding = %s leaves %lld elements of dimension %d of the output, expected at least 1 (input of "
                  "shape %s, weight of shape %s)",
                  diopi::Text(args.padding).c_str(), static_cast<long long>(whole), i - spatial,
                  diopi::Text(args.input.shape).c_str(), diopi::Text(args.weight.shape).c_str());
  }
  return diopiSuccess;
}

// Where the images of the output end for the engine: positions behind the last window and its padding get no terms.
struct TransposedConv {
  ConvCall call;
  TensorView whole;  // all positions of the output or of its gradient
};

// Reads the operands; `images` is the output or its gradient, whose extents have been checked.
template <typename Args>
Status read_transposed(const Args& args, const Windows& windows, const diopi::Dims& extents, const TensorView& images,
                       TransposedConv* conv) {
  const int spatial = windows.spatial;
  ConvCall& call = conv->call;
  call.transposed = true;
  call.groups = args.groups;
  call.windows = windows;
  call.weight = args.weight;
  call.dst = batched(args.input, spatial);
  call.src = conv->whole = batched(images, spatial);
  for (int i = 0; i < spatial; ++i) {
    diopi::Window& w = call.windows.at(i);
    const int64_t more = call.src.shape[i + 2] - extents[i];
    call.cut_end[i] = std::min(more, w.padding);
    w.in = call.src.shape[i + 2] - (more - call.cut_end[i]);
    if (w.in != call.src.shape[i + 2]) call.src = call.src.narrow(i + 2, 0, std::max<int64_t>(w.in, 0));
  }
  return finish_windows(args.padding, &call);
}

// Writes the positions of the output that get no terms.
inline Status fill_rest(diopiContextHandle_t ctx, const TransposedConv& conv, const std::optional<TensorView>& bias) {
  for (int dim = 2; dim < conv.whole.ndim(); ++dim) {
    const int64_t used = conv.call.src.shape[dim], all = conv.whole.shape[dim];
    if (used < all) DIOPI_TRY(fill_bias(ctx, conv.whole.narrow(dim, used, all - used), bias));
  }
  return diopiSuccess;
}

template <typename Args>
Status conv_transpose(diopiContextHandle_t ctx, const Args& args) {
  Windows windows;
  diopi::Dims extents, shape = args.input.shape;
  DIOPI_TRY(read_transposed_windows(args, false, &windows, &extents));
  const int spatial = windows.spatial;
  shape[shape.n - spatial - 1] = args.groups * args.weight.shape[1];
  for (int i = 0; i < spatial; ++i) {
    shape[shape.n - spatial + i] = extents[i] + diopi::spatial_entry(args.output_padding, i, 0);
  }
  DIOPI_TRY(diopi::require_shape(args.out, shape));
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.out.numel == 0) return diopiSuccess;
  TransposedConv conv;
  DIOPI_TRY(read_transposed(args, windows, extents, args.out, &conv));
  conv.call.kind = ConvKind::kBackwardData;
  if (args.bias) conv.call.bias = &*args.bias;
  if (conv.call.src.numel == 0) return fill_bias(ctx, conv.whole, args.bias);
  const auto convolve = [&] { return run_conv(ctx, conv.call); };
  return diopi::run_steps(convolve, [&] { return fill_rest(ctx, conv, args.bias); });
}

// Requires that the extents of the output's gradient are those of the output for some output padding.
template <typename Args>
Status require_transposed_output(const Args& args, const Windows& windows, const diopi::Dims& extents) {
  const int spatial = windows.spatial;
  for (int i = 0; i < spatial; ++i) {
    const diopi::Window& w = windows.at(i);
    const int dim = args.grad_output.ndim() - spatial + i;
    const int64_t given = args.grad_output.shape[dim], more = std::max(w.stride, w.dilation) - 1;
    int64_t most = 0;
    if (!diopi::add_sizes(extents[i], more, &most)) most = std::numeric_limits<int64_t>::max();
    DIOPI_REQUIRE(given >= std::max<int64_t>(extents[i], 1) && given - extents[i] <= more, diopiErrorOccurred,
                  "grad_output has shape %s, expected %lld to %lld as its extent of dimension %d (input of shape %s, "
                  "weight of shape %s, padding = %s)",
                  diopi::Text(args.grad_output.shape).c_str(), static_cast<long long>(std::max<int64_t>(extents[i], 1)),
                  static_cast<long long>(most), dim, diopi::Text(args.input.shape).c_str(),
                  diopi::Text(args.weight.shape).c_str(), diopi::Text(args.padding).c_str());
  }
  return diopiSuccess;
}

template <typename Args>
Status conv_transpose_backward(diopiContextHandle_t ctx, const Args& args) {
  Windows windows;
  diopi::Dims extents;
  DIOPI_TRY(read_transposed_windows(args, true, &windows, &extents));
  DIOPI_TRY(require_transposed_output(args, windows, extents));
  DIOPI_TRY(require_bias_sizes(args, args.groups * args.weight.shape[1]));
  for (const auto* grad : {&args.grad_input, &args.grad_weight, &args.grad_bias}) {
    if (*grad) DIOPI_TRY(diopi::require_writable(**grad));
  }
  TransposedConv conv;
  DIOPI_TRY(read_transposed(args, windows, extents, args.grad_output, &conv));
  const bool has_terms = conv.call.src.numel > 0;
  const auto weight = [&] {
    if (!args.grad_weight) return Status();
    ConvCall call = conv.call;
    call.kind = ConvKind::kBackwardWeights;
    call.weight = *args.grad_weight;
    return has_terms ? run_conv(ctx, call) : fill_number(ctx, call.weight, 0);
  };
  const auto input = [&] {
    if (!args.grad_input || args.grad_input->numel == 0) return Status();
    ConvCall call = conv.call;
    call.kind = ConvKind::kForward;
    call.dst = batched(*args.grad_input, windows.spatial);
    return has_terms ? run_conv(ctx, call) : fill_number(ctx, call.dst, 0);
  };
  const auto bias = [&] { return args.grad_bias ? sum_channels(ctx, *args.grad_bias, conv.whole) : Status(); };
  // The gradient of the weight is first, because a library of the vendor could fail while it computes it.
  return diopi::run_steps(weight, input, bias);
}

inline Status run(diopiContextHandle_t ctx, diopi::ConvTranspose2dArgs& args) { return conv_transpose(ctx, args); }
inline Status run(diopiContextHandle_t ctx, diopi::ConvTranspose3dArgs& args) { return conv_transpose(ctx, args); }
inline Status run(diopiContextHandle_t ctx, diopi::ConvTranspose2dBackwardArgs& args) {
  return conv_transpose_backward(ctx, args);
}
inline Status run(diopiContextHandle_t ctx, diopi::ConvTranspose3dBackwardArgs& args) {
  return conv_transpose_backward(ctx, args);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_CONV_TRANSPOSE_HPP_
