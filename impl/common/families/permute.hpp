// SPDX-License-Identifier: BSD-3-Clause
// Rearrangements of elements: each is a copy of views with other strides. impl/<vendor>/functions/permute.cpp includes
// this file.
#ifndef IMPL_COMMON_FAMILIES_PERMUTE_HPP_
#define IMPL_COMMON_FAMILIES_PERMUTE_HPP_

#include "arguments/permute.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/families/overlap.hpp"
#include "impl/common/families/permute_pad.hpp"
#include "impl/common/families/permute_roll.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;
using diopi::Text;

// Copies the elements of `view`, which has the shape of the result.
inline Status rearrange(diopiContextHandle_t ctx, TensorView* out, const TensorView& view) {
  DIOPI_TRY(diopi::require_result_shape(out, view.shape));
  DIOPI_TRY(diopi::require_writable(*out));
  return copy(ctx, *out, view);
}

inline Status run(diopiContextHandle_t ctx, diopi::PermuteArgs& args) {
  const TensorView& from = args.input;
  TensorView view = from;
  for (int i = 0; i < from.ndim(); ++i) {
    int axis = 0;
    DIOPI_TRY(diopi::wrap_dim(args.dims.data[i], from, "dims", &axis));
    view.shape[i] = from.shape[axis];
    view.stride[i] = from.stride[axis];
  }
  return rearrange(ctx, &args.out, view);
}

inline Status run(diopiContextHandle_t ctx, diopi::TransposeArgs& args) {
  TensorView view = args.input;
  if (view.ndim() > 0) view = view.transposed(static_cast<int>(args.dim0), static_cast<int>(args.dim1));
  return rearrange(ctx, &args.out, view);
}

inline Status run(diopiContextHandle_t ctx, diopi::ExpandArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  return copy(ctx, args.out, args.input);
}

inline Status run(diopiContextHandle_t ctx, diopi::FlipArgs& args) {
  TensorView view = args.input;
  // An empty list flips nothing; for reductions it would mean all dimensions.
  uint32_t mask = 0;
  if (args.dims.len > 0) DIOPI_TRY(diopi::read_axes(args.dims, view, "dims", &mask));
  for (int i = 0; i < view.ndim() && view.numel > 0; ++i) {
    if ((mask >> i & 1) == 0) continue;
    view.data += (view.shape[i] - 1) * view.stride[i] * view.itemsize();
    view.stride[i] = -view.stride[i];
  }
  DIOPI_TRY(diopi::require_writable(args.out));
  return copy(ctx, args.out, view);
}

// The memory and the dtype of a tensor.
inline TensorView without_shape(const TensorView& of) {
  TensorView view;
  view.data = of.data;
  view.name = of.name;
  view.dtype = of.dtype;
  return view;
}

inline void push_back(TensorView* view, int64_t extent, int64_t stride) {
  view->shape.push_back(extent);
  view->stride.push_back(stride);
}

// Copies `in`, which has the rank of `out`, `repeats` times along each dimension. The two do not overlap. A repeated
// dimension becomes two: the repetitions, in which the input has stride 0, and the extent. If these are too many for a
// view, the repetitions of one dimension are copied one after another.
inline Status copy_repeated(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, Dims repeats) {
  int pairs = 0, first = -1;
  for (int i = 0; i < out.ndim(); ++i) {
    if (repeats[i] == 1 || in.shape[i] == 1) continue;
    if (first < 0) first = i;
    ++pairs;
  }
  if (out.ndim() + pairs > diopi::kMaxDims) {
    const int64_t times = repeats[first], extent = in.shape[first];
    repeats[first] = 1;
    for (int64_t k = 0; k < times; ++k) {
      DIOPI_TRY(copy_repeated(ctx, out.narrow(first, k * extent, extent), in, repeats));
    }
    return diopiSuccess;
  }
  TensorView to = without_shape(out), from = without_shape(in);
  to.numel = from.numel = out.numel;
  for (int i = 0; i < out.ndim(); ++i) {
    const int64_t extent = in.shape[i];
    if (repeats[i] != 1) {
      push_back(&to, repeats[i], extent * out.stride[i]);
      push_back(&from, repeats[i], 0);
    }
    if (repeats[i] == 1 || extent != 1) {
      push_back(&to, extent, out.stride[i]);
      push_back(&from, extent, in.stride[i]);
    }
  }
  return copy_apart(ctx, to, from);
}

inline Status run(diopiContextHandle_t ctx, diopi::RepeatArgs& args) {
  TensorView& from = args.input;
  DIOPI_TRY(diopi::require_length("repeats_size", args.repeats_size.len, diopi::Between{0, diopi::kMaxDims}));
  const Dims repeats(args.repeats_size);
  while (from.ndim() < repeats.n) from = from.unsqueeze(0);
  Dims expected;
  for (int i = 0; i < repeats.n; ++i) {
    int64_t extent = 0;
    DIOPI_REQUIRE(diopi::mul_sizes(repeats[i], from.shape[i], &extent), diopiErrorOccurred,
                  "repeats_size = %s makes dimension %d of input of shape %s longer than 2^63", Text(repeats).c_str(),
                  i, Text(from.shape).c_str());
    expected.push_back(extent);
  }
  DIOPI_TRY(diopi::require_result_shape(&args.out, expected));
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.out.numel == 0) return diopiSuccess;
  DIOPI_TRY(replace_if_overlapping(ctx, args.out, &from));
  return copy_repeated(ctx, args.out, from, repeats);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/permute.hpp"

#endif  // IMPL_COMMON_FAMILIES_PERMUTE_HPP_
