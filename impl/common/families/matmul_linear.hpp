// SPDX-License-Identifier: BSD-3-Clause
// The operands of torch.nn.functional.linear, and its gradients.
#ifndef IMPL_COMMON_FAMILIES_MATMUL_LINEAR_HPP_
#define IMPL_COMMON_FAMILIES_MATMUL_LINEAR_HPP_

#include "impl/common/engine/reduce.hpp"
#include "impl/common/families/matmul_operands.hpp"

namespace impl::DIOPI_VENDOR {

struct LinearOperands {
  const TensorView* input;   // [lead..., rows, in]
  const TensorView* weight;  // [out, in]
  bool vector_input, vector_weight;
};

// Reads the operands; a vector becomes one row.
inline Status read_operands(TensorView* input, TensorView* weight, LinearOperands* l) {
  DIOPI_TRY(require_room_for_dim(*input));
  *l = {input, weight, input->ndim() == 1, weight->ndim() == 1};
  if (l->vector_input) *input = input->unsqueeze(0);
  if (l->vector_weight) *weight = weight->unsqueeze(0);
  return diopiSuccess;
}

// Views a result or its gradient as [lead..., rows, out].
inline TensorView as_matrices(const TensorView& out, const LinearOperands& l) {
  const TensorView matrix = l.vector_weight ? out.unsqueeze(out.ndim()) : out;
  return l.vector_input ? matrix.unsqueeze(0) : matrix;
}

// Expands `matrix` to the batches of `like`.
inline TensorView shared_matrix(const TensorView& matrix, const TensorView& like) {
  Dims batch = like.shape;
  batch.n -= 2;
  return expand_batch(matrix, batch);
}

// Merges all dimensions except the last.
inline Status as_rows(diopiContextHandle_t ctx, const TensorView& view, TensorView* rows) {
  return merge_dims(ctx, view, 0, view.ndim() - 2, rows);
}

// The bias may have any shape that broadcasts to the result: its gradient is the sum over the dimensions in which the
// two shapes differ.
inline Status sum_to_bias(diopiContextHandle_t ctx, TensorView bias, const TensorView& result) {
  uint32_t mask = 0;
  while (bias.ndim() < result.ndim()) bias = bias.unsqueeze(0);
  for (int dim = 0; dim < result.ndim(); ++dim) {
    if (bias.shape[dim] != result.shape[dim]) mask |= 1u << dim;
  }
  return run_reduce(ctx, ReduceOp::kSum, bias, result, mask, diopi::compute_dtype(result.dtype));
}

// grad_output^T @ conj(input), both as matrices of rows.
inline Status weight_gradient(diopiContextHandle_t ctx, const TensorView& out, const TensorView& grad_output,
                              const LinearOperands& l) {
  MatmulOptions options;
  TensorView grads, inputs;
  DIOPI_TRY(as_rows(ctx, grad_output, &grads));
  DIOPI_TRY(as_rows(ctx, *l.input, &inputs));
  options.conj_b = true;
  return run_matmul(ctx, l.vector_weight ? out.unsqueeze(0) : out, transposed(grads), inputs, options);
}

// grad_output @ conj(weight).
inline Status input_gradient(diopiContextHandle_t ctx, const TensorView& out, const TensorView& grad_output,
                             const LinearOperands& l) {
  MatmulOptions options;
  options.conj_b = true;
  const TensorView weights = shared_matrix(*l.weight, *l.input);
  return run_matmul(ctx, l.vector_input ? out.unsqueeze(0) : out, grad_output, weights, options);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_MATMUL_LINEAR_HPP_
