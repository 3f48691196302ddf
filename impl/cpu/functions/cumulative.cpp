// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/cumulative.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cpu/tensor/cumsum.hpp"

namespace impl::cpu {

Status run_cumsum(diopiContextHandle_t ctx, ScanDirection direction, const TensorView& out, const TensorView& in,
                  int dim, diopiDtype_t dtype) {
  const bool reversed = direction == ScanDirection::kBackward;
  // The kernels of columns convert float16 and bfloat16 themselves; rows are converted together before.
  const bool by_columns = in.shape[dim] > 1 && in.stride[dim] != 1;
  if (by_columns && in.dtype == out.dtype && in.itemsize() == 2 && dtype == diopi_dtype_float32) dtype = in.dtype;
  RowKernel kernel;
  kernel.fn = cumsum_kernel(dtype, reversed);
  if (kernel.fn == nullptr) return diopi::unsupported_dtype(in.dtype, {&in});
  kernel.columns = cumsum_columns_kernel(dtype, reversed);
  kernel.fewest_columns = 2;
  kernel.rows = cumsum_rows_kernel(dtype, reversed);
  kernel.most_of_rows = dtype == diopi_dtype_float32 ? kShortCumsum : INT64_MAX;
  kernel.cost = 1000;
  kernel.num_inputs = 1;
  kernel.in[0] = kernel.out[0] = dtype;
  return run_rows(ctx, kernel, in.shape, 1u << dim, &out, &in);
}

}  // namespace impl::cpu
