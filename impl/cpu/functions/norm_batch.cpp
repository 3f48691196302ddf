// Batch normalisation and its gradients. Channels are dimension 1.
#include <diopi/functions.h>

#include <algorithm>
#include <cmath>

#include "impl/cpu/functions/norm_common.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// How the statistics of channels are gathered: rows over space of each sample and channel where those are long,
// else rows over samples and space of each channel.
struct Channels {
  int64_t count = 0;     // channels
  int64_t elements = 0;  // per channel
  uint32_t space = 0;    // dimensions from 2 on
  uint32_t rows = 0;     // row dimensions of the statistics
  Dims partial;          // shape of the partial statistics
};

Status read_channels(const TensorView& input, Channels* c) {
  DIOPI_REQUIRE(input.ndim() >= 2, diopiErrorOccurred, "input has shape %s, expected at least 2 dimensions",
                diopi::Text(input.shape).c_str());
  c->count = input.shape[1];
  c->elements = c->count > 0 ? input.numel / c->count : 0;
  c->space = ((1u << input.ndim()) - 1) & ~3u;
  const int64_t per_sample = input.shape[0] > 0 ? c->elements / input.shape[0] : 0;
  c->rows = is_long_row(per_sample) ? c->space : c->space | 1u;
  c->partial = diopi::reduced_shape(input.shape, c->rows, true);
  return diopiSuccess;
}

// Runs a row kernel with two float64 results per row.
Status partial_sums(diopiContextHandle_t ctx, NormRow op, const Channels& c, const TensorView& like,
                    const TensorView* inputs, int num_inputs, diopiDtype_t compute, TensorView (&result)[2]) {
  DIOPI_TRY(temporary(ctx, c.partial, diopi_dtype_float64, "partial", &result[0]));
  DIOPI_TRY(temporary(ctx, c.partial, diopi_dtype_float64, "partial", &result[1]));
  RowKernel kernel;
  kernel.fn = norm_row_kernel(op, compute);
  kernel.num_inputs = num_inputs;
  kernel.num_outputs = 2;
  std::fill_n(kernel.in, num_inputs, compute);
  kernel.out[0] = kernel.out[1] = diopi_dtype_float64;
  return run_rows(ctx, kernel, like.shape, c.rows, result, inputs);
}

Status batch_moments(diopiContextHandle_t ctx, const TensorView& input, const Channels& c, diopiDtype_t compute,
                     double** mean, double** m2) {
  TensorView partial[2];
  DIOPI_TRY(partial_sums(ctx, NormRow::kMoments, c, input, &input, 1, compute, partial));
  DIOPI_TRY(diopi::Workspace(ctx).take(c.count, mean));
  DIOPI_TRY(diopi::Workspace(ctx).take(c.count, m2));
  const int64_t samples = c.partial[0];
  const double per_row = static_cast<double>(c.elements) / static_cast<double>(samples);
  for (int64_t i = 0; i < c.count; ++i) {
    Moments all;
    for (int64_t n = 0; n < samples; ++n) {
      const int64_t k = n * c.count + i;
      all.add(per_row, partial[0].ptr<double>()[k], partial[1].ptr<double>()[k]);
    }
    (*mean)[i] = all.mean;
    (*m2)[i] = all.m2;
  }
  return diopiSuccess;
}

// running = (1 - momentum) running + momentum value
void update_running(const TensorView& view, double* running, const double* value, int64_t count, double momentum) {
  if (view.data == nullptr) return;
  for (int64_t i = 0; i < count; ++i) running[i] = (1 - momentum) * running[i] + momentum * value[i];
  write_vector(view, running);
}

double inverse_std(double variance, double eps) { return 1 / std::sqrt(variance + eps); }

// The tensors of one forward call, read and checked.
struct Forward {
  TensorView out, input, save_mean, save_invstd, running_mean, running_var;
  Channels c;
  diopiDtype_t compute = diopi_dtype_float32;
  double *weight = nullptr, *bias = nullptr, *old_mean = nullptr, *old_var = nullptr;
};

Status normalize(diopiContextHandle_t ctx, const Forward& f, const double* mean, const double* invstd) {
  double* scale = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(f.c.count, &scale));
  for (int64_t i = 0; i < f.c.count; ++i) scale[i] = f.weight[i] * invstd[i];
  TensorView in[4] = {f.input};
  const int ndim = f.input.ndim();
  DIOPI_TRY(constant_operand(ctx, mean, f.c.count, 1, ndim, f.compute, &in[1]));
  DIOPI_TRY(constant_operand(ctx, scale, f.c.count, 1, ndim, f.compute, &in[2]));
  DIOPI_TRY(constant_operand(ctx, f.bias, f.c.count, 1, ndim, f.compute, &in[3]));
  return apply_norm(ctx, NormRow::kNormalize, NormBlock::kNormalize, f.compute, f.c.space, f.out, in, 4);
}

Status train(diopiContextHandle_t ctx, const Forward& f, double momentum, double eps) {
  double *mean = nullptr, *m2 = nullptr, *invstd = nullptr;
  DIOPI_TRY(batch_moments(ctx, f.input, f.c, f.compute, &mean, &m2));
  DIOPI_TRY(diopi::Workspace(ctx).take(f.c.count, &invstd));
  const double n = static_cast<double>(f.c.elements);
  for (int64_t i = 0; i < f.c.count; ++i) {
    invstd[i] = inverse_std(m2[i] / n, eps);
    m2[i] /= n - 1;  // the running variance is unbiased
  }
  DIOPI_TRY(normalize(ctx, f, mean, invstd));
  write_vector(f.save_mean, mean);
  write_vector(f.save_invstd, invstd);
  update_running(f.running_mean, f.old_mean, mean, f.c.count, momentum);
  update_running(f.running_var, f.old_var, m2, f.c.count, momentum);
  return diopiSuccess;
}

Status evaluate(diopiContextHandle_t ctx, const Forward& f, double eps) {
  double* invstd = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(f.c.count, &invstd));
  for (int64_t i = 0; i < f.c.count; ++i) invstd[i] = inverse_std(f.old_var[i], eps);
  return normalize(ctx, f, f.old_mean, invstd);
}

// The tensors of one backward call.
struct Backward {
  TensorView dx, dw, db, dy, x;
  Channels c;
  diopiDtype_t compute = diopi_dtype_float32;
  double *weight = nullptr, *mean = nullptr, *invstd = nullptr;
  bool training = false;
};

// dx = scale dy - a - (x - mean) b, where a and b are zero in evaluation: the statistics are constants then.
Status write_grad_input(diopiContextHandle_t ctx, const Backward& g, const double* sum_dy, const double* sum_dy_xmu) {
  double *scale = nullptr, *a = nullptr, *b = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(g.c.count, &scale));
  DIOPI_TRY(diopi::Workspace(ctx).take(g.c.count, &a));
  DIOPI_TRY(diopi::Workspace(ctx).take(g.c.count, &b));
  const double n = static_cast<double>(g.c.elements);
  for (int64_t i = 0; i < g.c.count; ++i) {
    scale[i] = g.weight[i] * g.invstd[i];
    a[i] = g.training ? scale[i] * sum_dy[i] / n : 0;
    b[i] = g.training ? scale[i] * g.invstd[i] * g.invstd[i] * sum_dy_xmu[i] / n : 0;
  }
  TensorView in[6] = {g.dy, g.x};
  const double* constants[] = {g.mean, a, b, scale};
  for (int k = 0; k < 4; ++k) {
    DIOPI_TRY(constant_operand(ctx, constants[k], g.c.count, 1, g.x.ndim(), g.compute, &in[2 + k]));
  }
  return apply_norm(ctx, NormRow::kGradInput, NormBlock::kGradInput, g.compute, g.c.space, g.dx, in, 6);
}

Status run_backward(diopiContextHandle_t ctx, const Backward& g) {
  TensorView partial[2], in[3] = {g.dy, g.x};
  DIOPI_TRY(constant_operand(ctx, g.mean, g.c.count, 1, g.x.ndim(), g.compute, &in[2]));
  DIOPI_TRY(partial_sums(ctx, NormRow::kGradSums, g.c, g.x, in, 3, g.compute, partial));
  double *sum_dy = nullptr, *sum_dy_xmu = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(g.c.count, &sum_dy));
  DIOPI_TRY(diopi::Workspace(ctx).take(g.c.count, &sum_dy_xmu));
  for (int64_t i = 0; i < g.c.count; ++i) {
    sum_dy[i] = sum_dy_xmu[i] = 0;
    for (int64_t n = 0; n < g.c.partial[0] && g.x.numel > 0; ++n) {
      sum_dy[i] += partial[0].ptr<double>()[n * g.c.count + i];
      sum_dy_xmu[i] += partial[1].ptr<double>()[n * g.c.count + i];
    }
  }
  if (g.dx.data != nullptr) DIOPI_TRY(write_grad_input(ctx, g, sum_dy, sum_dy_xmu));
  write_vector(g.db, sum_dy);
  for (int64_t i = 0; i < g.c.count; ++i) sum_dy_xmu[i] *= g.invstd[i];
  write_vector(g.dw, sum_dy_xmu);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiBatchNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t save_mean,
                            diopiTensorHandle_t save_invstd, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
                            diopiTensorHandle_t running_mean, diopiTensorHandle_t running_var, bool training,
                            double momentum, double eps) {
  Forward f;
  DIOPI_TRY(read_tensor(input, "input", &f.input));
  DIOPI_TRY(read_tensor(out, "out", &f.out));
  DIOPI_TRY(norm_compute_dtype(f.input, &f.compute));
  DIOPI_TRY(read_channels(f.input, &f.c));
  DIOPI_TRY(diopi::require_same_shape(f.out, f.input));
  DIOPI_TRY(diopi::require_castable(f.input.dtype, f.out));
  DIOPI_REQUIRE(training || (running_mean != nullptr && running_var != nullptr), diopiErrorOccurred,
                "%s is null, expected a tensor where training is false",
                running_mean == nullptr ? "running_mean" : "running_var");
  DIOPI_TRY(read_vector(ctx, weight, "weight", f.c.count, 1, &f.weight));
  DIOPI_TRY(read_vector(ctx, bias, "bias", f.c.count, 0, &f.bias));
  DIOPI_TRY(read_vector(ctx, running_mean, "running_mean", f.c.count, 0, &f.old_mean));
  DIOPI_TRY(read_vector(ctx, running_var, "running_var", f.c.count, 0, &f.old_var));
  if (!training) return f.input.numel > 0 ? evaluate(ctx, f, eps) : Status();
  DIOPI_TRY(read_output_vector(save_mean, "save_mean", f.c.count, &f.save_mean));
  DIOPI_TRY(read_output_vector(save_invstd, "save_invstd", f.c.count, &f.save_invstd));
  DIOPI_TRY(read_output_vector(running_mean, "running_mean", f.c.count, &f.running_mean));
  DIOPI_TRY(read_output_vector(running_var, "running_var", f.c.count, &f.running_var));
  return f.input.numel > 0 ? train(ctx, f, momentum, eps) : Status();
}

diopiError_t diopiBatchNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t weight, diopiConstTensorHandle_t running_mean,
                                    diopiConstTensorHandle_t running_var, diopiConstTensorHandle_t save_mean,
                                    diopiConstTensorHandle_t save_invstd, bool training, double eps) {
  Backward g;
  g.training = training;
  DIOPI_TRY(read_tensor(input, "input", &g.x));
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &g.dy));
  DIOPI_TRY(norm_compute_dtype(g.x, &g.compute));
  DIOPI_TRY(norm_compute_dtype(g.dy, &g.compute));
  DIOPI_TRY(read_channels(g.x, &g.c));
  DIOPI_TRY(diopi::require_same_shape(g.dy, g.x));
  if (grad_input != nullptr) {
    DIOPI_TRY(read_tensor(grad_input, "grad_input", &g.dx));
    DIOPI_TRY(diopi::require_same_shape(g.dx, g.x));
    DIOPI_TRY(diopi::require_castable(g.x.dtype, g.dx));
    DIOPI_TRY(diopi::require_writable(g.dx));
  }
  DIOPI_TRY(read_output_vector(grad_weight, "grad_weight", g.c.count, &g.dw));
  DIOPI_TRY(read_output_vector(grad_bias, "grad_bias", g.c.count, &g.db));
  const diopiConstTensorHandle_t mean = training ? save_mean : running_mean, var = training ? save_invstd : running_var;
  const char* mean_name = training ? "save_mean" : "running_mean";
  const char* var_name = training ? "save_invstd" : "running_var";
  DIOPI_REQUIRE(mean != nullptr && var != nullptr, diopiErrorOccurred,
                "%s is null, expected a tensor where training is %s", mean == nullptr ? mean_name : var_name,
                training ? "true" : "false");
  DIOPI_TRY(read_vector(ctx, weight, "weight", g.c.count, 1, &g.weight));
  DIOPI_TRY(read_vector(ctx, mean, mean_name, g.c.count, 0, &g.mean));
  DIOPI_TRY(read_vector(ctx, var, var_name, g.c.count, 0, &g.invstd));
  if (!training) {
    for (int64_t i = 0; i < g.c.count; ++i) g.invstd[i] = inverse_std(g.invstd[i], eps);
  }
  return run_backward(ctx, g);
}

}  // namespace impl::cpu
