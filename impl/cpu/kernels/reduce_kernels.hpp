// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the reduction engine.
#pragma once

#include "impl/cpu/kernels/reduce.hpp"

namespace impl::cpu {

enum class ReduceOp {
  kSum,      // int64, float32, float64, complex
  kMean,     // float32, float64, complex
  kProd,     // as kSum
  kMaximum,  // real dtypes and bool; NaN wins
  kMinimum,
  kAny,  // read as bool
  kAll,
};

// The kernel that folds elements of `dtype` (a dtype in which elements are read, as listed above), or null.
const ReduceKernel* reduce_kernel(ReduceOp op, diopiDtype_t dtype);

// The kernel that folds float16 or bfloat16 as they lie and gives float32, or null where conversion serves as well.
const ReduceKernel* half_reduce_kernel(ReduceOp op, diopiDtype_t dtype);

// Largest or smallest element and the position of the first such; NaN is beyond both ends. Outputs: the value in
// `dtype` and the int64 position, or the position alone.
const ReduceKernel* extremum_kernel(bool largest, diopiDtype_t dtype, bool with_value);

}  // namespace impl::cpu
