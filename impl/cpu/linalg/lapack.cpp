// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/linalg/lapack.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "impl/common/kernel_table.hpp"

// OpenBLAS has the functions of LAPACK, but its headers do not declare them.
extern "C" {
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void cpotrf_(const char* uplo, const int* n, void* a, const int* lda, int* info);
void zpotrf_(const char* uplo, const int* n, void* a, const int* lda, int* info);
}

namespace impl::cpu {

namespace {

using diopi::complex128;
using diopi::complex64;
using diopi::tagged;
using diopi::WideInexactTypes;

void potrf(const char* uplo, const int* n, float* a, const int* lda, int* info) { spotrf_(uplo, n, a, lda, info); }
void potrf(const char* uplo, const int* n, double* a, const int* lda, int* info) { dpotrf_(uplo, n, a, lda, info); }
void potrf(const char* uplo, const int* n, complex64* a, const int* lda, int* info) { cpotrf_(uplo, n, a, lda, info); }
void potrf(const char* uplo, const int* n, complex128* a, const int* lda, int* info) { zpotrf_(uplo, n, a, lda, info); }

// A call of LAPACK costs more than the factorisation of matrices of at most so many rows.
constexpr int64_t kSmallCholesky = 8;

// What factor() does, row by row of the lower factor.
template <typename T>
int factor_small(T* matrix, int64_t n, int64_t step, bool upper) {
  const int64_t row = upper ? 1 : step, column = upper ? step : 1;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      T rest = matrix[i * row + j * column];
      for (int64_t k = 0; k < j; ++k) rest -= matrix[i * row + k * column] * matrix[j * row + k * column];
      if (j == i && !(rest > T(0))) return static_cast<int>(i + 1);  // also for NaN
      matrix[i * row + j * column] = j == i ? std::sqrt(rest) : rest / matrix[j * row + j * column];
    }
  }
  return 0;
}

// LAPACK sees the transposed matrix, whose other triangle has the same numbers; that of a Hermitian matrix is
// conjugated, and so is its factor, so the transposed factor is the right one.
template <typename T>
int factor(void* matrix, int64_t n, int64_t step, bool upper) {
  if constexpr (std::is_floating_point_v<T>) {
    if (n <= kSmallCholesky) return factor_small(static_cast<T*>(matrix), n, step, upper);
  }
  const int extent = static_cast<int>(n), lda = static_cast<int>(step);
  int info = 0;
  potrf(upper ? "L" : "U", &extent, static_cast<T*>(matrix), &lda, &info);
  return info;
}

struct Call {
  CBLAS_SIDE side;
  CBLAS_UPLO uplo;
  CBLAS_TRANSPOSE trans;
  CBLAS_DIAG diag;
  blasint rows, columns, lda, ldx;
};

Call call_of(const TriangularProduct& how, const FactorPart& x) {
  const CBLAS_TRANSPOSE transposed = how.conjugate ? CblasConjTrans : CblasTrans;
  return {how.right ? CblasRight : CblasLeft,
          how.upper ? CblasUpper : CblasLower,
          how.transpose ? transposed : CblasNoTrans,
          how.unit_diagonal ? CblasUnit : CblasNonUnit,
          static_cast<blasint>(x.rows),
          static_cast<blasint>(x.columns),
          static_cast<blasint>(how.right ? x.columns : x.rows),
          static_cast<blasint>(x.stride)};
}

void trsm(const Call& c, const float* a, float* x) {
  cblas_strsm(CblasRowMajor, c.side, c.uplo, c.trans, c.diag, c.rows, c.columns, 1.0f, a, c.lda, x, c.ldx);
}
void trsm(const Call& c, const double* a, double* x) {
  cblas_dtrsm(CblasRowMajor, c.side, c.uplo, c.trans, c.diag, c.rows, c.columns, 1.0, a, c.lda, x, c.ldx);
}
void trsm(const Call& c, const complex64* a, complex64* x) {
  const complex64 one(1);
  cblas_ctrsm(CblasRowMajor, c.side, c.uplo, c.trans, c.diag, c.rows, c.columns, &one, a, c.lda, x, c.ldx);
}
void trsm(const Call& c, const complex128* a, complex128* x) {
  const complex128 one(1);
  cblas_ztrsm(CblasRowMajor, c.side, c.uplo, c.trans, c.diag, c.rows, c.columns, &one, a, c.lda, x, c.ldx);
}

void trmm(const Call& c, const float* a, float* x) {
  cblas_strmm(CblasRowMajor, c.side, c.uplo, c.trans, c.diag, c.rows, c.columns, 1.0f, a, c.lda, x, c.ldx);
}
void trmm(const Call& c, const double* a, double* x) {
  cblas_dtrmm(CblasRowMajor, c.side, c.uplo, c.trans, c.diag, c.rows, c.columns, 1.0, a, c.lda, x, c.ldx);
}
void trmm(const Call& c, const complex64* a, complex64* x) {
  const complex64 one(1);
  cblas_ctrmm(CblasRowMajor, c.side, c.uplo, c.trans, c.diag, c.rows, c.columns, &one, a, c.lda, x, c.ldx);
}
void trmm(const Call& c, const complex128* a, complex128* x) {
  const complex128 one(1);
  cblas_ztrmm(CblasRowMajor, c.side, c.uplo, c.trans, c.diag, c.rows, c.columns, &one, a, c.lda, x, c.ldx);
}

template <typename T>
void solve(const TriangularProduct& how, const void* a, const FactorPart& x) {
  trsm(call_of(how, x), static_cast<const T*>(a), static_cast<T*>(x.data));
}

template <typename T>
void multiply(const TriangularProduct& how, const void* a, const FactorPart& x) {
  trmm(call_of(how, x), static_cast<const T*>(a), static_cast<T*>(x.data));
}

template <typename T>
void clear_above(void* matrix, int64_t n) {
  T* const m = static_cast<T*>(matrix);
  for (int64_t i = 0; i < n; ++i) std::fill(m + i * n + i + 1, m + (i + 1) * n, T(0));
}

template <typename T>
void clear_below(void* matrix, int64_t n) {
  T* const m = static_cast<T*>(matrix);
  for (int64_t i = 0; i < n; ++i) std::fill(m + i * n, m + i * n + i, T(0));
}

float conjugate(float x) { return x; }
double conjugate(double x) { return x; }
template <typename T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

// (X + X^H - diag(X)^H) / 2 for a lower triangle X, or for the adjoint X of an upper triangle.
template <typename T, bool kUpper>
void adjoint_projection(void* matrix, int64_t n) {
  T* const m = static_cast<T*>(matrix);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      T *const below = m + i * n + j, *const above = m + j * n + i;
      const T half = *(kUpper ? above : below) * T(0.5);
      *below = kUpper ? conjugate(half) : half;
      *above = kUpper ? half : conjugate(half);
    }
    T* const diagonal = m + i * n + i;
    *diagonal = (kUpper ? conjugate(*diagonal) : *diagonal) * T(0.5);
  }
}

template <typename T>
void conjugate_elements(void* matrix, int64_t n) {
  T* const m = static_cast<T*>(matrix);
  std::transform(m, m + n * n, m, [](T x) { return conjugate(x); });
}

}  // namespace

CholeskyFn cholesky_kernel(diopiDtype_t dtype) {
  return diopi::kernel_for<WideInexactTypes>(dtype,
                                             [](auto tag) -> CholeskyFn { return factor<tagged<decltype(tag)>>; });
}
SolveFn solve_kernel(diopiDtype_t dtype) {
  return diopi::kernel_for<WideInexactTypes>(dtype, [](auto tag) -> SolveFn { return solve<tagged<decltype(tag)>>; });
}
SolveFn product_kernel(diopiDtype_t dtype) {
  return diopi::kernel_for<WideInexactTypes>(dtype,
                                             [](auto tag) -> SolveFn { return multiply<tagged<decltype(tag)>>; });
}
MatrixFn adjoint_projection_kernel(diopiDtype_t dtype, bool upper) {
  return diopi::kernel_for<WideInexactTypes>(dtype, [upper](auto tag) -> MatrixFn {
    using T = tagged<decltype(tag)>;
    return upper ? adjoint_projection<T, true> : adjoint_projection<T, false>;
  });
}
MatrixFn clear_kernel(diopiDtype_t dtype, bool above) {
  return diopi::kernel_for<WideInexactTypes>(dtype, [above](auto tag) -> MatrixFn {
    return above ? clear_above<tagged<decltype(tag)>> : clear_below<tagged<decltype(tag)>>;
  });
}
MatrixFn conjugation_kernel(diopiDtype_t dtype) {
  return diopi::kernel_for<WideInexactTypes>(
      dtype, [](auto tag) -> MatrixFn { return conjugate_elements<tagged<decltype(tag)>>; });
}

}  // namespace impl::cpu
