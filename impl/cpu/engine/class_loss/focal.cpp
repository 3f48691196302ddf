// SPDX-License-Identifier: BSD-3-Clause
// Focal losses whose targets are classes: row kernels on the scores of each sample.
#include "impl/cpu/loss/focal.hpp"

#include "impl/common/engine/focal.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/doubles.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kCost = 2000;               // of an element of a sigmoid loss
constexpr uint32_t kRows = uint32_t{1} << 1;  // the classes of a sample

Status read_params(diopiContextHandle_t ctx, const FocalProblem& p, FocalParams* params) {
  *params = {nullptr, p.gamma, p.alpha};
  if (p.weight.numel == 0) return diopiSuccess;
  double* weight = nullptr;
  DIOPI_TRY(read_doubles(ctx, p.weight, &weight));
  params->weight = weight;
  return diopiSuccess;
}

Status run_kernel(diopiContextHandle_t ctx, RowKernel kernel, RowFn fn, diopiDtype_t dtype, const FocalProblem& p,
                  const TensorView* outputs) {
  FocalParams params;
  DIOPI_TRY(read_params(ctx, p, &params));
  kernel.fn = fn;
  kernel.params = &params;
  kernel.num_inputs = 2;
  kernel.in[0] = dtype;
  kernel.in[1] = diopi_dtype_int64;
  const TensorView operands[] = {p.scores, p.target.unsqueeze(1)};
  return run_rows(ctx, kernel, p.scores.shape, kRows, outputs, operands);
}

Status run_sigmoid(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p, bool backward) {
  const diopiDtype_t dtype = joint_dtype(out, p.scores);
  RowKernel kernel;
  kernel.cost = kCost;
  kernel.out[0] = dtype;
  return run_kernel(ctx, kernel, sigmoid_focal_kernel(dtype, backward), dtype, p, &out);
}

}  // namespace

Status run_sigmoid_focal(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p) {
  return run_sigmoid(ctx, out, p, false);
}

Status run_sigmoid_focal_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const FocalProblem& p) {
  return run_sigmoid(ctx, grad_input, p, true);
}

Status run_softmax_focal(diopiContextHandle_t ctx, const TensorView& out, const FocalProblem& p) {
  const TensorView column = out.unsqueeze(1);
  RowKernel kernel;
  kernel.cost = 20;  // the kernel reads one element of a row
  kernel.out[0] = diopi::compute_dtype(p.scores.dtype);
  return run_kernel(ctx, kernel, softmax_focal_kernel(p.scores.dtype), p.scores.dtype, p, &column);
}

Status run_softmax_focal_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& slopes,
                                  const FocalProblem& p) {
  const diopiDtype_t dtype = joint_dtype(grad_input, p.scores);
  const TensorView outputs[] = {grad_input, slopes.unsqueeze(1)};
  RowKernel kernel;
  kernel.num_outputs = 2;
  kernel.out[0] = dtype;
  kernel.out[1] = diopi::compute_dtype(dtype);
  return run_kernel(ctx, kernel, softmax_focal_backward_kernel(dtype), dtype, p, outputs);
}

}  // namespace impl::cpu
