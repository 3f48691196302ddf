// SPDX-License-Identifier: BSD-3-Clause
// Row kernels of running sums; rows of int64, float32, float64 or complex numbers.
#pragma once

#include "impl/cpu/kernels/rows.hpp"

namespace impl::cpu {

// y[i] = x[0] + ... + x[i], or, if `reversed`, x[i] + ... + x[n - 1]. Floating point is summed in double.
// Null for other dtypes.
RowFn cumsum_kernel(diopiDtype_t dtype, bool reversed);

}  // namespace impl::cpu
