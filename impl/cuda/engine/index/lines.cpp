// SPDX-License-Identifier: BSD-3-Clause
// Writes through an index along the last dimension, in one launch.
#include <algorithm>

#include "impl/common/dtype.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/index/places.hpp"
#include "impl/cuda/engine/index_refusal.hpp"

namespace impl::cuda {

namespace {

// Whether the operands have the lines of the output. Few lines are no work for all multiprocessors, and short ones none
// for all threads of a block.
bool has_lines(const TensorView& out, const ScatterBase& base, int dim, const TensorView& index) {
  constexpr int64_t kFewLines = 64, kManyLines = 4096, kManyPositions = 4096, kFewPlaces = 64;
  if (index.numel == 0 || out.numel == 0 || out.stride[dim] != 1) return false;
  const int64_t places = out.shape[dim], lines = out.numel / places;
  if (lines < kFewLines ? index.shape[dim] > kManyPositions : lines > kManyLines && places < kFewPlaces) return false;
  if (base.tensor() != nullptr && (base.tensor()->dtype != out.dtype || diopi::may_overlap(out, *base.tensor()))) {
    return false;
  }
  for (int d = 0; d < out.ndim(); ++d) {
    if (d > dim ? out.shape[d] != 1 : d < dim && index.shape[d] != out.shape[d]) return false;
  }
  return true;
}

}  // namespace

bool find_lines(const TensorView& out, const ScatterBase& base, int dim, const TensorView& src, const TensorView& index,
                ScatterOp op, LinesCall* call) {
  if (op == ScatterOp::kMultiply || !has_lines(out, base, dim, index)) return false;
  if (op == ScatterOp::kAdd && (!diopi::is_floating(out.dtype) || !has_sums(out.dtype))) return false;
  const TensorView* const before = base.tensor();
  *call = LinesCall{};
  int64_t number = index.shape[dim];
  for (int d = dim - 1; d >= 0; --d) {
    call->lines.push_back(out.shape[d], out.stride[d], before != nullptr ? before->stride[d] : 0, src.stride[d],
                          index.stride[d], number);
    number *= index.shape[d];
  }
  call->lines.drop_ones();
  call->lines.merge();
  call->places = out.shape[dim];
  call->count = index.shape[dim];
  call->base_step = before != nullptr ? before->stride[dim] : 0;
  call->src_step = src.stride[dim];
  call->index_step = index.stride[dim];
  call->dtype = out.dtype;
  call->bits = sum_bits(call->count);
  call->is_kept = base.is_kept() ? 1 : 0;
  call->out = out.data;
  call->base = before != nullptr ? before->data : nullptr;
  call->src = src.data;
  call->source = {index.data, index.dtype == diopi_dtype_int64 ? 1 : 0, 0, 0, out.shape[dim], {}};
  return fits_line(*call, op == ScatterOp::kAdd);
}

Status run_lines(diopiContextHandle_t ctx, ScatterOp op, LinesCall call, const TensorView& out, int dim,
                 const TensorView& index) {
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DeferredCheck check;
  DIOPI_TRY(check.begin(ctx, Refusal(IndexRefusal(index, out, dim, false))));
  call.source.bad = check.bad();
  DIOPI_TRY(op == ScatterOp::kAdd ? add_in_lines(stream, call) : replace_in_lines(stream, call));
  return check.end();
}

}  // namespace impl::cuda
