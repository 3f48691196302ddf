// SPDX-License-Identifier: BSD-3-Clause
// Functions shared by the matmul family: checks of operands and factors.
#ifndef IMPL_CPU_FUNCTIONS_MATMUL_HPP_
#define IMPL_CPU_FUNCTIONS_MATMUL_HPP_

#include <diopi/functions.h>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/matmul/matmul.hpp"

namespace impl::cpu {

// Requires a dtype that has products: integers, floating point, complex64 or complex128.
Status require_matmul_dtype(const TensorView& view);
// Requires that both operands have the same dtype, as PyTorch does.
Status require_dtype_of(const TensorView& view, const TensorView& like);
Status require_ndim(const TensorView& view, int ndim);
// Requires that b has as many rows as a has columns. Both have at least two dimensions.
Status require_inner(const TensorView& a, const TensorView& b);

// Requires a dtype for which gradients exist: floating point or complex.
Status require_differentiable(const TensorView& view);
// Merges dimensions first..last into one: a view if the strides allow it, otherwise a copy.
Status merge_dims(diopiContextHandle_t ctx, const TensorView& view, int first, int last, TensorView* merged);

// The operands of torch.matmul as batches of matrices, before the batches are broadcast.
struct MatmulShape {
  TensorView a, b;  // a vector is a matrix of one row (a) or one column (b)
  bool a_is_vector = false, b_is_vector = false;
  diopi::Dims batch, out_shape;
};
Status resolve_matmul(diopiConstTensorHandle_t input, diopiConstTensorHandle_t other, MatmulShape* m);
// Inserts the dimensions of extent 1 that vectors omit into a tensor of m.out_shape.
TensorView as_matmul_result(const TensorView& out, const MatmulShape& m);
// Keeps the last two dimensions, and expands the dimensions before them to `batch`.
TensorView expand_batch(const TensorView& view, const diopi::Dims& batch);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FUNCTIONS_MATMUL_HPP_
