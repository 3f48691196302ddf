// SPDX-License-Identifier: BSD-3-Clause
// Functions of LAPACK and BLAS on row-major matrices, for float, double and complex numbers. Each call computes on one
// thread if the caller's OpenMP regions have one.
#ifndef IMPL_CPU_LINALG_LAPACK_HPP_
#define IMPL_CPU_LINALG_LAPACK_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// Factors a matrix in place, from and to its upper or lower triangle; its rows begin `step` elements apart. Returns 0,
// or the order of the first leading minor that is not positive.
using CholeskyFn = int (*)(void* matrix, int64_t n, int64_t step, bool upper);
CholeskyFn cholesky_kernel(diopiDtype_t dtype);

// A product with the triangle of a matrix, or with its inverse.
struct TriangularProduct {
  bool upper, transpose, conjugate, unit_diagonal;
  bool right;  // the matrix is the right factor
};
// Some columns of a matrix, or some rows if the triangle is the right factor: the others do not change them.
struct FactorPart {
  void* data;
  int64_t rows, columns, stride;  // elements from row to row
};
// x = op(a)^-1 x, or x op(a)^-1.
using SolveFn = void (*)(const TriangularProduct& how, const void* a, const FactorPart& x);
SolveFn solve_kernel(diopiDtype_t dtype);
// x = op(a) x, or x op(a).
SolveFn product_kernel(diopiDtype_t dtype);

// Replaces a lower triangle X by (X + X^H - diag(X)^H) / 2; with `upper`, the adjoint of an upper triangle is X.
using MatrixFn = void (*)(void* matrix, int64_t n);
MatrixFn adjoint_projection_kernel(diopiDtype_t dtype, bool upper);
// Clears the elements above the diagonal, or below it.
MatrixFn clear_kernel(diopiDtype_t dtype, bool above);
// Conjugates the elements.
MatrixFn conjugation_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LINALG_LAPACK_HPP_
