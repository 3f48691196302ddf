// SPDX-License-Identifier: BSD-3-Clause
// Sort, Argsort, Topk and the gradient of a sort. impl/<vendor>/functions/sort.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_SORT_HPP_
#define IMPL_COMMON_FAMILIES_SORT_HPP_

#include "arguments/sort.hpp"
#include "impl/common/engine/index.hpp"
#include "impl/common/engine/sort.hpp"

namespace impl::DIOPI_VENDOR {

// The outputs must not share memory with the input; but `values` may be the input itself.
inline Status require_sort_memory(const TensorView* values, const TensorView& indices, const TensorView& in) {
  DIOPI_TRY(diopi::require_writable(indices));
  DIOPI_REQUIRE(!diopi::may_overlap(indices, in), diopiErrorOccurred, "%s shares memory with input", indices.name);
  if (values == nullptr) return diopiSuccess;
  DIOPI_TRY(diopi::require_writable(*values));
  DIOPI_REQUIRE(!diopi::may_overlap(*values, indices), diopiErrorOccurred, "values shares memory with indices");
  DIOPI_REQUIRE(!diopi::may_overlap(*values, in) || diopi::is_same_view(*values, in), diopiErrorOccurred,
                "values overlaps input partly");
  return diopiSuccess;
}

// Writes the first `k` elements of each row. A 0-d input is one row of one element.
inline Status sort_first(diopiContextHandle_t ctx, TensorView* values, TensorView* indices, TensorView* in, int64_t dim,
                         int64_t k, bool descending) {
  diopi::Dims expected = in->shape;
  if (expected.n > 0) expected[static_cast<int>(dim)] = k;
  if (values != nullptr) DIOPI_TRY(diopi::require_result_shape(values, expected));
  DIOPI_TRY(diopi::require_result_shape(indices, expected));
  DIOPI_TRY(require_sort_memory(values, *indices, *in));
  if (indices->numel == 0) return diopiSuccess;
  for (TensorView* view : {values, indices, in}) {
    if (view != nullptr && view->ndim() == 0) *view = view->unsqueeze(0);
  }
  return run_sort(ctx, values, *indices, *in, static_cast<int>(dim), descending);
}

inline Status run(diopiContextHandle_t ctx, diopi::SortArgs& args) {
  const int64_t n = diopi::extent_along(args.input, args.dim);
  return sort_first(ctx, &args.values, &args.indices, &args.input, args.dim, n, args.descending);
}

inline Status run(diopiContextHandle_t ctx, diopi::TopkArgs& args) {
  return sort_first(ctx, &args.values, &args.indices, &args.input, args.dim, args.k, args.largest);
}

inline Status run(diopiContextHandle_t ctx, diopi::ArgsortArgs& args) {
  int64_t dim = 0;
  DIOPI_TRY(diopi::wrap_dim(args.dim != nullptr ? *args.dim : -1, args.input, "dim", &dim));
  const int64_t n = diopi::extent_along(args.input, dim);
  // The reader makes these checks only if the caller gives `dim`.
  DIOPI_TRY(diopi::require_fits_index(args.out, n));
  if (args.input.itemsize() < 8) DIOPI_TRY(diopi::require_extent("input[-1]", n, diopi::Between{0, 0xFFFFFFFF}));
  return sort_first(ctx, nullptr, &args.out, &args.input, dim, n, args.descending);
}

inline Status run(diopiContextHandle_t ctx, diopi::SortBackwardArgs& args) {
  TensorView &out = args.grad_input, &grad = args.grad_output, &index = args.indices;
  diopi::drop_dim_of_number(&grad, out.shape);
  diopi::drop_dim_of_number(&index, out.shape);
  const int dim = static_cast<int>(args.dim);
  diopi::Dims rows = out.shape;
  if (rows.n > 0) rows[dim] = grad.ndim() == rows.n ? grad.shape[dim] : 0;
  DIOPI_TRY(diopi::require_shape(grad, rows));
  DIOPI_TRY(diopi::require_writable(out));
  for (const TensorView* view : {&grad, &index}) {
    DIOPI_REQUIRE(!diopi::may_overlap(out, *view), diopiErrorOccurred, "grad_input shares memory with %s", view->name);
  }
  for (TensorView* view : {&out, &grad, &index}) {
    if (view->ndim() == 0) *view = view->unsqueeze(0);
  }
  return scatter(ctx, ScatterOp::kReplace, out, ScatterBase::zeros(), dim, grad, index);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/sort.hpp"

#endif  // IMPL_COMMON_FAMILIES_SORT_HPP_
