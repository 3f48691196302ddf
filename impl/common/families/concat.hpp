// SPDX-License-Identifier: BSD-3-Clause
// Joins tensors along a dimension, and splits a tensor. impl/<vendor>/functions/concat.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_CONCAT_HPP_
#define IMPL_COMMON_FAMILIES_CONCAT_HPP_

#include "arguments/concat.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;
using diopi::Text;
using diopi::ViewList;

// As in PyTorch, a one-dimensional empty tensor can be joined with any other.
inline bool is_skipped(const TensorView& view) { return view.ndim() == 1 && view.shape[0] == 0; }

// Checks that the tensors fit into `out` one after another along `dim`.
inline Status require_joinable(const ViewList& tensors, const TensorView& out, int dim) {
  int64_t total = 0;
  bool any = false;  // a tensor that is not skipped
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const TensorView& view = tensors[i];
    if (is_skipped(view)) continue;
    any = true;
    bool fits = view.ndim() == out.ndim();
    for (int d = 0; fits && d < out.ndim(); ++d) fits = d == dim || view.shape[d] == out.shape[d];
    DIOPI_REQUIRE(fits, diopiErrorOccurred,
                  "tensors[%lld] has shape %s, which does not match out of shape %s outside of dimension %d",
                  static_cast<long long>(i), Text(view.shape).c_str(), Text(out.shape).c_str(), dim);
    DIOPI_REQUIRE(diopi::add_sizes(total, view.shape[dim], &total), diopiErrorOccurred,
                  "tensors have more than 2^63 entries in dimension %d together", dim);
  }
  DIOPI_REQUIRE(any || is_skipped(out), diopiErrorOccurred, "out has shape %s, expected [0] for tensors of shape [0]",
                Text(out.shape).c_str());
  DIOPI_REQUIRE(total == out.shape[dim], diopiErrorOccurred,
                "out has shape %s, but the tensors have %lld entries in dimension %d together", Text(out.shape).c_str(),
                static_cast<long long>(total), dim);
  return diopi::require_writable(out);
}

inline bool any_overlaps(const ViewList& views, const TensorView& other) {
  for (const TensorView& view : views) {
    if (diopi::may_overlap(view, other)) return true;
  }
  return false;
}

// take_entries() narrows a view to the `count` entries along `dim` from its pointer on, which have `numel` elements.
// pass_entries() moves the view behind these entries.
inline void take_entries(TensorView* view, int dim, int64_t count, int64_t numel) {
  view->shape[dim] = count;
  view->numel = numel;
}
inline void pass_entries(TensorView* view, int dim) {
  view->data += view->shape[dim] * view->stride[dim] * view->itemsize();
}

inline Status join(diopiContextHandle_t ctx, const ViewList& tensors, const TensorView& out, int dim) {
  DIOPI_TRY(require_joinable(tensors, out, dim));
  const bool overlap = any_overlaps(tensors, out);
  TensorView temporary;
  if (overlap) DIOPI_TRY(diopi::make_temporary(ctx, out.shape, out.dtype, out.name, &temporary));
  TensorView part = overlap ? temporary : out;
  ViewList parts;  // the part of the result that is each of the tensors
  DIOPI_TRY(parts.reserve(ctx, tensors.size()));
  for (int64_t i = 0; i < tensors.size(); ++i) {
    if (is_skipped(tensors[i])) continue;
    take_entries(&part, dim, tensors[i].shape[dim], tensors[i].numel);
    parts[i] = part;
    pass_entries(&part, dim);
  }
  DIOPI_TRY(copy_all_apart(ctx, parts, tensors));
  return overlap ? copy_apart(ctx, out, temporary) : Status(diopiSuccess);
}

inline Status run(diopiContextHandle_t ctx, diopi::CatArgs& args) {
  return join(ctx, args.tensors, args.out, static_cast<int>(args.dim));
}

inline Status run(diopiContextHandle_t ctx, diopi::StackArgs& args) {
  const Dims shape = args.tensors[0].shape;
  DIOPI_REQUIRE(args.out.ndim() == shape.n + 1, diopiErrorOccurred,
                "out has shape %s, expected one dimension more than tensors[0] of shape %s",
                Text(args.out.shape).c_str(), Text(shape).c_str());
  const int dim = static_cast<int>(args.dim);
  for (int64_t i = 0; i < args.tensors.size(); ++i) args.tensors[i] = args.tensors[i].unsqueeze(dim);
  return join(ctx, args.tensors, args.out, dim);
}

inline Status run(diopiContextHandle_t ctx, diopi::SplitWithSizesArgs& args) {
  TensorView& from = args.input;
  const int dim = static_cast<int>(args.dim);
  const int64_t* const sizes = args.splitSizes.data;
  for (int64_t i = 0; i < args.outs.size(); ++i) {
    const TensorView& out = args.outs[i];
    Dims expected = from.shape;
    expected[dim] = sizes[i];
    DIOPI_REQUIRE(out.shape == expected, diopiErrorOccurred, "outs[%lld] has shape %s, expected %s",
                  static_cast<long long>(i), Text(out.shape).c_str(), Text(expected).c_str());
    DIOPI_TRY(diopi::require_writable(out));
  }
  if (any_overlaps(args.outs, from)) DIOPI_TRY(replace_by_copy(ctx, &from));
  ViewList parts;
  DIOPI_TRY(parts.reserve(ctx, args.outs.size()));
  for (int64_t i = 0; i < args.outs.size(); ++i) {
    take_entries(&from, dim, args.outs[i].shape[dim], args.outs[i].numel);
    parts[i] = from;
    pass_entries(&from, dim);
  }
  return copy_all_apart(ctx, args.outs, parts);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/concat.hpp"

#endif  // IMPL_COMMON_FAMILIES_CONCAT_HPP_
