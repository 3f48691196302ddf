// SPDX-License-Identifier: BSD-3-Clause
// Layer normalisation over the last dimensions, and its gradients.
#include <diopi/functions.h>

#include <algorithm>

#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/reduce/kernels.hpp"
#include "impl/cpu/functions/norm_common.hpp"
#include "impl/cpu/norm/layer.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// The normalised dimensions: all from `first` on.
struct Layer {
  int first = 0;
  uint32_t rows = 0;
  Dims shape;  // of the normalised dimensions
};

Status read_layer(const TensorView& input, const diopiSize_t& normalized_shape, Layer* layer) {
  const int64_t n = normalized_shape.len;
  bool fits = n >= 1 && n <= input.ndim();
  for (int64_t i = 0; i < n && fits; ++i) fits = normalized_shape.data[i] == input.shape[input.ndim() - n + i];
  DIOPI_REQUIRE(fits, diopiErrorOccurred, "normalized_shape = %s is not the end of the shape of input, %s",
                diopi::Text(normalized_shape).c_str(), diopi::Text(input.shape).c_str());
  layer->first = input.ndim() - static_cast<int>(n);
  layer->shape = Dims(normalized_shape);
  layer->rows = ((1u << input.ndim()) - 1) & ~((1u << layer->first) - 1);
  return diopiSuccess;
}

Status read_parameter(diopiConstTensorHandle_t handle, const char* name, const Layer& layer, TensorView* view) {
  DIOPI_TRY(read_tensor(handle, name, view));
  DIOPI_TRY(require_floating(*view));
  return diopi::require_shape(*view, layer.shape);
}

// Reads one value per row. Its shape is the leading dimensions, with or without the normalised ones as 1; they are
// added.
Status read_statistic(diopiConstTensorHandle_t handle, const char* name, const TensorView& input, const Layer& layer,
                      TensorView* view) {
  DIOPI_TRY(read_tensor(handle, name, view));
  DIOPI_TRY(require_floating(*view));
  DIOPI_TRY(diopi::require_reduced_shape(*view, input, layer.rows));
  while (view->ndim() < input.ndim()) *view = view->unsqueeze(view->ndim());
  return diopiSuccess;
}

Status read_gradient(diopiTensorHandle_t handle, const char* name, const Dims& shape, TensorView* view) {
  if (handle == nullptr) return diopiSuccess;
  DIOPI_TRY(read_tensor(handle, name, view));
  DIOPI_TRY(diopi::require_shape(*view, shape));
  DIOPI_TRY(require_floating(*view));
  return diopi::require_writable(*view);
}

// The number of rows in a partial sum of the gradients of weight and bias. There are enough partial sums for all
// threads.
int64_t rows_per_chunk(int64_t rows) { return std::clamp<int64_t>(rows / 64, 8, 64); }

struct LayerBackward {
  TensorView in[5], dx, dw, db;  // in: dy, x, mean, rstd, weight
  bool has_weight = false;
};

// Adds the rows of partial sums.
Status merge(diopiContextHandle_t ctx, const TensorView& partial, const TensorView& out) {
  TensorView flat = out;
  if (!out.is_contiguous()) DIOPI_TRY(temporary(ctx, out.shape, out.dtype, out.name, &flat));
  TensorView row = flat;
  row.shape = row.stride = Dims();
  row.shape.push_back(out.numel);
  row.stride.push_back(1);
  DIOPI_TRY(run_reduce(ctx, *reduce_kernel(ReduceOp::kSum, partial.dtype), &row, partial, 1));
  put_back(out, flat);
  return diopiSuccess;
}

Status run_backward(diopiContextHandle_t ctx, const LayerBackward& k, const Layer& layer) {
  const TensorView& x = k.in[1];
  const diopiDtype_t joint = joint_dtype(k.in[0], x), compute = diopi::compute_dtype(joint);
  const LayerGradients wants{k.has_weight, k.dx.data != nullptr, k.dw.data != nullptr, k.db.data != nullptr};
  const diopiDtype_t dtype = wants.wants_input && k.dx.dtype != joint ? compute : joint;
  const int64_t n = layer.shape.product(), rows = n > 0 ? x.numel / n : 0;
  RowKernel kernel;
  kernel.fn = layer_norm_backward_kernel(dtype);
  kernel.params = &wants;
  kernel.num_inputs = k.has_weight ? 5 : 4;
  std::fill_n(kernel.in, 2, dtype);
  std::fill_n(kernel.in + 2, 3, compute);
  kernel.num_outputs = 0;
  TensorView outputs[3];
  if (wants.wants_input) {
    kernel.out[0] = dtype;
    outputs[kernel.num_outputs++] = k.dx;
  }
  kernel.first_accumulated = kernel.num_outputs;
  if (wants.wants_weight || wants.wants_bias) kernel.chunk = rows_per_chunk(rows);
  Dims partial;
  partial.push_back((rows + kernel.chunk - 1) / kernel.chunk);
  partial.push_back(n);
  for (int i = 0; i < wants.wants_weight + wants.wants_bias; ++i) {
    TensorView& sums = outputs[kernel.num_outputs];
    DIOPI_TRY(temporary(ctx, partial, compute, "sums", &sums));
    if (sums.numel > 0) fill_zero(sums);
    kernel.out[kernel.num_outputs++] = compute;
  }
  const TensorView &weight_sums = outputs[wants.wants_input], &bias_sums = (&weight_sums)[wants.wants_weight];
  return diopi::run_steps([&] { return run_rows(ctx, kernel, x.shape, layer.rows, outputs, k.in); },
                          [&] { return wants.wants_weight ? merge(ctx, weight_sums, k.dw) : Status(); },
                          [&] { return wants.wants_bias ? merge(ctx, bias_sums, k.db) : Status(); });
}

}  // namespace

diopiError_t diopiLayerNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t save_mean,
                            diopiTensorHandle_t save_invstd, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
                            diopiSize_t normalized_shape, double eps) {
  TensorView in[3], outputs[3];
  Layer layer;
  DIOPI_TRY(read_tensor(input, "input", &in[0]));
  DIOPI_TRY(read_tensor(out, "out", &outputs[0]));
  DIOPI_TRY(require_floating(in[0]));
  DIOPI_TRY(read_layer(in[0], normalized_shape, &layer));
  DIOPI_TRY(diopi::require_same_shape(outputs[0], in[0]));
  DIOPI_TRY(require_floating(outputs[0]));
  DIOPI_TRY(read_statistic(save_mean, "save_mean", in[0], layer, &outputs[1]));
  DIOPI_TRY(read_statistic(save_invstd, "save_invstd", in[0], layer, &outputs[2]));
  const LayerParams params{eps, weight != nullptr, bias != nullptr};
  RowKernel kernel;
  kernel.num_inputs = 1;
  if (weight != nullptr) DIOPI_TRY(read_parameter(weight, "weight", layer, &in[kernel.num_inputs++]));
  if (bias != nullptr) DIOPI_TRY(read_parameter(bias, "bias", layer, &in[kernel.num_inputs++]));
  const diopiDtype_t dtype = joint_dtype(in[0], outputs[0]);
  kernel.fn = layer_norm_kernel(dtype);
  kernel.cost = 180;
  kernel.params = &params;
  kernel.num_outputs = 3;
  std::fill_n(kernel.in, 3, diopi::compute_dtype(dtype));
  std::fill_n(kernel.out, 3, diopi::compute_dtype(dtype));
  kernel.in[0] = kernel.out[0] = dtype;
  return run_rows(ctx, kernel, in[0].shape, layer.rows, outputs, in);
}

diopiError_t diopiLayerNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
                                    diopiConstTensorHandle_t mean, diopiConstTensorHandle_t rstd,
                                    diopiSize_t normalized_shape) {
  LayerBackward k;
  Layer layer;
  k.has_weight = weight != nullptr;
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &k.in[0]));
  DIOPI_TRY(read_tensor(input, "input", &k.in[1]));
  DIOPI_TRY(require_floating(k.in[1]));
  DIOPI_TRY(require_floating(k.in[0]));
  DIOPI_TRY(read_layer(k.in[1], normalized_shape, &layer));
  DIOPI_TRY(diopi::require_same_shape(k.in[0], k.in[1]));
  DIOPI_TRY(read_statistic(mean, "mean", k.in[1], layer, &k.in[2]));
  DIOPI_TRY(read_statistic(rstd, "rstd", k.in[1], layer, &k.in[3]));
  if (k.has_weight) DIOPI_TRY(read_parameter(weight, "weight", layer, &k.in[4]));
  DIOPI_TRY(check_unused(bias, "bias", layer.shape.n));
  DIOPI_TRY(read_gradient(grad_input, "grad_input", k.in[1].shape, &k.dx));
  DIOPI_TRY(read_gradient(grad_weight, "grad_weight", layer.shape, &k.dw));
  DIOPI_TRY(read_gradient(grad_bias, "grad_bias", layer.shape, &k.db));
  return run_backward(ctx, k, layer);
}

}  // namespace impl::cpu
