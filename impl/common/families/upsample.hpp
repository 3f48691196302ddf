// SPDX-License-Identifier: BSD-3-Clause
// Interpolation of images to another size, its gradient, and sampling on a grid. impl/<vendor>/functions/upsample.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_UPSAMPLE_HPP_
#define IMPL_COMMON_FAMILIES_UPSAMPLE_HPP_

#include <cstring>

#include "arguments/upsample.hpp"
#include "impl/common/engine/resample.hpp"
#include "impl/common/plan/windows.hpp"
#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

// The interpolation between two tensors of images.
inline Resampling resampling(Interpolation kind, bool align_corners, const TensorView& from, const TensorView& to) {
  Resampling call;
  call.kind = kind;
  call.align_corners = align_corners;
  call.spatial = from.ndim() - 2;
  call.from = from;
  call.to = to;
  return call;
}

inline Interpolation smooth_kind(const char* mode) {
  return std::strcmp(mode, "bicubic") == 0 ? Interpolation::kCubic : Interpolation::kLinear;
}

template <typename Args>
Status interpolate(diopiContextHandle_t ctx, const Args& args, Interpolation kind, bool align_corners) {
  DIOPI_TRY(diopi::require_shape(args.out, diopi::resized_shape(args.input, args.input.ndim() - 2, args.size)));
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.out.numel == 0) return diopiSuccess;
  return run_resample(ctx, resampling(kind, align_corners, args.input, args.out));
}

template <typename Args>
Status interpolate_backward(diopiContextHandle_t ctx, const Args& args, Interpolation kind, bool align_corners) {
  const TensorView& grad = args.grad_input;
  DIOPI_TRY(diopi::require_shape(args.grad_output, diopi::resized_shape(grad, grad.ndim() - 2, args.out_size)));
  DIOPI_TRY(diopi::require_writable(grad));
  if (grad.numel == 0) return diopiSuccess;
  return run_resample_backward(ctx, resampling(kind, align_corners, grad, args.grad_output));
}

inline Status run(diopiContextHandle_t ctx, diopi::GridSampleArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.out.numel == 0) return diopiSuccess;
  GridSampling call;
  call.kind = std::strcmp(args.mode, "nearest") == 0 ? Interpolation::kNearest : smooth_kind(args.mode);
  call.out = args.out;
  call.in = args.input;
  call.grid = args.grid;
  return run_grid_sample(ctx, call);
}

inline Status run(diopiContextHandle_t ctx, diopi::UpsampleNearestArgs& args) {
  return interpolate(ctx, args, Interpolation::kNearest, false);
}
inline Status run(diopiContextHandle_t ctx, diopi::UpsampleNearestBackwardArgs& args) {
  return interpolate_backward(ctx, args, Interpolation::kNearest, false);
}
inline Status run(diopiContextHandle_t ctx, diopi::UpsampleLinearArgs& args) {
  return interpolate(ctx, args, smooth_kind(args.mode), args.align_corners);
}
inline Status run(diopiContextHandle_t ctx, diopi::UpsampleLinearBackwardArgs& args) {
  return interpolate_backward(ctx, args, smooth_kind(args.mode), args.align_corners);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/upsample.hpp"

#endif  // IMPL_COMMON_FAMILIES_UPSAMPLE_HPP_
