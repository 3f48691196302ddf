// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/reduce.hpp"

#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/common/unsupported.hpp"

namespace impl::cpu {

Status run_reduce(diopiContextHandle_t ctx, ReduceOp op, const TensorView& out, const TensorView& in, uint32_t mask,
                  diopiDtype_t dtype) {
  const ReduceKernel* kernel = dtype == in.dtype ? half_reduce_kernel(op, dtype) : nullptr;
  if (kernel == nullptr) kernel = reduce_kernel(op, diopi::compute_dtype(dtype));
  if (kernel == nullptr) return diopi::unsupported_dtype(dtype, {&in, &out});
  TensorView bytes = in;
  const bool is_test = op == ReduceOp::kAny || op == ReduceOp::kAll;
  if (is_test && in.itemsize() == 1) bytes.dtype = diopi_dtype_bool;  // any byte except 0 is true
  return run_reduce(ctx, *kernel, &out, bytes, mask);
}

Status run_extremum(diopiContextHandle_t ctx, ReduceOp op, const TensorView* value, const TensorView& position,
                    const TensorView& in, uint32_t mask) {
  const bool largest = op == ReduceOp::kMaximum;
  const ReduceKernel* kernel = extremum_kernel(largest, diopi::compute_dtype(in.dtype), value != nullptr);
  if (kernel == nullptr) return diopi::unsupported_dtype(in.dtype, {&in});
  if (value == nullptr) return run_reduce(ctx, *kernel, &position, in, mask);
  const TensorView outputs[] = {*value, position};
  return run_reduce(ctx, *kernel, outputs, in, mask);
}

}  // namespace impl::cpu
