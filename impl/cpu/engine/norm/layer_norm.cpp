// SPDX-License-Identifier: BSD-3-Clause
// Layer normalisation and normalisation by the root mean square: row kernels on the operands, and the merging of
// partial sums of gradients.
#include <algorithm>

#include "impl/common/engine/norm.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/norm/layer.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {

namespace {

// The mask of the normalised dimensions.
uint32_t rows_from(int first, int ndim) { return ((1u << ndim) - 1) & ~((1u << first) - 1); }

int64_t row_length(const TensorView& input, int first) {
  int64_t n = 1;
  for (int i = first; i < input.ndim(); ++i) n *= input.shape[i];
  return n;
}

// The number of rows in a partial sum of the gradients of weight and bias. There are enough partial sums for all
// threads.
int64_t rows_per_chunk(int64_t rows) { return std::clamp<int64_t>(rows / 64, 8, 64); }

// Adds the rows of partial sums.
Status merge(diopiContextHandle_t ctx, const TensorView& partial, const TensorView& out) {
  TensorView flat = out;
  if (!out.is_contiguous()) DIOPI_TRY(diopi::make_temporary(ctx, out.shape, out.dtype, out.name, &flat));
  TensorView row = flat;
  row.shape = row.stride = Dims();
  row.shape.push_back(out.numel);
  row.stride.push_back(1);
  DIOPI_TRY(run_reduce(ctx, *reduce_kernel(ReduceOp::kSum, partial.dtype), &row, partial, 1));
  put_back(out, flat);
  return diopiSuccess;
}

// `mean` is null for normalisation by the root mean square, whose inverse is `p.invstd` then.
Status run_gradients(diopiContextHandle_t ctx, const LayerNormBackwardProblem& p, const TensorView* mean) {
  const LayerGradients wants{p.weight != nullptr, p.grad_input != nullptr, p.grad_weight != nullptr,
                             p.grad_bias != nullptr};
  const diopiDtype_t dtype = gradient_dtype(p.grad_output, p.input, p.grad_input);
  const diopiDtype_t compute = diopi::compute_dtype(dtype);
  const TensorView* in[5] = {&p.grad_output, &p.input};
  const TensorView* outputs[3];
  RowKernel kernel;
  kernel.fn = mean != nullptr ? layer_norm_backward_kernel(dtype) : rms_norm_backward_kernel(dtype);
  kernel.rows = mean != nullptr ? layer_norm_backward_rows_kernel(dtype) : nullptr;
  kernel.most_of_rows = layer_norm_short_row(true);
  kernel.params = &wants;
  kernel.num_inputs = 2;
  if (mean != nullptr) in[kernel.num_inputs++] = mean;
  in[kernel.num_inputs++] = &p.invstd;
  if (wants.has_weight) in[kernel.num_inputs++] = p.weight;
  std::fill_n(kernel.in, 2, dtype);
  std::fill_n(kernel.in + 2, 3, compute);
  kernel.num_outputs = 0;
  if (wants.wants_input) {
    kernel.out[0] = dtype;
    outputs[kernel.num_outputs++] = p.grad_input;
  }
  kernel.first_accumulated = kernel.num_outputs;
  const uint32_t mask = rows_from(p.first, p.input.ndim());
  const int64_t n = row_length(p.input, p.first), rows = n > 0 ? p.input.numel / n : 0;
  if (wants.wants_weight || wants.wants_bias) kernel.chunk = rows_per_chunk(rows);
  Dims partial;
  partial.push_back((rows + kernel.chunk - 1) / kernel.chunk);
  partial.push_back(n);
  TensorView weight_sums, bias_sums;
  for (TensorView* sums : {&weight_sums, &bias_sums}) {
    if (!(sums == &weight_sums ? wants.wants_weight : wants.wants_bias)) continue;
    DIOPI_TRY(diopi::make_temporary(ctx, partial, compute, "sums", sums));
    if (sums->numel > 0) fill_zero(*sums);
    kernel.out[kernel.num_outputs] = compute;
    outputs[kernel.num_outputs++] = sums;
  }
  return diopi::run_steps([&] { return run_rows(ctx, kernel, p.input.shape, mask, outputs, in); },
                          [&] { return wants.wants_weight ? merge(ctx, weight_sums, *p.grad_weight) : Status(); },
                          [&] { return wants.wants_bias ? merge(ctx, bias_sums, *p.grad_bias) : Status(); });
}

}  // namespace

Status run_layer_norm(diopiContextHandle_t ctx, const LayerNormProblem& p) {
  const TensorView* in[3];
  const TensorView* const outputs[] = {&p.out, &p.mean, &p.invstd};
  const LayerParams params{p.eps, p.weight != nullptr, p.bias != nullptr};
  RowKernel kernel;
  in[kernel.num_inputs++] = &p.input;
  if (p.weight != nullptr) in[kernel.num_inputs++] = p.weight;
  if (p.bias != nullptr) in[kernel.num_inputs++] = p.bias;
  const diopiDtype_t dtype = joint_dtype(p.input, p.out);
  kernel.fn = layer_norm_kernel(dtype);
  kernel.rows = layer_norm_rows_kernel(dtype);
  kernel.most_of_rows = layer_norm_short_row(false);
  kernel.cost = 180;
  kernel.params = &params;
  kernel.num_outputs = 3;
  std::fill_n(kernel.in, 3, diopi::compute_dtype(dtype));
  std::fill_n(kernel.out, 3, diopi::compute_dtype(dtype));
  kernel.in[0] = kernel.out[0] = dtype;
  return run_rows(ctx, kernel, p.input.shape, rows_from(p.first, p.input.ndim()), outputs, in);
}

Status run_layer_norm_backward(diopiContextHandle_t ctx, const LayerNormBackwardProblem& p) {
  return run_gradients(ctx, p, &p.mean);
}

Status run_rms_norm(diopiContextHandle_t ctx, const RmsNormProblem& p) {
  const TensorView* in[3];
  const TensorView* const outputs[] = {&p.out, p.inv_rms};
  const RmsParams params{p.eps, p.weight != nullptr, p.bias != nullptr, p.inv_rms != nullptr};
  const diopiDtype_t dtype = joint_dtype(p.input, p.out);
  RowKernel kernel;
  in[kernel.num_inputs++] = &p.input;
  if (p.weight != nullptr) in[kernel.num_inputs++] = p.weight;
  if (p.bias != nullptr) in[kernel.num_inputs++] = p.bias;
  kernel.fn = rms_norm_kernel(dtype);
  kernel.rows = rms_norm_rows_kernel(dtype);
  kernel.most_of_rows = rms_norm_short_row(dtype);
  kernel.cost = 180;
  kernel.params = &params;
  kernel.num_outputs = p.inv_rms != nullptr ? 2 : 1;
  std::fill_n(kernel.in, 3, diopi::compute_dtype(dtype));
  kernel.out[1] = diopi::compute_dtype(dtype);
  kernel.in[0] = kernel.out[0] = dtype;
  return run_rows(ctx, kernel, p.input.shape, rows_from(p.first, p.input.ndim()), outputs, in);
}

Status run_rms_norm_backward(diopiContextHandle_t ctx, const RmsNormBackwardProblem& p) {
  return run_gradients(
      ctx, {p.grad_output, p.input, p.weight, p.inv_rms, p.inv_rms, p.grad_input, p.grad_weight, p.grad_bias, p.first},
      nullptr);
}

Status run_add_rms_norm(diopiContextHandle_t ctx, const AddRmsNormProblem& p) {
  const TensorView* const in[] = {&p.inout, &p.residual, &p.scale, p.bias};
  const TensorView* const outputs[] = {&p.residual, &p.inout};
  const RmsParams params{p.eps, true, p.bias != nullptr, false};
  RowKernel kernel;
  kernel.fn = add_rms_norm_kernel(p.inout.dtype);
  kernel.params = &params;
  kernel.num_inputs = p.bias != nullptr ? 4 : 3;
  kernel.num_outputs = 2;
  std::fill_n(kernel.in, 2, p.inout.dtype);
  std::fill_n(kernel.in + 2, 2, diopi::compute_dtype(p.inout.dtype));
  std::fill_n(kernel.out, 2, p.inout.dtype);
  return run_rows(ctx, kernel, p.inout.shape, rows_from(1, 2), outputs, in);
}

}  // namespace impl::cpu
