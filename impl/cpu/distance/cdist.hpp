// SPDX-License-Identifier: BSD-3-Clause
// Kernels of distances between rows, and of their gradients, for float32 and float64.
#ifndef IMPL_CPU_DISTANCE_CDIST_HPP_
#define IMPL_CPU_DISTANCE_CDIST_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// The kernels read vectors of up to this many bytes.
inline constexpr int64_t kCdistVector = 64;
// The kernels of gradients read vectors of as few bytes as this at the end of a row.
inline constexpr int64_t kCdistTail = 16;

inline constexpr int64_t kCdistRows = 32;  // the most rows of a call

// Distances of the rows of `a` to those of another matrix. Strides count elements.
struct CdistRows {
  const void* a;
  const void* b;  // the other matrix, transposed: element k of all its rows, then element k + 1
  void* out;
  int64_t rows, columns, length;       // at most kCdistRows rows of `a`, rows of the other matrix, elements of a row
  int64_t a_stride, b_stride, stride;  // from row to row of `a`, `b` and `out`; b_stride is a multiple of a vector
  double p;
};
using CdistFn = void (*)(const CdistRows& rows);
// `by_products`: whether distances with p = 2 may be computed from products where that loses few digits.
CdistFn cdist_kernel(diopiDtype_t dtype, double p, bool by_products);

// The gradients of the rows of `a`.
struct CdistGradients {
  const void *a, *b, *grad, *distance;
  void* out;
  int64_t rows, columns, length;  // rows of `a`, rows of `b`, elements of a row
  int64_t a_stride, b_stride;     // multiples of kCdistTail bytes; what follows a row is readable
  int64_t grad_stride, distance_stride, stride;
  double p;
};
using CdistBackwardFn = void (*)(const CdistGradients& rows);
CdistBackwardFn cdist_backward_kernel(diopiDtype_t dtype, double p);

}  // namespace impl::cpu

#endif  // IMPL_CPU_DISTANCE_CDIST_HPP_
