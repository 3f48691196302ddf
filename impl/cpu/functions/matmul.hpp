// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the matmul family share: checks of operands and factors.
#pragma once

#include <diopi/functions.h>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/kernels/gemm.hpp"

namespace impl::cpu {

// The dtype must be one that has products: integers, floating point, complex64 and complex128.
Status require_product_dtype(const TensorView& view);
// PyTorch multiplies operands of one dtype only.
Status require_dtype_of(const TensorView& view, const TensorView& like);
Status require_ndim(const TensorView& view, int ndim);
// b's rows must be as many as a's columns; both have at least two dimensions.
Status require_inner(const TensorView& a, const TensorView& b);

// Gradients exist for floating point and complex operands.
Status require_differentiable(const TensorView& view);
// Dimensions first..last as one, of the extent of all: a view where the strides allow it, else a copy.
Status merge_dims(diopiContextHandle_t ctx, const TensorView& view, int first, int last, TensorView* merged);

// The operands of torch.matmul as batches of matrices, before their batches are broadcast.
struct MatmulShape {
  TensorView a, b;  // vectors have become matrices of one row (a) or one column (b)
  bool a_is_vector = false, b_is_vector = false;
  diopi::Dims batch, out_shape;
};
Status resolve_matmul(diopiConstTensorHandle_t input, diopiConstTensorHandle_t other, MatmulShape* m);
// A tensor of m.out_shape with the dimensions of extent 1 that vectors leave out.
TensorView as_matmul_result(const TensorView& out, const MatmulShape& m);
// The last two dimensions stay, those before become `batch`.
TensorView expand_batch(const TensorView& view, const diopi::Dims& batch);

}  // namespace impl::cpu
