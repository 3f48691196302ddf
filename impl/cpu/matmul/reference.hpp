// SPDX-License-Identifier: BSD-3-Clause
// The plain matrix product for every dtype and any strides, blocked for the first-level cache.
#ifndef IMPL_CPU_MATMUL_REFERENCE_HPP_
#define IMPL_CPU_MATMUL_REFERENCE_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu {

// One product of a batch; strides in elements. The sums have the dtype of `out`, which is either the dtype of a and b
// or their compute dtype.
struct ReferenceMatmul {
  const void *a = nullptr, *b = nullptr, *bias = nullptr;
  void* out = nullptr;
  int64_t n = 0, k = 0;
  int64_t run = 0;  // the most terms that are added one after another; 0: as many as the kernel likes
  int64_t a_row = 0, a_col = 0, b_row = 0, b_col = 0, out_row = 0, out_col = 0;
  diopiDtype_t dtype = diopi_dtype_unsupported, out_dtype = diopi_dtype_unsupported;
  bool accumulate = false, conj_a = false, conj_b = false;
};

// Rows and columns of `out` that one call of the kernel computes.
inline constexpr int64_t kReferenceRows = 32, kReferenceCols = 64;

// Computes rows [row, row + rows) and columns [col, col + cols) of one product.
using ReferenceFn = void (*)(const ReferenceMatmul& matmul, int64_t row, int64_t rows, int64_t col, int64_t cols);
// The kernel for a dtype; null if the dtype has no products.
ReferenceFn reference_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_REFERENCE_HPP_
