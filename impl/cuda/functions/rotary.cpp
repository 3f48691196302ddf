// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/rotary.hpp"

#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/rotary/rotary.hpp"

namespace impl::cuda {

Status run_rotary(diopiContextHandle_t ctx, const RotaryProblem& p) {
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return rotate_pairs(stream, p);
}

}  // namespace impl::cuda
