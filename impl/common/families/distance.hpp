// SPDX-License-Identifier: BSD-3-Clause
// Distances between the rows of two batches of matrices. impl/<vendor>/functions/distance.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_DISTANCE_HPP_
#define IMPL_COMMON_FAMILIES_DISTANCE_HPP_

#include "arguments/distance.hpp"
#include "impl/common/engine/distance.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;

// The shape [batch..., rows, columns], where the batch is the broadcast batch of `a` and `b`.
inline Status batched_shape(const TensorView& a, const TensorView& b, int64_t rows, int64_t columns, Dims* shape) {
  TensorView other = b;
  other.shape.n -= 2;
  DIOPI_TRY(diopi::broadcast_shapes(diopi::part_of(a.shape, 0, -2), "the batch of input1", other, shape));
  DIOPI_REQUIRE(shape->n + 2 <= diopi::kMaxDims, diopiErrorOccurred,
                "input1 and input2 make a result of %d dimensions; at most %d are supported", shape->n + 2,
                diopi::kMaxDims);
  shape->push_back(rows);
  shape->push_back(columns);
  return diopiSuccess;
}

// `view` expanded to the batch dimensions of `like`.
inline TensorView with_batch_of(const TensorView& view, const Dims& like) {
  Dims shape = like;
  shape[like.n - 2] = view.shape[view.ndim() - 2];
  shape[like.n - 1] = view.shape[view.ndim() - 1];
  return view.expand(shape);
}

inline int64_t rows_of(const TensorView& view) { return view.shape[view.ndim() - 2]; }
inline int64_t columns_of(const TensorView& view) { return view.shape[view.ndim() - 1]; }

inline Status run(diopiContextHandle_t ctx, diopi::CdistArgs& args) {
  const TensorView &a = args.input1, &b = args.input2;
  Dims shape;
  DIOPI_TRY(batched_shape(a, b, rows_of(a), rows_of(b), &shape));
  DIOPI_TRY(diopi::require_result_shape(&args.out, shape));
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.out.numel == 0) return diopiSuccess;
  constexpr int64_t kManyRows = 25;  // PyTorch computes products for more rows, unless compute_mode says otherwise
  const int64_t mode = args.compute_mode != nullptr ? *args.compute_mode : 0;
  const bool by_products = mode == 1 || (mode == 0 && std::max(rows_of(a), rows_of(b)) > kManyRows);
  return run_cdist(ctx, args.out, with_batch_of(a, shape), with_batch_of(b, shape), args.p, by_products);
}

inline Status run(diopiContextHandle_t ctx, diopi::CdistBackwardArgs& args) {
  const TensorView &a = args.input1, &b = args.input2;
  Dims distances, shape;
  DIOPI_TRY(batched_shape(a, b, rows_of(a), rows_of(b), &distances));
  DIOPI_TRY(diopi::require_result_shape(&args.grad_output, distances));
  DIOPI_TRY(diopi::require_shape(args.cdist, distances));
  DIOPI_TRY(batched_shape(a, b, rows_of(a), columns_of(a), &shape));
  DIOPI_TRY(diopi::require_result_shape(&args.grad_input, shape));
  DIOPI_TRY(diopi::require_writable(args.grad_input));
  if (args.grad_input.numel == 0) return diopiSuccess;
  return run_cdist_backward(ctx, args.grad_input, args.grad_output, with_batch_of(a, shape), with_batch_of(b, shape),
                            args.cdist, args.p);
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/distance.hpp"

#endif  // IMPL_COMMON_FAMILIES_DISTANCE_HPP_
