// Layer normalisation over the last dimensions, and its gradients.
#include <diopi/functions.h>

#include <algorithm>

#include "impl/cpu/functions/norm_common.hpp"
#include "impl/cpu/kernels/reduce_kernels.hpp"

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
  if (!diopi::is_floating(view->dtype)) return unsupported_dtype(view->dtype, {view});
  return diopi::require_shape(*view, layer.shape);
}

// One value per row: the leading dimensions, with or without the normalised ones as 1. Made to have all of them.
Status read_statistic(diopiConstTensorHandle_t handle, const char* name, const TensorView& input, const Layer& layer,
                      TensorView* view) {
  DIOPI_TRY(read_tensor(handle, name, view));
  if (!diopi::is_floating(view->dtype)) return unsupported_dtype(view->dtype, {view});
  DIOPI_TRY(diopi::require_reduced_shape(*view, input, layer.rows));
  while (view->ndim() < input.ndim()) *view = view->unsqueeze(view->ndim());
  return diopiSuccess;
}

// The sum over everything but the normalised dimensions.
Status sum_rows(diopiContextHandle_t ctx, const TensorView& input, const Layer& layer, diopiDtype_t compute,
                const TensorView& out) {
  return run_reduce(ctx, *reduce_kernel(ReduceOp::kSum, compute), &out, input, (1u << layer.first) - 1);
}

Status write_grad_weight(diopiContextHandle_t ctx, const TensorView* in, const Layer& layer, diopiDtype_t compute,
                         const TensorView& out) {
  TensorView product;
  DIOPI_TRY(temporary(ctx, in[0].shape, compute, "product", &product));
  const BlockFn fn = norm_block_kernel(NormBlock::kGradWeight, compute);
  DIOPI_TRY(run_elementwise(ctx, uniform_kernel(fn, compute, 4), &product, in));
  return sum_rows(ctx, product, layer, compute, out);
}

Status read_gradient(diopiTensorHandle_t handle, const char* name, const Dims& shape, TensorView* view) {
  if (handle == nullptr) return diopiSuccess;
  DIOPI_TRY(read_tensor(handle, name, view));
  DIOPI_TRY(diopi::require_shape(*view, shape));
  if (!diopi::is_floating(view->dtype)) return unsupported_dtype(view->dtype, {view});
  return diopi::require_writable(*view);
}

}  // namespace

diopiError_t diopiLayerNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t save_mean,
                            diopiTensorHandle_t save_invstd, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
                            diopiSize_t normalized_shape, double eps) {
  TensorView in[3], outputs[3];
  Layer layer;
  diopiDtype_t compute;
  DIOPI_TRY(read_tensor(input, "input", &in[0]));
  DIOPI_TRY(read_tensor(out, "out", &outputs[0]));
  DIOPI_TRY(norm_compute_dtype(in[0], &compute));
  DIOPI_TRY(read_layer(in[0], normalized_shape, &layer));
  DIOPI_TRY(diopi::require_same_shape(outputs[0], in[0]));
  DIOPI_TRY(diopi::require_castable(in[0].dtype, outputs[0]));
  DIOPI_TRY(read_statistic(save_mean, "save_mean", in[0], layer, &outputs[1]));
  DIOPI_TRY(read_statistic(save_invstd, "save_invstd", in[0], layer, &outputs[2]));
  const LayerParams params{eps, weight != nullptr, bias != nullptr};
  RowKernel kernel;
  kernel.num_inputs = 1;
  if (weight != nullptr) DIOPI_TRY(read_parameter(weight, "weight", layer, &in[kernel.num_inputs++]));
  if (bias != nullptr) DIOPI_TRY(read_parameter(bias, "bias", layer, &in[kernel.num_inputs++]));
  kernel.fn = norm_row_kernel(NormRow::kLayer, compute);
  kernel.params = &params;
  kernel.num_outputs = 3;
  std::fill_n(kernel.in, 3, compute);
  std::fill_n(kernel.out, 3, compute);
  return run_rows(ctx, kernel, in[0].shape, layer.rows, outputs, in);
}

diopiError_t diopiLayerNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
                                    diopiConstTensorHandle_t mean, diopiConstTensorHandle_t rstd,
                                    diopiSize_t normalized_shape) {
  TensorView in[5], dx, dw, db;  // dy, x, mean, rstd, weight
  Layer layer;
  diopiDtype_t compute;
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &in[0]));
  DIOPI_TRY(read_tensor(input, "input", &in[1]));
  DIOPI_TRY(norm_compute_dtype(in[1], &compute));
  DIOPI_TRY(norm_compute_dtype(in[0], &compute));
  DIOPI_TRY(read_layer(in[1], normalized_shape, &layer));
  DIOPI_TRY(diopi::require_same_shape(in[0], in[1]));
  DIOPI_TRY(read_statistic(mean, "mean", in[1], layer, &in[2]));
  DIOPI_TRY(read_statistic(rstd, "rstd", in[1], layer, &in[3]));
  if (weight != nullptr) DIOPI_TRY(read_parameter(weight, "weight", layer, &in[4]));
  DIOPI_TRY(read_gradient(grad_input, "grad_input", in[1].shape, &dx));
  DIOPI_TRY(read_gradient(grad_weight, "grad_weight", layer.shape, &dw));
  DIOPI_TRY(read_gradient(grad_bias, "grad_bias", layer.shape, &db));
  if (grad_weight != nullptr) DIOPI_TRY(write_grad_weight(ctx, in, layer, compute, dw));
  if (grad_bias != nullptr) DIOPI_TRY(sum_rows(ctx, in[0], layer, compute, db));
  if (grad_input == nullptr) return diopiSuccess;
  const LayerParams params{0, weight != nullptr, false};
  RowKernel kernel;
  kernel.fn = norm_row_kernel(NormRow::kLayerBackward, compute);
  kernel.params = &params;
  kernel.num_inputs = weight != nullptr ? 5 : 4;
  std::fill_n(kernel.in, 5, compute);
  kernel.out[0] = compute;
  return run_rows(ctx, kernel, in[1].shape, layer.rows, &dx, in);
}

}  // namespace impl::cpu
