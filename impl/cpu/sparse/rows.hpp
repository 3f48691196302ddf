// SPDX-License-Identifier: BSD-3-Clause
// Operations on packed rows of float or double, for sparse convolution and pooling.
#ifndef IMPL_CPU_SPARSE_ROWS_HPP_
#define IMPL_CPU_SPARSE_ROWS_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

struct SparseRowKernels {
  // to[c] += from[c]
  void (*add)(void* to, const void* from, int64_t n) = nullptr;
  // to[c] = from[c] if that is greater
  void (*maximum)(void* to, const void* from, int64_t n) = nullptr;
  // to[c] += from[c] if a[c] = b[c]
  void (*add_where_equal)(void* to, const void* from, const void* a, const void* b, int64_t n) = nullptr;
};

// The kernels for float32 or float64.
SparseRowKernels sparse_row_kernels(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SPARSE_ROWS_HPP_
