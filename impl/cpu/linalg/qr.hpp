// SPDX-License-Identifier: BSD-3-Clause
// LAPACK's QR decomposition of column-major matrices of float, double and complex numbers. Each call computes on one
// thread if the caller's OpenMP regions have one.
#ifndef IMPL_CPU_LINALG_QR_HPP_
#define IMPL_CPU_LINALG_QR_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// A matrix of `rows` rows without gaps; the memory for the decomposition: `factors` has an element for each of the
// min(rows, columns) reflections, `work` qr_work() elements.
struct QrMatrix {
  void* data;
  int64_t rows, columns;
  void *factors, *work;
  int64_t work_length;
};

// Replaces a matrix by its reflections, below the diagonal, and R.
using QrFn = void (*)(const QrMatrix& matrix);
QrFn qr_kernel(diopiDtype_t dtype);
// Replaces the first `reflections` columns, which have reflections, and the others by the columns of Q.
using QrProductFn = void (*)(const QrMatrix& matrix, int64_t reflections);
QrProductFn qr_product_kernel(diopiDtype_t dtype);
// The elements of `work` for matrices of at most so many columns.
int64_t qr_work(int64_t columns);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LINALG_QR_HPP_
