// SPDX-License-Identifier: BSD-3-Clause
// Matrices of compressed sparse rows.
#ifndef IMPL_COMMON_CSR_VIEW_HPP_
#define IMPL_COMMON_CSR_VIEW_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// A sparse matrix: shape and dtype as a dense matrix has them, without data, and its three parts. The entries of row i
// are those from row_pointers[i] to below row_pointers[i + 1].
struct CsrView : TensorView {
  TensorView row_pointers, columns, values;
};

// Reads a sparse matrix. The parts fit each other; their elements are not read. A dense tensor is refused with
// diopiNoImplement.
Status read_csr(diopiConstTensorHandle_t handle, const char* name, CsrView* view);
// read_tensor() for the dense operands of functions with sparse matrices: a sparse tensor is refused with
// diopiNoImplement.
Status read_dense(diopiConstTensorHandle_t handle, const char* name, TensorView* view);

}  // namespace diopi

#endif  // IMPL_COMMON_CSR_VIEW_HPP_
