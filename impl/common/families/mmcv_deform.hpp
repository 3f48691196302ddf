// SPDX-License-Identifier: BSD-3-Clause
// Deformable convolution and deformable attention of mmcv. impl/<vendor>/functions/mmcv_deform.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_DEFORM_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_DEFORM_HPP_

#include <algorithm>

#include "arguments/mmcv_deform.hpp"
#include "impl/common/engine/deform.hpp"
#include "impl/common/engine/host_numbers.hpp"
#include "impl/common/engine/reduce.hpp"
#include "impl/common/families/fill_number.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/families/returned_tensor.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"

namespace impl::DIOPI_VENDOR {

// Two attributes as a list, vertical before horizontal, with their names.
struct NamedPair {
  const char* name;
  int64_t values[2];
  diopi::NamedList list() const { return {name, {values, 2}}; }
};
struct DeformWindow {
  NamedPair kernel, stride, padding, dilation;
};

template <typename Args>
DeformWindow deform_window(const Args& args) {
  return {{"[kH, kW]", {args.kH, args.kW}},
          {"[dH, dW]", {args.dH, args.dW}},
          {"[padH, padW]", {args.padH, args.padW}},
          {"[dilationH, dilationW]", {args.dilationH, args.dilationW}}};
}
template <typename Args>
DeformWindow modulated_window(const Args& args) {
  return {{"[kernel_h, kernel_w]", {args.kernel_h, args.kernel_w}},
          {"[stride_h, stride_w]", {args.stride_h, args.stride_w}},
          {"[pad_h, pad_w]", {args.pad_h, args.pad_w}},
          {"[dilation_h, dilation_w]", {args.dilation_h, args.dilation_w}}};
}

// Requires that a tensor has a number for each position of the result.
inline Status require_positions(const TensorView& view, const diopi::Windows& windows) {
  return diopi::require_shape(view, diopi::windowed_shape(view, view.shape[1], windows));
}

// Computes the windows and requires that `output`, the result or its gradient, has the shape of the result.
inline Status fit_deform_windows(const TensorView& input, const TensorView& offset, const DeformWindow& w,
                                 int64_t channels, const TensorView& output, diopi::Windows* windows) {
  const diopi::WindowLists lists{2, w.kernel.list(), w.stride.list(), w.padding.list(), w.dilation.list(), false};
  DIOPI_TRY(diopi::fit_windows(input, lists, windows));
  DIOPI_TRY(diopi::require_shape(output, diopi::windowed_shape(input, channels, *windows)));
  return require_positions(offset, *windows);
}

// Requires that the images can be divided into steps of im2col_step images.
inline Status require_step_divides(int64_t step, const TensorView& images) {
  const int64_t count = images.shape[0];
  DIOPI_REQUIRE(count == 0 || count % std::min(step, count) == 0, diopiErrorOccurred,
                "im2col_step = %lld does not divide %s[0] = %lld", static_cast<long long>(step), images.name,
                static_cast<long long>(count));
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::DeformConvMmcvArgs& args) {
  diopi::Windows windows;
  DIOPI_TRY(
      fit_deform_windows(args.input, args.offset, deform_window(args), args.weight.shape[0], args.output, &windows));
  DIOPI_TRY(require_step_divides(args.im2col_step, args.input));
  DIOPI_TRY(diopi::require_writable(args.output));
  if (args.output.numel == 0) return diopiSuccess;
  const DeformSamples samples{args.input, args.offset, nullptr, windows, args.groups, args.deform_groups};
  return run_deform_conv(ctx, samples, args.weight, nullptr, args.output);
}

inline Status run(diopiContextHandle_t ctx, diopi::DeformConvBackwardInputMmcvArgs& args) {
  diopi::Windows windows;
  DIOPI_TRY(fit_deform_windows(args.input, args.offset, deform_window(args), args.weight.shape[0], args.gradOutput,
                               &windows));
  DIOPI_TRY(require_step_divides(args.im2col_step, args.input));
  DIOPI_TRY(diopi::require_writable({&args.gradInput, &args.gradOffset}));
  const DeformSamples samples{args.input, args.offset, nullptr, windows, args.groups, args.deform_groups};
  return run_deform_conv_backward_samples(ctx, samples, args.weight, args.gradOutput,
                                          {args.gradInput, args.gradOffset, nullptr});
}

inline Status run(diopiContextHandle_t ctx, diopi::DeformConvBackwardParametersMmcvArgs& args) {
  diopi::Windows windows;
  DIOPI_TRY(fit_deform_windows(args.input, args.offset, deform_window(args), args.gradWeight.shape[0], args.gradOutput,
                               &windows));
  DIOPI_TRY(require_step_divides(args.im2col_step, args.input));
  DIOPI_TRY(diopi::require_writable(args.gradWeight));
  if (args.gradOutput.numel == 0) return diopiSuccess;
  const DeformSamples samples{args.input, args.offset, nullptr, windows, args.groups, args.deform_groups};
  return run_deform_conv_backward_weight(ctx, samples, args.gradOutput, args.gradWeight,
                                         static_cast<double>(args.scale), true);
}

inline Status run(diopiContextHandle_t ctx, diopi::ModulatedDeformConvMmcvArgs& args) {
  diopi::Windows windows;
  DIOPI_TRY(
      fit_deform_windows(args.input, args.offset, modulated_window(args), args.weight.shape[0], args.output, &windows));
  DIOPI_TRY(require_positions(args.mask, windows));
  DIOPI_TRY(diopi::require_writable(args.output));
  if (args.output.numel == 0) return diopiSuccess;
  const DeformSamples samples{args.input, args.offset, &args.mask, windows, args.group, args.deformable_group};
  return run_deform_conv(ctx, samples, args.weight, args.with_bias ? &*args.bias : nullptr, args.output);
}

inline Status run(diopiContextHandle_t ctx, diopi::ModulatedDeformConvBackwardMmcvArgs& args) {
  diopi::Windows windows;
  DIOPI_TRY(fit_deform_windows(args.input, args.offset, modulated_window(args), args.weight.shape[0], args.grad_output,
                               &windows));
  DIOPI_TRY(require_positions(args.mask, windows));
  const TensorView* grad_bias = args.with_bias ? diopi::address_of(args.grad_bias) : nullptr;
  DIOPI_TRY(
      diopi::require_writable({&args.grad_input, &args.grad_weight, grad_bias, &args.grad_offset, &args.grad_mask}));
  const DeformSamples samples{args.input, args.offset, &args.mask, windows, args.group, args.deformable_group};
  const TensorView& grad = args.grad_output;
  const auto weight = [&] {
    if (grad.numel == 0) return fill_number(ctx, args.grad_weight, 0);
    return run_deform_conv_backward_weight(ctx, samples, grad, args.grad_weight, 1, false);
  };
  const auto inputs = [&] {
    return run_deform_conv_backward_samples(ctx, samples, args.weight, grad,
                                            {args.grad_input, args.grad_offset, &args.grad_mask});
  };
  const auto bias = [&] {
    if (grad_bias == nullptr) return Status();
    if (grad.numel == 0) return fill_number(ctx, *grad_bias, 0);
    return run_reduce(ctx, ReduceOp::kSum, *grad_bias, grad, 0b1101, diopi::compute_dtype(grad.dtype));
  };
  return diopi::run_steps(weight, inputs, bias);
}

// Requires that a level lies within the `cells` cells of `value`.
template <typename Args>
Status require_level(const Args& args, int64_t number, const PyramidLevel& level) {
  const int64_t cells = args.value.shape[1];
  const auto show = [](int64_t n) { return static_cast<long long>(n); };
  DIOPI_REQUIRE(level.height >= 0 && level.width >= 0, diopiErrorOccurred,
                "%s[%lld] = [%lld, %lld], expected extents of at least 0", args.spatial_shapes.name, show(number),
                show(level.height), show(level.width));
  DIOPI_REQUIRE(level.start >= 0, diopiErrorOccurred, "%s[%lld] = %lld, expected at least 0",
                args.level_start_index.name, show(number), show(level.start));
  int64_t size = 0, end = 0;
  const bool fits = !__builtin_mul_overflow(level.height, level.width, &size) &&
                    !__builtin_add_overflow(level.start, size, &end) && end <= cells;
  DIOPI_REQUIRE(fits, diopiErrorOccurred,
                "%s[%lld] = %lld, with %s[%lld] = [%lld, %lld], expected a level within the %lld cells of %s",
                args.level_start_index.name, show(number), show(level.start), args.spatial_shapes.name, show(number),
                show(level.height), show(level.width), show(cells), args.value.name);
  return diopiSuccess;
}

// Reads and checks the levels.
template <typename Args>
Status read_levels(diopiContextHandle_t ctx, const Args& args, const PyramidLevel** levels) {
  const int64_t count = args.level_start_index.shape[0];
  int64_t *extents = nullptr, *starts = nullptr;
  PyramidLevel* read = nullptr;
  diopi::Workspace workspace = diopi::host_workspace(ctx);
  DIOPI_TRY(workspace.take(2 * count, &extents));
  DIOPI_TRY(workspace.take(count, &starts));
  DIOPI_TRY(workspace.take(count, &read));
  if (count > 0) {
    DIOPI_TRY(read_integers(ctx, args.spatial_shapes, extents));
    DIOPI_TRY(read_integers(ctx, args.level_start_index, starts));
  }
  for (int64_t i = 0; i < count; ++i) {
    read[i] = {extents[2 * i], extents[2 * i + 1], starts[i]};
    DIOPI_TRY(require_level(args, i, read[i]));
  }
  *levels = read;
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::MsDeformAttnMmcvArgs& args) {
  const PyramidLevel* levels = nullptr;
  DIOPI_TRY(require_step_divides(args.im2col_step, args.value));
  DIOPI_TRY(read_levels(ctx, args, &levels));
  const AttentionSamples samples{args.value, args.sampling_loc, args.attn_weight, levels};
  diopi::Dims shape;
  shape.push_back(args.value.shape[0]);
  shape.push_back(args.sampling_loc.shape[1]);
  shape.push_back(args.value.shape[2] * args.value.shape[3]);
  return return_tensor(ctx, shape, args.value.dtype, args.out, [&](const TensorView& out) {
    return out.numel == 0 ? Status() : run_deform_attention(ctx, samples, out);
  });
}

inline Status run(diopiContextHandle_t ctx, diopi::MsDeformAttnBackwardMmcvArgs& args) {
  const PyramidLevel* levels = nullptr;
  DIOPI_TRY(require_step_divides(args.im2col_step, args.value));
  DIOPI_TRY(read_levels(ctx, args, &levels));
  const AttentionSamples samples{args.value, args.sampling_loc, args.attn_weight, levels};
  DIOPI_TRY(diopi::require_writable({&args.grad_value, &args.grad_sampling_loc, &args.grad_attn_weight}));
  return run_deform_attention_backward(ctx, samples, args.grad_output,
                                       {args.grad_value, args.grad_sampling_loc, args.grad_attn_weight});
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/mmcv_deform.hpp"

#endif  // IMPL_COMMON_FAMILIES_MMCV_DEFORM_HPP_
