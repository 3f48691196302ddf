// SPDX-License-Identifier: BSD-3-Clause
// Row kernels of cumulative sums, for rows of int64, floating point or complex numbers.
#ifndef IMPL_CPU_TENSOR_CUMSUM_HPP_
#define IMPL_CPU_TENSOR_CUMSUM_HPP_

#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu {

// Returns the kernel y[i] = x[0] + ... + x[i], or, if `reversed`, y[i] = x[i] + ... + x[n - 1]. Floating point is
// summed in double. Returns null for other dtypes.
RowFn cumsum_kernel(diopiDtype_t dtype, bool reversed);
// The same for several rows; null also for float16, bfloat16 and complex numbers. Float is added one element after
// another, so rows of more than `kShortCumsum` elements are faster one at a time.
RowsFn cumsum_rows_kernel(diopiDtype_t dtype, bool reversed);
inline constexpr int64_t kShortCumsum = 64;
// The same for adjacent columns; null for complex numbers.
ColumnFn cumsum_columns_kernel(diopiDtype_t dtype, bool reversed);

}  // namespace impl::cpu

#endif  // IMPL_CPU_TENSOR_CUMSUM_HPP_
