// SPDX-License-Identifier: BSD-3-Clause
// Masked columns, spatial attention masks, shifts in time and rotated filters of mmcv.
// impl/<vendor>/functions/mmcv_carafe.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_MMCV_CARAFE_HPP_
#define IMPL_COMMON_FAMILIES_MMCV_CARAFE_HPP_

#include "arguments/mmcv_carafe.hpp"
#include "impl/common/engine/feature_maps.hpp"
#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

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

}  // namespace impl::DIOPI_VENDOR

#include "functions/mmcv_carafe.hpp"

#endif  // IMPL_COMMON_FAMILIES_MMCV_CARAFE_HPP_
