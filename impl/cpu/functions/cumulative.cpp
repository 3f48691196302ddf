// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/cumulative.hpp"

#include "impl/common/unsupported.hpp"
#include "impl/cpu/tensor/cumsum.hpp"

namespace impl::cpu {

Status run_cumsum(diopiContextHandle_t ctx, ScanDirection direction, const TensorView& out, const TensorView& in,
                  int dim, diopiDtype_t dtype) {
  RowKernel kernel;
  kernel.fn = cumsum_kernel(dtype, direction == ScanDirection::kBackward);
  if (kernel.fn == nullptr) return diopi::unsupported_dtype(in.dtype, {&in});
  kernel.columns = cumsum_columns_kernel(dtype, direction == ScanDirection::kBackward);
  kernel.cost = 1000;
  kernel.num_inputs = 1;
  kernel.in[0] = kernel.out[0] = dtype;
  return run_rows(ctx, kernel, in.shape, 1u << dim, &out, &in);
}

}  // namespace impl::cpu
