// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/map.hpp"

#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/kernels/copy/copy.hpp"

namespace impl::cuda {

Status prepare_map(diopiContextHandle_t ctx, const TensorView& out, const TensorView* inputs, int count,
                   MapCall* call) {
  DIOPI_TRY(diopi::require_writable(out));
  call->idle = out.numel == 0;
  if (call->idle) return diopiSuccess;
  DIOPI_TRY(stream_of(ctx, &call->stream));
  call->out = out;
  for (int k = 0; k < count; ++k) {
    const TensorView& input = inputs[k];
    call->is_number[k] = input.numel == 1 && input.ndim() == 0 && on_host(input.data);
    call->in[k] = input.expand(out.shape);
    if (call->is_number[k] || !diopi::may_overlap(out, input) || diopi::is_same_view(out, call->in[k])) continue;
    TensorView packed;
    DIOPI_TRY(diopi::make_temporary(ctx, input.shape, input.dtype, input.name, &packed));
    if (!diopi::in_dry_run()) DIOPI_TRY(copy_elements(call->stream, packed, input));
    call->in[k] = packed.expand(out.shape);
  }
  call->idle = diopi::in_dry_run();
  return diopiSuccess;
}

}  // namespace impl::cuda
