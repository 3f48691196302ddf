// SPDX-License-Identifier: BSD-3-Clause
// One index or a range of a dimension: copies from and to a part of a tensor. impl/<vendor>/functions/select_slice.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_SELECT_SLICE_HPP_
#define IMPL_COMMON_FAMILIES_SELECT_SLICE_HPP_

#include <algorithm>

#include "arguments/select_slice.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

// The slice at `index` of dimension `dim`, which have been checked. A negative index counts from the end.
inline TensorView selected(const TensorView& whole, int64_t dim, int64_t index) {
  const int d = static_cast<int>(dim);
  return whole.select(d, index < 0 ? index + whole.shape[d] : index);
}

// The range start:end:step of dimension `dim`. Negative limits count from the end, and all limits are cut to the
// tensor.
inline TensorView sliced(const TensorView& whole, int64_t dim, int64_t start, int64_t end, int64_t step) {
  const int d = static_cast<int>(dim);
  const int64_t extent = whole.shape[d];
  const auto position = [extent](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + extent : i, 0, extent); };
  const int64_t first = position(start), length = std::max(position(end), first) - first;
  TensorView part = whole.narrow(d, first, length);
  const int64_t count = length > 0 ? (length - 1) / step + 1 : 0;
  if (count == length) return part;
  part.numel = part.numel / length * count;
  part.shape[d] = count;
  if (count > 1) part.stride[d] *= step;
  return part;
}

inline Status copy_part(diopiContextHandle_t ctx, TensorView* out, const TensorView& part) {
  DIOPI_TRY(diopi::require_result_shape(out, part.shape));
  DIOPI_TRY(diopi::require_writable(*out));
  return copy(ctx, *out, part);
}

inline Status run(diopiContextHandle_t ctx, diopi::SelectArgs& args) {
  return copy_part(ctx, &args.out, selected(args.input, args.dim, args.index));
}

inline Status run(diopiContextHandle_t ctx, diopi::SliceArgs& args) {
  return copy_part(ctx, &args.null_out, sliced(args.input, args.dim, args.start, args.end, args.step));
}

// Sets `whole` to zero, except the view `part` of it, which becomes `grad`.
inline Status zeros_except(diopiContextHandle_t ctx, const TensorView& whole, const TensorView& part,
                           TensorView* grad) {
  DIOPI_TRY(diopi::require_result_shape(grad, part.shape));
  DIOPI_TRY(diopi::require_writable(whole));
  DIOPI_TRY(replace_if_overlapping(ctx, whole, grad));
  if (part.numel < whole.numel) DIOPI_TRY(fill(ctx, whole, diopiScalar_t{diopi_dtype_int64, {0}}));
  return copy(ctx, part, *grad);
}

inline Status run(diopiContextHandle_t ctx, diopi::SelectBackwardArgs& args) {
  return zeros_except(ctx, args.grad_input, selected(args.grad_input, args.dim, args.index), &args.grad_output);
}

inline Status run(diopiContextHandle_t ctx, diopi::SliceBackwardArgs& args) {
  return zeros_except(ctx, args.grad_input, sliced(args.grad_input, args.dim, args.start, args.end, args.step),
                      &args.grad_output);
}

// Copies `in` to `out`, except the view `part` of `out`, which becomes `src`.
inline Status copy_except(diopiContextHandle_t ctx, const TensorView& out, TensorView* in, const TensorView& part,
                          TensorView* src) {
  DIOPI_TRY(diopi::require_result_shape(src, part.shape));
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(replace_if_overlapping(ctx, out, src));
  if (!diopi::is_same_view(out, *in)) DIOPI_TRY(replace_if_overlapping(ctx, out, in));
  if (part.numel < out.numel) DIOPI_TRY(copy(ctx, out, *in));
  return copy(ctx, part, *src);
}

inline Status run(diopiContextHandle_t ctx, diopi::SelectScatterArgs& args) {
  return copy_except(ctx, args.out, &args.input, selected(args.out, args.dim, args.index), &args.src);
}

inline Status run(diopiContextHandle_t ctx, diopi::SliceScatterArgs& args) {
  return copy_except(ctx, args.out, &args.input, sliced(args.out, args.dim, args.start, args.end, args.step),
                     &args.src);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/select_slice.hpp"

#endif  // IMPL_COMMON_FAMILIES_SELECT_SLICE_HPP_
