// SPDX-License-Identifier: BSD-3-Clause
// Advanced indexing, and selection by an index along one dimension. impl/<vendor>/functions/index.cpp includes this
// file.
#ifndef IMPL_COMMON_FAMILIES_INDEX_HPP_
#define IMPL_COMMON_FAMILIES_INDEX_HPP_

#include "arguments/index.hpp"
#include "impl/common/families/advanced_index.hpp"
#include "impl/common/families/overlap.hpp"
#include "impl/common/families/returned_tensor.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;

inline Status run(diopiContextHandle_t ctx, diopi::IndexArgs& args) {
  AdvancedIndex index(args.input);
  DIOPI_TRY(read_indices(ctx, args.indices, args.nums, &index));
  return return_tensor(ctx, index.shape(), args.input.dtype, args.out,
                       [&](const TensorView& out) { return gather(ctx, out, args.input, index); });
}

inline Status run(diopiContextHandle_t ctx, diopi::IndexBackwardArgs& args) {
  const TensorView& out = args.grad_input;
  TensorView& grad = args.grad_output;
  AdvancedIndex index(out);
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(read_indices(ctx, args.indices, args.nums, &index));
  DIOPI_TRY(diopi::require_result_shape(&grad, index.shape()));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &grad));
  return scatter(ctx, ScatterOp::kAdd, out, ScatterBase::copy_of(args.zeros_like_input), grad, index);
}

// Requires that `picked` has the shape of `whole` with the extent of `dim` replaced by the number of indices. Tensors
// without dimensions become lines of one element.
inline Status check_selection(TensorView* whole, TensorView* picked, int dim, TensorView* index) {
  DIOPI_REQUIRE(whole->ndim() > 0 || index->numel == 1, diopiErrorOccurred,
                "index has %lld elements, expected 1 for %s without dimensions", static_cast<long long>(index->numel),
                whole->name);
  Dims expected = whole->shape;
  if (whole->ndim() > 0) expected[dim] = index->numel;
  DIOPI_TRY(diopi::require_result_shape(picked, expected));
  for (TensorView* view : {whole, picked, index}) {
    if (view->ndim() == 0) *view = view->unsqueeze(0);
  }
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::IndexSelectArgs& args) {
  TensorView &in = args.input, &out = args.out, &index = args.index;
  const int dim = static_cast<int>(args.dim);
  DIOPI_TRY(check_selection(&in, &out, dim, &index));
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &in));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &index));
  return select(ctx, out, in, dim, index);
}

inline Status run(diopiContextHandle_t ctx, diopi::IndexSelectBackwardArgs& args) {
  TensorView &out = args.grad_input, &src = args.grad, &index = args.index;
  int dim = 0;
  DIOPI_TRY(diopi::wrap_dim(args.dim, out, "dim", &dim));
  DIOPI_TRY(check_selection(&out, &src, dim, &index));
  DIOPI_TRY(diopi::require_writable(out));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &src));
  DIOPI_TRY(replace_if_overlapping(ctx, out, &index));
  return add_selected(ctx, out, dim, src, index);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/index.hpp"

#endif  // IMPL_COMMON_FAMILIES_INDEX_HPP_
