// SPDX-License-Identifier: BSD-3-Clause
// The operands of torch.matmul as batches of matrices, and products that are summed over batches.
#ifndef IMPL_COMMON_FAMILIES_MATMUL_OPERANDS_HPP_
#define IMPL_COMMON_FAMILIES_MATMUL_OPERANDS_HPP_

#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/matmul.hpp"
#include "impl/common/rules/results.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Dims;

inline TensorView transposed(const TensorView& view) { return view.transposed(view.ndim() - 2, view.ndim() - 1); }

// Keeps the last two dimensions, and expands the dimensions before them to `batch`.
inline TensorView expand_batch(const TensorView& view, const Dims& batch) {
  Dims shape = batch;
  shape.push_back(view.shape[view.ndim() - 2]);
  shape.push_back(view.shape[view.ndim() - 1]);
  return view.expand(shape);
}

// Requires that a batch of matrices can have one dimension more than the tensor.
inline Status require_room_for_dim(const TensorView& view) {
  DIOPI_REQUIRE(view.ndim() < diopi::kMaxDims, diopiErrorOccurred, "%s has %d dimensions; at most %d are supported",
                view.name, view.ndim(), diopi::kMaxDims - 1);
  return diopiSuccess;
}

// The operands before the batches are broadcast. A vector is a matrix of one row (a) or one column (b).
struct MatmulOperands {
  TensorView a, b;
  bool a_is_vector, b_is_vector;
  Dims batch;  // the broadcast batch
};

inline Status read_operands(const TensorView& input, const TensorView& other, MatmulOperands* m) {
  DIOPI_TRY(require_room_for_dim(input));
  DIOPI_TRY(require_room_for_dim(other));
  m->a_is_vector = input.ndim() == 1;
  m->b_is_vector = other.ndim() == 1;
  m->a = m->a_is_vector ? input.unsqueeze(0) : input;
  m->b = m->b_is_vector ? other.unsqueeze(1) : other;
  m->batch = diopi::matmul_shape(m->a.shape, m->b.shape);
  m->batch.n -= 2;
  return diopiSuccess;
}

// Inserts the dimensions of extent 1 that vectors omit into a result or its gradient.
inline TensorView as_matrices(const TensorView& out, const MatmulOperands& m) {
  TensorView matrix = out;
  if (m.b_is_vector) matrix = matrix.unsqueeze(matrix.ndim());
  if (m.a_is_vector) matrix = matrix.unsqueeze(matrix.ndim() - 1);
  return matrix;
}

// Merges dimensions first..last into one: a view if the strides allow it, otherwise a copy.
inline Status merge_dims(diopiContextHandle_t ctx, const TensorView& view, int first, int last, TensorView* merged) {
  TensorView source = view;
  int64_t extent = view.shape[last];
  bool mergeable = true;
  for (int dim = last - 1; dim >= first; --dim) {
    mergeable = mergeable && (view.shape[dim] == 1 || view.stride[dim] == view.stride[last] * extent);
    extent *= view.shape[dim];
  }
  if (!mergeable && view.numel > 0) {
    DIOPI_TRY(diopi::make_temporary(ctx, view.shape, view.dtype, view.name, &source));
    DIOPI_TRY(copy(ctx, source, view));
  }
  TensorView result = source;
  result.shape.n = result.stride.n = 0;
  for (int dim = 0; dim < source.ndim(); ++dim) {
    if (dim >= first && dim < last) continue;
    result.shape.push_back(dim == last ? extent : source.shape[dim]);
    result.stride.push_back(source.stride[dim]);
  }
  *merged = result;
  return diopiSuccess;
}

// The dimensions of `batch` over which a gradient of shape [..., rows, columns] is summed.
inline uint32_t summed_dims(const TensorView& grad, const Dims& batch) {
  uint32_t mask = 0;
  const int lead = batch.n - (grad.ndim() - 2);
  for (int dim = 0; dim < batch.n; ++dim) {
    if (dim < lead || grad.shape[dim - lead] != batch[dim]) mask |= 1u << dim;
  }
  return mask;
}

// Moves the dimensions of `mask` in front of dimension `ndim - from_end`, and merges them with it.
inline Status merge_summed(diopiContextHandle_t ctx, const TensorView& view, uint32_t mask, int from_end,
                           TensorView* merged) {
  TensorView moved = view;
  moved.shape.n = moved.stride.n = 0;
  const auto take = [&](int dim) {
    moved.shape.push_back(view.shape[dim]);
    moved.stride.push_back(view.stride[dim]);
  };
  const int anchor = view.ndim() - from_end;  // the dimension with which the summed dimensions are merged
  int first = 0;
  for (int dim = 0; dim < view.ndim(); ++dim) {
    if (dim == anchor) {
      first = moved.ndim();
      for (int i = 0; i < view.ndim() - 2; ++i) {
        if ((mask >> i & 1) != 0) take(i);
      }
    }
    if (dim >= view.ndim() - 2 || (mask >> dim & 1) == 0) take(dim);
  }
  return merge_dims(ctx, moved, first, first + __builtin_popcount(mask), merged);
}

// Computes out = sum of a @ b over those dimensions of `batch` that `out` lacks: they become a part of the inner
// dimension of the product.
inline Status summed_matmul(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
                            const Dims& batch, const MatmulOptions& options) {
  TensorView left, right, result = out;
  const uint32_t mask = summed_dims(out, batch);
  DIOPI_TRY(merge_summed(ctx, expand_batch(a, batch), mask, 1, &left));
  DIOPI_TRY(merge_summed(ctx, expand_batch(b, batch), mask, 2, &right));
  result.shape.n = result.stride.n = 0;
  const int lead = batch.n - (out.ndim() - 2);
  for (int dim = 0; dim < batch.n + 2; ++dim) {
    if (dim < batch.n && (mask >> dim & 1) != 0) continue;
    result.shape.push_back(out.shape[dim - lead]);
    result.stride.push_back(out.stride[dim - lead]);
  }
  return run_matmul(ctx, result, left, right, options);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_MATMUL_OPERANDS_HPP_
