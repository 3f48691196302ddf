// Group normalisation and its gradients: channels are dimension 1, in `num_groups` groups of neighbours.
#include <diopi/functions.h>

#include <algorithm>
#include <cmath>

#include "impl/cpu/functions/norm_common.hpp"
#include "impl/cpu/kernels/cast.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

struct Groups {
  int64_t samples = 0, groups = 0, channels = 0;  // channels per group
  int64_t space = 0;                              // elements per sample and channel
  int64_t count() const { return samples * groups; }
  double elements() const { return static_cast<double>(channels * space); }
};

Status read_groups(const TensorView& input, int64_t num_groups, Groups* g) {
  DIOPI_REQUIRE(input.ndim() >= 2 && input.ndim() < diopi::kMaxDims, diopiErrorOccurred,
                "input has shape %s, expected 2 to %d dimensions", diopi::Text(input.shape).c_str(),
                diopi::kMaxDims - 1);
  DIOPI_REQUIRE(num_groups > 0 && input.shape[1] % num_groups == 0, diopiErrorOccurred,
                "num_groups = %lld does not divide the %lld channels of input", static_cast<long long>(num_groups),
                static_cast<long long>(input.shape[1]));
  g->samples = input.shape[0];
  g->groups = num_groups;
  g->channels = input.shape[1] / num_groups;
  g->space = 1;
  for (int i = 2; i < input.ndim(); ++i) g->space *= input.shape[i];
  return diopiSuccess;
}

// [N, C, ...] as [N, G, C / G, ...].
TensorView split_channels(const TensorView& view, const Groups& g) {
  TensorView result = view.unsqueeze(2);
  result.shape[1] = g.groups;
  result.shape[2] = g.channels;
  result.stride[2] = view.stride[1];
  result.stride[1] = view.stride[1] * g.channels;
  return result;
}

uint32_t dims_from(const TensorView& split, int first) { return ((1u << split.ndim()) - 1) & ~((1u << first) - 1); }

// Doubles as an operand that varies along the first `dims` dimensions of [N, G, C / G, 1, ...].
Status leading_operand(diopiContextHandle_t ctx, const double* values, const TensorView& split, int dims,
                       diopiDtype_t compute, TensorView* view) {
  Dims shape = split.shape;
  for (int i = dims; i < shape.n; ++i) shape[i] = 1;
  DIOPI_TRY(temporary(ctx, shape, compute, "constant", view));
  cast_function(diopi_dtype_float64, compute)(view->data, values, view->numel);
  return diopiSuccess;
}

// A statistic per sample and group: [N, G], or another shape with N * G elements in that order.
Status read_statistic(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle, const char* name, const Groups& g,
                      TensorView* view, double** values) {
  DIOPI_TRY(read_tensor(handle, name, view));
  DIOPI_REQUIRE(view->numel == g.count(), diopiErrorOccurred,
                "%s has shape %s, expected %lld elements, one per sample and group", name,
                diopi::Text(view->shape).c_str(), static_cast<long long>(g.count()));
  if (!diopi::is_floating(view->dtype)) return unsupported_dtype(view->dtype, {view});
  if (values == nullptr) return diopi::require_writable(*view);
  return read_doubles(ctx, *view, values);
}

RowKernel sums_kernel(NormRow op, diopiDtype_t compute, int num_inputs) {
  RowKernel kernel;
  kernel.fn = norm_row_kernel(op, compute);
  kernel.num_inputs = num_inputs;
  kernel.num_outputs = 2;
  std::fill_n(kernel.in, num_inputs, compute);
  kernel.out[0] = kernel.out[1] = diopi_dtype_float64;
  return kernel;
}

Status forward(diopiContextHandle_t ctx, const TensorView& x, const TensorView& y, const Groups& g, double eps,
               const double* weight, const double* bias, const TensorView& save_mean, const TensorView& save_invstd,
               diopiDtype_t compute) {
  TensorView moments[2], in[4] = {x};
  const Dims shape = diopi::reduced_shape(x.shape, dims_from(x, 2), true);
  DIOPI_TRY(temporary(ctx, shape, diopi_dtype_float64, "mean", &moments[0]));
  DIOPI_TRY(temporary(ctx, shape, diopi_dtype_float64, "m2", &moments[1]));
  DIOPI_TRY(run_rows(ctx, sums_kernel(NormRow::kMoments, compute, 1), x.shape, dims_from(x, 2), moments, &x));
  double *mean = moments[0].ptr<double>(), *invstd = moments[1].ptr<double>(), *scale = nullptr;
  for (int64_t i = 0; i < g.count(); ++i) invstd[i] = 1 / std::sqrt(invstd[i] / g.elements() + eps);
  DIOPI_TRY(diopi::Workspace(ctx).take(g.count() * g.channels, &scale));
  for (int64_t i = 0; i < g.count(); ++i) {
    for (int64_t c = 0; c < g.channels; ++c) {
      scale[i * g.channels + c] = invstd[i] * weight[i % g.groups * g.channels + c];
    }
  }
  DIOPI_TRY(leading_operand(ctx, mean, x, 2, compute, &in[1]));
  DIOPI_TRY(leading_operand(ctx, scale, x, 3, compute, &in[2]));
  TensorView sample = x;  // the bias is the same for every sample
  sample.shape[0] = 1;
  DIOPI_TRY(leading_operand(ctx, bias, sample, 3, compute, &in[3]));
  DIOPI_TRY(apply_norm(ctx, NormRow::kNormalize, NormBlock::kNormalize, compute, dims_from(x, 3), y, in, 4));
  DIOPI_TRY(write_doubles(ctx, save_mean, mean));
  return write_doubles(ctx, save_invstd, invstd);
}

struct Backward {
  TensorView dx, dw, db, dy, x;
  Groups g;
  diopiDtype_t compute = diopi_dtype_float32;
  double *weight = nullptr, *mean = nullptr, *rstd = nullptr;
};

// dx = scale dy - a - (x - mean) b, with a and b one per group and scale one per channel.
Status write_grad_input(diopiContextHandle_t ctx, const Backward& k, const double* sum_dy, const double* sum_dy_xmu) {
  double *scale = nullptr, *a = nullptr, *b = nullptr;
  diopi::Workspace workspace(ctx);
  DIOPI_TRY(workspace.take(k.g.count() * k.g.channels, &scale));
  DIOPI_TRY(workspace.take(k.g.count(), &a));
  DIOPI_TRY(workspace.take(k.g.count(), &b));
  for (int64_t i = 0; i < k.g.count(); ++i) {
    const double* w = k.weight + i % k.g.groups * k.g.channels;
    const double r = k.rstd[i];
    double weighted = 0, weighted_xmu = 0;
    for (int64_t c = 0; c < k.g.channels; ++c) {
      const int64_t at = i * k.g.channels + c;
      weighted += w[c] * sum_dy[at];
      weighted_xmu += w[c] * sum_dy_xmu[at];
      scale[at] = w[c] * r;
    }
    a[i] = r * weighted / k.g.elements();
    b[i] = r * r * r * weighted_xmu / k.g.elements();
  }
  TensorView in[6] = {k.dy, k.x};
  DIOPI_TRY(leading_operand(ctx, k.mean, k.x, 2, k.compute, &in[2]));
  DIOPI_TRY(leading_operand(ctx, a, k.x, 2, k.compute, &in[3]));
  DIOPI_TRY(leading_operand(ctx, b, k.x, 2, k.compute, &in[4]));
  DIOPI_TRY(leading_operand(ctx, scale, k.x, 3, k.compute, &in[5]));
  return apply_norm(ctx, NormRow::kGradInput, NormBlock::kGradInput, k.compute, dims_from(k.x, 3), k.dx, in, 6);
}

Status run_backward(diopiContextHandle_t ctx, const Backward& k) {
  TensorView sums[2], in[3] = {k.dy, k.x};
  const Dims shape = diopi::reduced_shape(k.x.shape, dims_from(k.x, 3), true);
  DIOPI_TRY(temporary(ctx, shape, diopi_dtype_float64, "sum_dy", &sums[0]));
  DIOPI_TRY(temporary(ctx, shape, diopi_dtype_float64, "sum_dy_xmu", &sums[1]));
  DIOPI_TRY(leading_operand(ctx, k.mean, k.x, 2, k.compute, &in[2]));
  DIOPI_TRY(run_rows(ctx, sums_kernel(NormRow::kGradSums, k.compute, 3), k.x.shape, dims_from(k.x, 3), sums, in));
  const double *sum_dy = sums[0].ptr<double>(), *sum_dy_xmu = sums[1].ptr<double>();
  if (k.dx.data != nullptr) DIOPI_TRY(write_grad_input(ctx, k, sum_dy, sum_dy_xmu));
  const int64_t channels = k.g.groups * k.g.channels;
  double *dw = nullptr, *db = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(channels, &dw));
  DIOPI_TRY(diopi::Workspace(ctx).take(channels, &db));
  std::fill_n(dw, channels, 0.0);
  std::fill_n(db, channels, 0.0);
  for (int64_t i = 0; i < k.g.samples * channels; ++i) {
    dw[i % channels] += sum_dy_xmu[i] * k.rstd[i / k.g.channels];
    db[i % channels] += sum_dy[i];
  }
  write_vector(k.dw, dw);
  write_vector(k.db, db);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiGroupNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t save_mean,
                            diopiTensorHandle_t save_invstd, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, int64_t num_groups,
                            double eps) {
  TensorView x, y, mean, invstd;
  Groups g;
  diopiDtype_t compute;
  double *w = nullptr, *b = nullptr;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(out, "out", &y));
  DIOPI_TRY(norm_compute_dtype(x, &compute));
  DIOPI_TRY(read_groups(x, num_groups, &g));
  DIOPI_TRY(diopi::require_same_shape(y, x));
  DIOPI_TRY(diopi::require_castable(x.dtype, y));
  DIOPI_TRY(diopi::require_writable(y));
  DIOPI_TRY(read_statistic(ctx, save_mean, "save_mean", g, &mean, nullptr));
  DIOPI_TRY(read_statistic(ctx, save_invstd, "save_invstd", g, &invstd, nullptr));
  DIOPI_TRY(read_vector(ctx, weight, "weight", x.shape[1], 1, &w));
  DIOPI_TRY(read_vector(ctx, bias, "bias", x.shape[1], 0, &b));
  return forward(ctx, split_channels(x, g), split_channels(y, g), g, eps, w, b, mean, invstd, compute);
}

diopiError_t diopiGroupNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t weight, diopiConstTensorHandle_t mean,
                                    diopiConstTensorHandle_t rstd, int64_t num_groups) {
  Backward k;
  TensorView statistic;
  DIOPI_TRY(read_tensor(input, "input", &k.x));
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &k.dy));
  DIOPI_TRY(norm_compute_dtype(k.x, &k.compute));
  DIOPI_TRY(norm_compute_dtype(k.dy, &k.compute));
  DIOPI_TRY(read_groups(k.x, num_groups, &k.g));
  DIOPI_TRY(diopi::require_same_shape(k.dy, k.x));
  if (grad_input != nullptr) {
    DIOPI_TRY(read_tensor(grad_input, "grad_input", &k.dx));
    DIOPI_TRY(diopi::require_same_shape(k.dx, k.x));
    DIOPI_TRY(diopi::require_castable(k.x.dtype, k.dx));
    DIOPI_TRY(diopi::require_writable(k.dx));
  }
  DIOPI_TRY(read_output_vector(grad_weight, "grad_weight", k.x.shape[1], &k.dw));
  DIOPI_TRY(read_output_vector(grad_bias, "grad_bias", k.x.shape[1], &k.db));
  DIOPI_TRY(read_vector(ctx, weight, "weight", k.x.shape[1], 1, &k.weight));
  DIOPI_TRY(read_statistic(ctx, mean, "mean", k.g, &statistic, &k.mean));
  DIOPI_TRY(read_statistic(ctx, rstd, "rstd", k.g, &statistic, &k.rstd));
  k.x = split_channels(k.x, k.g);
  k.dy = split_channels(k.dy, k.g);
  if (k.dx.data != nullptr) k.dx = split_channels(k.dx, k.g);
  return run_backward(ctx, k);
}

}  // namespace impl::cpu
