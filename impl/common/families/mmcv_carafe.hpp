// SPDX-License-Identifier: BSD-3-Clause
// CARAFE, correlation, filters of upsampled images, masked columns, spatial attention masks, shifts in time and rotated
// filters of mmcv. impl/<vendor>/functions/mmcv_carafe.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_CARAFE_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_CARAFE_HPP_

#include "arguments/mmcv_carafe.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/engine/feature_maps.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/families/returned_tensor.hpp"
#include "impl/common/plan/windows.hpp"
#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

template <typename Args>
CarafeSetup carafe_setup(const Args& args, bool packed_last = false) {
  return {args.kernel_size, args.group_size, args.scale_factor, packed_last};
}

inline Status run(diopiContextHandle_t ctx, diopi::CarafeMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.output, &args.rfeatures}));
  return reassemble(ctx, carafe_setup(args), args.output, args.features, args.masks, &args.rfeatures);
}

inline Status run(diopiContextHandle_t ctx, diopi::CarafeNaiveMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  return reassemble(ctx, carafe_setup(args), args.output, args.features, args.masks, nullptr);
}

inline Status run(diopiContextHandle_t ctx, diopi::CarafeBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.bottom_grad, &args.mask_grad}));
  return reassemble_backward(ctx, carafe_setup(args, true), args.bottom_grad, args.mask_grad, args.top_grad,
                             args.rfeatures, args.masks);
}

inline Status run(diopiContextHandle_t ctx, diopi::CarafeNaiveBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.bottom_grad, &args.mask_grad}));
  return reassemble_backward(ctx, carafe_setup(args), args.bottom_grad, args.mask_grad, args.top_grad, args.features,
                             args.masks);
}

inline Status run(diopiContextHandle_t ctx, diopi::MaskedIm2colMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.col));
  return masked_columns(ctx, args.col, args.im, {args.mask_h_idx, args.mask_w_idx},
                        {{args.kernel_h, args.kernel_w}, {args.pad_h, args.pad_w}});
}

inline Status run(diopiContextHandle_t ctx, diopi::MaskedCol2imMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.im));
  return masked_image(ctx, args.im, args.col, {args.mask_h_idx, args.mask_w_idx});
}

template <typename Args>
PositionMask position_mask(const Args& args) {
  return {args.psa_type == 1, args.h_feature,   args.w_feature,  args.h_mask,
          args.w_mask,        args.half_h_mask, args.half_w_mask};
}

inline Status run(diopiContextHandle_t ctx, diopi::PsamaskMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  return spread_mask(ctx, position_mask(args), args.output, args.input);
}

inline Status run(diopiContextHandle_t ctx, diopi::PsamaskBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return collect_mask(ctx, position_mask(args), args.grad_input, args.grad_output);
}

inline Status run(diopiContextHandle_t ctx, diopi::TinShiftMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  return shift_frames(ctx, args.output, args.input, args.shift);
}

inline Status run(diopiContextHandle_t ctx, diopi::TinShiftBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  return shift_frames(ctx, args.grad_input, args.grad_output, args.shift);
}

inline int64_t filter_entries(const TensorView& filters) {
  return filters.shape[2] * filters.shape[3] * filters.shape[4];
}

inline Status run(diopiContextHandle_t ctx, diopi::ActiveRotatedFilterMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.output));
  DIOPI_TRY(check_rotations(ctx, args.indices, filter_entries(args.input)));
  return rotate_filters(ctx, args.output, args.input, args.indices);
}

inline Status run(diopiContextHandle_t ctx, diopi::ActiveRotatedFilterBackwardMmcvArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.grad_in));
  DIOPI_TRY(check_rotations(ctx, args.indices, filter_entries(args.grad_in)));
  return rotate_filters_backward(ctx, args.grad_in, args.grad_out, args.indices);
}

inline Status run(diopiContextHandle_t ctx, diopi::FusedBiasLeakyreluMmcvArgs& args) {
  BiasActivation call{};
  if (args.bias && args.bias->numel > 0) call.bias = &*args.bias;
  call.slope = 1;
  call.scale = static_cast<double>(args.scale);
  if (args.grad == 2) {
    call.slope = 0;
    call.slope_everywhere = true;
  } else if (args.act == 3) {
    call.slope = static_cast<double>(args.alpha);
    if (args.grad == 1 && args.refer && args.refer->numel > 0) call.refer = &*args.refer;
    call.slope_everywhere = args.grad == 1 && call.refer == nullptr;
  }
  return return_tensor(ctx, args.input.shape, args.input.dtype, args.out,
                       [&](const TensorView& out) { return activate_with_bias(ctx, out, args.input, call); });
}

// The extent of the result along `axis`, x or y: upsampled, padded, and with a filter of `taps` moved in steps of
// `down`.
inline Status filtered_extent(char axis, int64_t in, int64_t up, int64_t before, int64_t after, int64_t taps,
                              int64_t down, int64_t* extent) {
  int64_t size = 0;
  const bool fits = diopi::mul_sizes(in, up, &size) && diopi::add_sizes(size, before, &size) &&
                    diopi::add_sizes(size, after, &size) && diopi::sub_sizes(size, taps, &size);
  DIOPI_REQUIRE(fits, diopiErrorOccurred,
                "%lld elements with up_%c = %lld, pad_%c0 = %lld and pad_%c1 = %lld give more "
                "elements than 64 bits hold",
                static_cast<long long>(in), axis, static_cast<long long>(up), axis, static_cast<long long>(before),
                axis, static_cast<long long>(after));
  *extent = size / down + 1;
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::Upfirdn2dOpMmcvArgs& args) {
  const UpfirdnSetup setup{{args.up_y, args.up_x}, {args.down_y, args.down_x}, {args.pad_y0, args.pad_x0}};
  const auto &in = args.input.shape, &kernel = args.kernel.shape;
  diopi::Dims shape = in;
  DIOPI_TRY(filtered_extent('y', in[1], args.up_y, args.pad_y0, args.pad_y1, kernel[0], args.down_y, &shape[1]));
  DIOPI_TRY(filtered_extent('x', in[2], args.up_x, args.pad_x0, args.pad_x1, kernel[1], args.down_x, &shape[2]));
  return return_tensor(ctx, shape, args.input.dtype, args.out, [&](const TensorView& out) {
    return filter_upsampled(ctx, setup, out, args.input, args.kernel);
  });
}

// Requires that the extent of a dilated patch leaves room for sums with positions. `axis` is H or W.
inline Status require_patch_fits(char axis, int64_t dilation, int64_t patch) {
  int64_t extent = 0;
  const bool fits = !__builtin_mul_overflow(dilation, patch - 1, &extent) && extent <= int64_t{1} << 61;
  DIOPI_REQUIRE(fits, diopiErrorOccurred,
                "dilation_patch%c = %lld times patch%c - 1 = %lld, expected an extent of at most 2^61", axis,
                static_cast<long long>(dilation), axis, static_cast<long long>(patch - 1));
  return diopiSuccess;
}

// Reads the attributes and requires that `output`, the result or its gradient, has the shape of the result.
template <typename Args>
Status correlation_setup(const Args& args, const TensorView& output, CorrelationSetup* setup) {
  const int64_t kernel[2] = {args.kH, args.kW}, stride[2] = {args.dH, args.dW};
  const int64_t padding[2] = {args.padH, args.padW}, dilation[2] = {args.dilationH, args.dilationW};
  const diopi::WindowLists lists{2,
                                 {"[kH, kW]", {kernel, 2}},
                                 {"[dH, dW]", {stride, 2}},
                                 {"[padH, padW]", {padding, 2}},
                                 {"[dilationH, dilationW]", {dilation, 2}},
                                 false};
  DIOPI_TRY(diopi::fit_windows(args.input1, lists, &setup->windows));
  DIOPI_TRY(require_patch_fits('H', args.dilation_patchH, args.patchH));
  DIOPI_TRY(require_patch_fits('W', args.dilation_patchW, args.patchW));
  diopi::Dims shape;
  for (const int64_t extent :
       {args.input1.shape[0], args.patchH, args.patchW, setup->windows.at(0).out, setup->windows.at(1).out}) {
    shape.push_back(extent);
  }
  setup->patch[0] = args.patchH;
  setup->patch[1] = args.patchW;
  setup->patch_dilation[0] = args.dilation_patchH;
  setup->patch_dilation[1] = args.dilation_patchW;
  return diopi::require_shape(output, shape);
}

inline Status run(diopiContextHandle_t ctx, diopi::CorrelationMmcvArgs& args) {
  CorrelationSetup setup{};
  DIOPI_TRY(correlation_setup(args, args.output, &setup));
  DIOPI_TRY(diopi::require_writable(args.output));
  return correlate(ctx, setup, args.output, args.input1, args.input2);
}

inline Status run(diopiContextHandle_t ctx, diopi::CorrelationBackwardMmcvArgs& args) {
  CorrelationSetup setup{};
  DIOPI_TRY(correlation_setup(args, args.grad_output, &setup));
  DIOPI_TRY(diopi::require_writable({&args.grad_input1, &args.grad_input2}));
  return correlate_backward(ctx, setup, args.grad_input1, args.grad_input2, args.grad_output, args.input1, args.input2);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/mmcv_carafe.hpp"

#endif  // IMPL_COMMON_FAMILIES_MMCV_CARAFE_HPP_
