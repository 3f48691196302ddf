// SPDX-License-Identifier: BSD-3-Clause
// Cholesky decompositions of large row-major matrices of float and double numbers. LAPACK factors the blocks on the
// diagonal; triangular systems and matrix products on all threads do the rest. The bits of a result do not depend on
// the number of threads.
#ifndef IMPL_CPU_LINALG_CHOLESKY_BLOCKED_HPP_
#define IMPL_CPU_LINALG_CHOLESKY_BLOCKED_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// A matrix of n rows without gaps, and memory of blocked_cholesky_work() elements that begins a cache line.
struct BlockedCholesky {
  void* data;
  int64_t n;
  bool upper;  // whether the triangle is the upper one
  void* work;
  int64_t threads;  // the most threads that compute
};

// Whether blocks take less time than cholesky_kernel() for a matrix of n rows.
bool is_for_blocked_cholesky(diopiDtype_t dtype, int64_t n);
// The elements of `work`.
int64_t blocked_cholesky_work(int64_t n, int64_t threads);

// As cholesky_kernel(). The other triangle, and both on failure, have any contents.
using BlockedCholeskyFn = int (*)(const BlockedCholesky& matrix);
BlockedCholeskyFn blocked_cholesky_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LINALG_CHOLESKY_BLOCKED_HPP_
