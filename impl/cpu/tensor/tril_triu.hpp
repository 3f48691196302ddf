// SPDX-License-Identifier: BSD-3-Clause
// Triangular parts of matrices.
#ifndef IMPL_CPU_TENSOR_TRIL_TRIU_HPP_
#define IMPL_CPU_TENSOR_TRIL_TRIU_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

// Copies the elements of src on and to one side of a diagonal (`lower`: column <= row + diagonal, otherwise column >=
// row + diagonal); the other elements of dst become zero. The matrices are in the last two dimensions. dst and src have
// the same shape and dtype, and are the same view or do not overlap.
void copy_triangle(const diopi::TensorView& dst, const diopi::TensorView& src, bool lower, int64_t diagonal);

}  // namespace impl::cpu

#endif  // IMPL_CPU_TENSOR_TRIL_TRIU_HPP_
