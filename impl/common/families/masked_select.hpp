// SPDX-License-Identifier: BSD-3-Clause
// Selects elements by a mask, and finds the elements that are not zero. impl/<vendor>/functions/masked_select.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_MASKED_SELECT_HPP_
#define IMPL_COMMON_FAMILIES_MASKED_SELECT_HPP_

#include "arguments/masked_select.hpp"
#include "impl/common/engine/index.hpp"
#include "impl/common/families/masked_select_unique.hpp"
#include "impl/common/families/overlap.hpp"
#include "impl/common/families/returned_tensor.hpp"

namespace impl::DIOPI_VENDOR {

inline Status run(diopiContextHandle_t ctx, diopi::NonzeroArgs& args) {
  TrueElements found;
  DIOPI_TRY(find_true(ctx, args.input, &found));
  diopi::Dims shape;
  shape.push_back(found.count);
  shape.push_back(args.input.ndim());
  return return_tensor(ctx, shape, diopi_dtype_int64, args.out,
                       [&](const TensorView& out) { return true_coordinates(ctx, out, found); });
}

inline Status run(diopiContextHandle_t ctx, diopi::MaskedSelectArgs& args) {
  TrueElements found;
  DIOPI_TRY(find_true(ctx, args.mask.expand(args.broadcast), &found));
  diopi::Dims shape;
  shape.push_back(found.count);
  const TensorView in = args.input.expand(args.broadcast);
  return return_tensor(ctx, shape, in.dtype, args.out,
                       [&](const TensorView& out) { return gather_true(ctx, out, in, found); });
}

inline Status run(diopiContextHandle_t ctx, diopi::MaskedSelectBackwardArgs& args) {
  const TensorView& out = args.grad_input;
  TensorView grad = args.grad_output, mask = args.mask;
  diopi::Dims shape, length;
  DIOPI_TRY(diopi::broadcast_shapes(out, mask, &shape));
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &mask));
  TrueElements found;
  DIOPI_TRY(find_true(ctx, mask.expand(shape), &found));
  length.push_back(found.count);
  DIOPI_TRY(diopi::require_shape(grad, length));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &grad));
  return add_true(ctx, out, grad, found);
}

// The slices of the outermost dimensions that hold the first `count` elements of a tensor in row-major order: fewer
// than 2 * count elements, or none.
inline TensorView leading_slices(TensorView view, int64_t count) {
  if (view.ndim() == 0 || view.numel == 0) return view;
  int64_t each = view.numel / view.shape[0];
  while (view.ndim() > 1 && count <= each) {
    view = view.select(0, 0);
    each = view.numel / view.shape[0];
  }
  return view.narrow(0, 0, count / each + (count % each != 0 ? 1 : 0));
}

// The first `count` elements of a tensor in row-major order, in one dimension.
inline Status first_elements(diopiContextHandle_t ctx, const TensorView& out, int64_t count, TensorView* source) {
  *source = leading_slices(*source, count);
  if (!source->is_contiguous()) {
    DIOPI_TRY(replace_by_copy(ctx, source));
  } else {
    DIOPI_TRY(replace_if_overlapping(ctx, out, source));
  }
  source->shape = source->stride = diopi::Dims();
  source->shape.push_back(count);
  source->stride.push_back(1);
  source->numel = count;
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::MaskedScatterArgs& args) {
  TensorView &out = args.out, &source = args.source;
  diopi::Dims shape;
  DIOPI_TRY(diopi::broadcast_shapes(args.input, args.mask, &shape));
  DIOPI_TRY(diopi::require_result_shape(&out, shape));
  DIOPI_TRY(diopi::require_writable(out));
  TensorView mask = args.mask.expand(shape), in = args.input.expand(shape);
  for (TensorView* view : {&out, &mask, &in}) {
    if (view->ndim() == 0) *view = view->unsqueeze(0);
  }
  DIOPI_TRY(replace_if_overlapping(ctx, out, &mask));
  diopi::AdvancedIndex places(out);
  DIOPI_TRY(places.add(&mask));
  TrueElements& found = places.begin()->found;
  DIOPI_TRY(find_true(ctx, mask, &found));
  DIOPI_REQUIRE(source.numel >= found.count, diopiErrorOccurred,
                "source of shape %s has %lld elements, expected at least %lld for the true elements of mask",
                diopi::Text(source.shape).c_str(), static_cast<long long>(source.numel),
                static_cast<long long>(found.count));
  DIOPI_TRY(places.broadcast());
  DIOPI_TRY(first_elements(ctx, out, found.count, &source));
  const ScatterBase base = diopi::is_same_view(out, in) ? ScatterBase::kept() : ScatterBase::copy_of(in);
  return scatter(ctx, ScatterOp::kReplace, out, base, source, places);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/masked_select.hpp"

#endif  // IMPL_COMMON_FAMILIES_MASKED_SELECT_HPP_
