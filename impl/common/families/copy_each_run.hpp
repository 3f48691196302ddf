// SPDX-License-Identifier: BSD-3-Clause
// Runs that are copied one after another, for vendors without a kernel for them.
#ifndef IMPL_COMMON_FAMILIES_COPY_EACH_RUN_HPP_
#define IMPL_COMMON_FAMILIES_COPY_EACH_RUN_HPP_

#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/runs.hpp"

namespace impl::DIOPI_VENDOR {

// Copies all combinations of runs of the dimensions from `dim` on.
inline Status copy_each_run(diopiContextHandle_t ctx, const RunCopy& call, const TensorView& out, const TensorView& in,
                            int dim = 0) {
  if (dim == in.ndim()) return copy(ctx, out, in);
  const diopi::DimRuns& runs = call.dims[dim];
  for (int i = 0; i < runs.count; ++i) {
    const diopi::Run& run = runs.run[i];
    const TensorView to = out.narrow(dim, run.out, run.length);
    if (run.in == diopi::Run::kOutside) {
      DIOPI_TRY(copy(ctx, to, call.number));
      continue;
    }
    TensorView from = in.narrow(dim, run.in, run.length);
    from.stride[dim] *= run.step;
    DIOPI_TRY(copy_each_run(ctx, call, to, from, dim + 1));
  }
  return diopiSuccess;
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_COPY_EACH_RUN_HPP_
