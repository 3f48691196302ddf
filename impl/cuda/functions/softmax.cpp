// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/softmax.hpp"

#include "impl/common/engine/fill.hpp"
#include "impl/cuda/kernels/softmax/softmax.hpp"

namespace impl::cuda {

namespace {

// A number for each index of `dim`, as a view that broadcasts to `shape`.
Status make_indices(diopiContextHandle_t ctx, const diopi::Dims& shape, int dim, TensorView* view) {
  constexpr diopiDtype_t kDtype = diopi_dtype_int64;
  diopi::Dims indices;
  for (int i = dim; i < shape.n; ++i) indices.push_back(i == dim ? shape[i] : 1);
  DIOPI_TRY(diopi::make_temporary(ctx, indices, kDtype, "indices", view));
  diopiScalar_t start{}, step{};
  start.stype = step.stype = kDtype;
  start.ival = 0;
  step.ival = 1;
  return fill_arange(ctx, *view, start, step);
}

// Multiplies by the scale, and replaces what is hidden.
Status apply_mask(diopiContextHandle_t ctx, const MaskedSoftmaxProblem& p, double hidden, const TensorView& out,
                  const TensorView& in) {
  PointwiseCall call;
  call.shape = out.shape;
  call.in[0] = in;
  call.in[1] = RowInput(p.mask, 0);
  if (p.mask == nullptr) {
    DIOPI_TRY(make_indices(ctx, out.shape, 3, &call.in[2].view));
    DIOPI_TRY(make_indices(ctx, out.shape, 2, &call.in[3].view));
  }
  call.out[0] = out;
  return pointwise_mask(ctx, p.scale, hidden, call);
}

}  // namespace

Status run_softmax(diopiContextHandle_t ctx, SoftmaxOp op, const TensorView& out, const TensorView* in, int dim,
                   diopiDtype_t dtype) {
  DIOPI_TRY(diopi::require_writable(out));
  if (out.numel == 0) return diopiSuccess;
  const bool is_gradient = op == SoftmaxOp::kSoftmaxBackward || op == SoftmaxOp::kLogSoftmaxBackward;
  FusedCall call;
  call.shape = out.shape;
  call.mask = 1u << dim;
  for (int k = 0; k < (is_gradient ? 2 : 1); ++k) call.in[k] = in[k];
  call.out = out;
  return fused_softmax(ctx, op, dtype == diopi_dtype_float64, call);
}

Status run_masked_softmax(diopiContextHandle_t ctx, const MaskedSoftmaxProblem& p, const TensorView& out,
                          const TensorView& in) {
  constexpr double kHidden = -10000;
  const diopiDtype_t dtype = diopi::compute_dtype(in.dtype);
  TensorView scores;
  DIOPI_TRY(diopi::make_temporary(ctx, in.shape, dtype, "scores", &scores));
  DIOPI_TRY(apply_mask(ctx, p, kHidden, scores, in));
  return run_softmax(ctx, SoftmaxOp::kSoftmax, out, &scores, 3, dtype);
}

Status run_masked_softmax_backward(diopiContextHandle_t ctx, const MaskedSoftmaxProblem& p, const TensorView& grad_in,
                                   const TensorView& grad_out, const TensorView& out) {
  const diopiDtype_t dtype = diopi::compute_dtype(out.dtype);
  TensorView gradient;
  DIOPI_TRY(diopi::make_temporary(ctx, out.shape, dtype, "gradient", &gradient));
  const TensorView in[] = {grad_out, out};
  DIOPI_TRY(run_softmax(ctx, SoftmaxOp::kSoftmaxBackward, gradient, in, 3, dtype));
  return apply_mask(ctx, p, 0, grad_in, gradient);
}

}  // namespace impl::cuda
