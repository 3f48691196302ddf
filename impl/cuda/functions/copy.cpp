// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/copy.hpp"

#include "impl/common/engine/host_numbers.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/copy/copy.hpp"

namespace impl::cuda {

Status copy_apart(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) {
  if (out.numel == 0 || diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return copy_elements(stream, out, in);
}

Status copy_all_apart(diopiContextHandle_t ctx, const diopi::ViewList& outs, const diopi::ViewList& ins) {
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return copy_each(stream, outs, ins);
}

Status copy(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) {
  if (!diopi::may_overlap(out, in)) return copy_apart(ctx, out, in);
  if (diopi::is_same_view(out, in)) return diopiSuccess;
  TensorView packed;
  DIOPI_TRY(diopi::make_temporary(ctx, in.shape, in.dtype, in.name, &packed));
  DIOPI_TRY(copy_apart(ctx, packed, in));
  return copy_apart(ctx, out, packed);
}

Status read_integers(diopiContextHandle_t ctx, const TensorView& view, int64_t* values) {
  if (view.numel == 0) return diopiSuccess;
  TensorView packed;
  DIOPI_TRY(diopi::make_temporary(ctx, view.shape, diopi_dtype_int64, view.name, &packed));
  DIOPI_TRY(copy_apart(ctx, packed, view));
  return read_back(ctx, values, packed.data, view.numel * static_cast<int64_t>(sizeof(int64_t)));
}

}  // namespace impl::cuda
