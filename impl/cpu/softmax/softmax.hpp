// SPDX-License-Identifier: BSD-3-Clause
// Kernels of softmax, log-softmax and their gradients along rows and down columns, for every floating point dtype.
#ifndef IMPL_CPU_SOFTMAX_SOFTMAX_HPP_
#define IMPL_CPU_SOFTMAX_SOFTMAX_HPP_

#include "impl/common/engine/softmax.hpp"
#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu {

using diopi::SoftmaxOp;

// All operands have `dtype`. Null if it is not a floating point dtype.
RowFn softmax_kernel(SoftmaxOp op, diopiDtype_t dtype);
// For rows of at most softmax_short_row() elements. Null if the dtype is not computed in float32.
RowsFn softmax_rows_kernel(SoftmaxOp op, diopiDtype_t dtype);
int64_t softmax_short_row(SoftmaxOp op);
ColumnFn softmax_columns_kernel(SoftmaxOp op, diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SOFTMAX_SOFTMAX_HPP_
