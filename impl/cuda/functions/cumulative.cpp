// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/cumulative.hpp"

#include "impl/cuda/engine/apart.hpp"
#include "impl/cuda/kernels/reduce/scan.hpp"

namespace impl::cuda {

Status run_cumsum(diopiContextHandle_t ctx, ScanDirection direction, const TensorView& out, const TensorView& in,
                  int dim, diopiDtype_t dtype) {
  DIOPI_TRY(diopi::require_writable(out));
  TensorView result;
  DIOPI_TRY(apart_from(ctx, out, {&in}, &result));
  DIOPI_TRY(scan_sums(ctx, result, in, dim, direction == ScanDirection::kBackward, dtype));
  return copy_unless_same(ctx, out, result);
}

}  // namespace impl::cuda
