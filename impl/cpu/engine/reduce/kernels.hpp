// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the reduction engine.
#ifndef IMPL_CPU_ENGINE_REDUCE_KERNELS_HPP_
#define IMPL_CPU_ENGINE_REDUCE_KERNELS_HPP_

#include "impl/common/engine/reduce.hpp"
#include "impl/cpu/engine/reduce/reduce.hpp"

namespace impl::cpu {

using diopi::ReduceOp;

// The kernel that folds elements of `dtype`, a compute dtype; null if there is none. For kAny and kAll, which fold
// bool, `dtype` has no effect.
const ReduceKernel* reduce_kernel(ReduceOp op, diopiDtype_t dtype);

// The kernel that folds float16 or bfloat16 elements directly and returns float32; null if conversion to float is as
// fast.
const ReduceKernel* half_reduce_kernel(ReduceOp op, diopiDtype_t dtype);
// The same for the largest or smallest element; null for other dtypes.
const ReduceKernel* half_extremum_kernel(bool largest, diopiDtype_t dtype);

// The largest or smallest element and its position; the first position if several elements are equal. NaN counts as
// beyond every number. Outputs: the value in `dtype` and the int64 position, or only the position.
const ReduceKernel* extremum_kernel(bool largest, diopiDtype_t dtype, bool with_value);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_REDUCE_KERNELS_HPP_
