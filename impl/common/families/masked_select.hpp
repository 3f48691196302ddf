// SPDX-License-Identifier: BSD-3-Clause
// Selects elements by a mask, and finds the elements that are not zero. impl/<vendor>/functions/masked_select.cpp
// includes this file.
#ifndef IMPL_COMMON_FAMILIES_MASKED_SELECT_HPP_
#define IMPL_COMMON_FAMILIES_MASKED_SELECT_HPP_

#include "arguments/masked_select.hpp"
#include "impl/common/engine/index.hpp"
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

}  // namespace impl::DIOPI_VENDOR

#include "functions/masked_select.hpp"

#endif  // IMPL_COMMON_FAMILIES_MASKED_SELECT_HPP_
