// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/rows/calls.hpp"

#include "impl/common/engine/copy.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/temporary.hpp"

namespace impl::cuda {

Status separate_outputs(diopiContextHandle_t ctx, const RowOperands& operands, TensorView* separate) {
  for (int j = 0; j < operands.outputs; ++j) {
    const TensorView& out = separate[j] = operands.out[j];
    bool overlaps = false;
    for (int k = 0; k < operands.inputs && out.data != nullptr; ++k) {
      const TensorView& in = operands.in[k].view;
      if (in.data == nullptr || (operands.same_allowed && diopi::is_same_view(in, out))) continue;
      overlaps = overlaps || diopi::may_overlap(in, out);
    }
    if (overlaps) DIOPI_TRY(diopi::make_temporary(ctx, out.shape, out.dtype, out.name, &separate[j]));
  }
  return diopiSuccess;
}

Status copy_to_outputs(diopiContextHandle_t ctx, const RowOperands& operands, const TensorView* separate) {
  for (int j = 0; j < operands.outputs; ++j) {
    if (separate[j].data != operands.out[j].data) DIOPI_TRY(copy_apart(ctx, operands.out[j], separate[j]));
  }
  return diopiSuccess;
}

}  // namespace impl::cuda
