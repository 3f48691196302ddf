// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/linalg/qr.hpp"

#include <algorithm>
#include <type_traits>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/linalg/qr_small.hpp"

// OpenBLAS has the functions of LAPACK, but its headers do not declare them.
extern "C" {
void sgeqrf_(const int* m, const int* n, float* a, const int* lda, float* tau, float* work, const int* lwork,
             int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void cgeqrf_(const int* m, const int* n, void* a, const int* lda, void* tau, void* work, const int* lwork, int* info);
void zgeqrf_(const int* m, const int* n, void* a, const int* lda, void* tau, void* work, const int* lwork, int* info);
void sorgqr_(const int* m, const int* n, const int* k, float* a, const int* lda, const float* tau, float* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
             const int* lwork, int* info);
void cungqr_(const int* m, const int* n, const int* k, void* a, const int* lda, const void* tau, void* work,
             const int* lwork, int* info);
void zungqr_(const int* m, const int* n, const int* k, void* a, const int* lda, const void* tau, void* work,
             const int* lwork, int* info);
}

namespace impl::cpu {

namespace {

using diopi::complex128;
using diopi::complex64;
using diopi::tagged;
using diopi::WideInexactTypes;

// The columns of a block of LAPACK's blocked functions are at most as many.
constexpr int64_t kWidestBlock = 64;

struct Extents {
  int m, n, k, lwork;
};

void geqrf(const Extents& e, float* a, float* tau, float* work, int* info) {
  sgeqrf_(&e.m, &e.n, a, &e.m, tau, work, &e.lwork, info);
}
void geqrf(const Extents& e, double* a, double* tau, double* work, int* info) {
  dgeqrf_(&e.m, &e.n, a, &e.m, tau, work, &e.lwork, info);
}
void geqrf(const Extents& e, complex64* a, complex64* tau, complex64* work, int* info) {
  cgeqrf_(&e.m, &e.n, a, &e.m, tau, work, &e.lwork, info);
}
void geqrf(const Extents& e, complex128* a, complex128* tau, complex128* work, int* info) {
  zgeqrf_(&e.m, &e.n, a, &e.m, tau, work, &e.lwork, info);
}

void orgqr(const Extents& e, float* a, const float* tau, float* work, int* info) {
  sorgqr_(&e.m, &e.n, &e.k, a, &e.m, tau, work, &e.lwork, info);
}
void orgqr(const Extents& e, double* a, const double* tau, double* work, int* info) {
  dorgqr_(&e.m, &e.n, &e.k, a, &e.m, tau, work, &e.lwork, info);
}
void orgqr(const Extents& e, complex64* a, const complex64* tau, complex64* work, int* info) {
  cungqr_(&e.m, &e.n, &e.k, a, &e.m, tau, work, &e.lwork, info);
}
void orgqr(const Extents& e, complex128* a, const complex128* tau, complex128* work, int* info) {
  zungqr_(&e.m, &e.n, &e.k, a, &e.m, tau, work, &e.lwork, info);
}

Extents extents_of(const QrMatrix& matrix, int64_t reflections) {
  return {static_cast<int>(matrix.rows), static_cast<int>(matrix.columns), static_cast<int>(reflections),
          static_cast<int>(matrix.work_length)};
}

bool is_small(const QrMatrix& matrix) { return matrix.rows * matrix.columns <= kSmallQr; }

template <typename T>
void decompose(const QrMatrix& matrix) {
  if constexpr (std::is_floating_point_v<T>) {
    if (is_small(matrix)) {
      return decompose_small(static_cast<T*>(matrix.data), matrix.rows, matrix.columns,
                             static_cast<T*>(matrix.factors));
    }
  }
  int info = 0;
  geqrf(extents_of(matrix, 0), static_cast<T*>(matrix.data), static_cast<T*>(matrix.factors),
        static_cast<T*>(matrix.work), &info);
}

template <typename T>
void multiply(const QrMatrix& matrix, int64_t reflections) {
  if constexpr (std::is_floating_point_v<T>) {
    if (is_small(matrix)) {
      return multiply_small(static_cast<T*>(matrix.data), matrix.rows, matrix.columns, reflections,
                            static_cast<const T*>(matrix.factors));
    }
  }
  int info = 0;
  orgqr(extents_of(matrix, reflections), static_cast<T*>(matrix.data), static_cast<const T*>(matrix.factors),
        static_cast<T*>(matrix.work), &info);
}

}  // namespace

QrFn qr_kernel(diopiDtype_t dtype) {
  return diopi::kernel_for<WideInexactTypes>(dtype, [](auto tag) -> QrFn { return decompose<tagged<decltype(tag)>>; });
}
QrProductFn qr_product_kernel(diopiDtype_t dtype) {
  return diopi::kernel_for<WideInexactTypes>(dtype,
                                             [](auto tag) -> QrProductFn { return multiply<tagged<decltype(tag)>>; });
}
int64_t qr_work(int64_t columns) { return std::min<int64_t>(kWidestBlock * columns, INT32_MAX); }

}  // namespace impl::cpu
