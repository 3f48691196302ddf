// SPDX-License-Identifier: BSD-3-Clause
// QR decompositions of large column-major matrices of float and double numbers. LAPACK makes the reflections of a block
// of columns; matrix products on all threads apply them to the columns that follow. The bits of a result do not depend
// on the number of threads.
#ifndef IMPL_CPU_LINALG_QR_BLOCKED_HPP_
#define IMPL_CPU_LINALG_QR_BLOCKED_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// A matrix of `rows` rows without gaps, and memory of blocked_qr_work() elements, in which the first function leaves
// what the second one reads.
struct BlockedQr {
  void* data;
  int64_t rows, columns;
  void* work;
  int64_t threads;  // the most threads that compute
};

// Whether these functions take less time than LAPACK's for such a matrix.
bool is_for_blocked_qr(diopiDtype_t dtype, int64_t rows, int64_t columns);
// The elements of `work`. `q_columns`: of the Q that is computed; 0 if none is.
int64_t blocked_qr_work(int64_t rows, int64_t columns, int64_t q_columns, int64_t threads);

// Replaces the matrix by its reflections, below the diagonal, and R.
using BlockedQrFn = void (*)(const BlockedQr& matrix);
BlockedQrFn blocked_qr_kernel(diopiDtype_t dtype);
// q = the first `q_columns` columns of Q, column-major without gaps, of the matrix that the function above has
// replaced.
using BlockedQrProductFn = void (*)(const BlockedQr& matrix, void* q, int64_t q_columns);
BlockedQrProductFn blocked_qr_product_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LINALG_QR_BLOCKED_HPP_
