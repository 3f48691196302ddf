// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/outside.hpp"

#include "impl/common/engine/host_integers.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

Status find_outside(diopiContextHandle_t ctx, const TensorView& view, int64_t below, int64_t allowed, Outside* found) {
  *found = Outside();
  if (view.numel == 0) return diopiSuccess;
  Dims pair;
  pair.push_back(2);
  TensorView results;
  DIOPI_TRY(diopi::make_temporary(ctx, pair, diopi_dtype_int64, "results", &results));
  FoldCall fold;
  fold.shape = view.shape;
  fold.mask = (1u << view.ndim()) - 1;
  fold.in[0] = view;
  for (int k = 0; k < 2; ++k) fold.out[k] = results.select(0, k);
  DIOPI_TRY(fold_outside(ctx, below, allowed, fold));
  if (diopi::in_dry_run()) return diopiSuccess;
  int64_t values[2] = {-1, 0};
  DIOPI_TRY(read_integers(ctx, results, values));
  *found = {values[0], values[1]};
  return diopiSuccess;
}

}  // namespace impl::cuda
