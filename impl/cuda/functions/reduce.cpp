// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/reduce.hpp"

#include "impl/cuda/kernels/reduce/reduce.hpp"

namespace impl::cuda {

namespace {

TensorView imaginary_parts(const TensorView& view) {
  TensorView parts = diopi::real_parts(view);
  parts.data += parts.itemsize();
  return parts;
}

FoldCall fold_of(const TensorView& in, uint32_t mask) {
  FoldCall call;
  call.shape = in.shape;
  call.mask = mask;
  call.in[0] = in;
  return call;
}

}  // namespace

Status run_reduce(diopiContextHandle_t ctx, ReduceOp op, const TensorView& out, const TensorView& in, uint32_t mask,
                  diopiDtype_t dtype) {
  DIOPI_TRY(diopi::require_writable(out));
  FoldCall call = fold_of(in, mask);
  call.out[0] = out;
  switch (op) {
    case ReduceOp::kMaximum:
    case ReduceOp::kMinimum:
      return fold_extremum(ctx, op == ReduceOp::kMaximum, dtype, call);
    case ReduceOp::kAny:
    case ReduceOp::kAll:
      return fold_test(ctx, op == ReduceOp::kAll, call);
    default:
      return fold_sum(ctx, op, dtype, call);
  }
}

Status run_extremum(diopiContextHandle_t ctx, ReduceOp op, const TensorView* value, const TensorView& position,
                    const TensorView& in, uint32_t mask) {
  FoldCall call = fold_of(in, mask);
  if (value != nullptr) {
    DIOPI_TRY(diopi::require_writable(*value));
    call.out[0] = *value;
  }
  DIOPI_TRY(diopi::require_writable(position));
  call.out[1] = position;
  return fold_extremum(ctx, op == ReduceOp::kMaximum, in.dtype, call);
}

// The squares of the distances of complex numbers are those of their real and imaginary parts.
Status run_std(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, uint32_t mask,
               double correction) {
  DIOPI_TRY(diopi::require_writable(out));
  const MomentParams params{correction, 0, {MomentResult::kDeviation}};
  if (!diopi::is_complex(in.dtype)) {
    FoldCall call = fold_of(in, mask);
    call.out[0] = out;
    return fold_moments(ctx, params, call);
  }
  FoldCall call = fold_of(diopi::real_parts(in), mask);
  call.in[1] = imaginary_parts(in);
  call.out[0] = out;
  return fold_complex_deviation(ctx, correction, call);
}

}  // namespace impl::cuda
