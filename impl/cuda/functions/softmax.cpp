// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/softmax.hpp"

#include "impl/common/engine/fill.hpp"
#include "impl/common/engine/reduce.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"
#include "impl/cuda/kernels/softmax/softmax.hpp"

namespace impl::cuda {

namespace {

bool is_wide(diopiDtype_t dtype) { return dtype == diopi_dtype_float64; }

// A temporary with one element for each row along `dim`, which broadcasts to the rows.
Status make_statistic(diopiContextHandle_t ctx, const diopi::Dims& rows, int dim, diopiDtype_t dtype,
                      TensorView* view) {
  return diopi::make_temporary(ctx, diopi::reduced_shape(rows, 1u << dim, true), dtype, "statistic", view);
}

Status forward(diopiContextHandle_t ctx, SoftmaxOp op, const TensorView& out, const TensorView& in, int dim,
               bool wide) {
  FoldCall fold;
  PointwiseCall map;
  TensorView largest, sum;
  DIOPI_TRY(make_statistic(ctx, in.shape, dim, wide ? diopi_dtype_float64 : diopi_dtype_float32, &largest));
  DIOPI_TRY(make_statistic(ctx, in.shape, dim, diopi_dtype_float64, &sum));
  fold.shape = map.shape = in.shape;
  fold.mask = 1u << dim;
  fold.in[0] = map.in[0] = in;
  fold.out[0] = largest;
  DIOPI_TRY(fold_extremum(ctx, true, wide ? diopi_dtype_float64 : diopi_dtype_float32, fold));
  fold.in[1] = map.in[1] = largest;
  fold.out[0] = map.in[2].view = sum;
  DIOPI_TRY(fold_exponentials(ctx, wide, fold));
  map.out[0] = out;
  return pointwise_softmax(ctx, op, wide, map);
}

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
  const bool wide = is_wide(dtype);
  if (op == SoftmaxOp::kSoftmax || op == SoftmaxOp::kLogSoftmax) return forward(ctx, op, out, in[0], dim, wide);
  FoldCall fold;
  PointwiseCall map;
  TensorView sum;
  DIOPI_TRY(make_statistic(ctx, out.shape, dim, diopi_dtype_float64, &sum));
  fold.shape = map.shape = out.shape;
  fold.mask = 1u << dim;
  fold.in[0] = map.in[0] = in[0];
  map.in[1] = in[1];
  fold.in[1] = op == SoftmaxOp::kSoftmaxBackward ? RowInput(in[1]) : RowInput(1.0);
  fold.in[2] = RowInput(1.0);
  fold.out[0] = map.in[2].view = sum;
  DIOPI_TRY(fold_products(ctx, fold));
  map.out[0] = out;
  return pointwise_softmax(ctx, op, wide, map);
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
