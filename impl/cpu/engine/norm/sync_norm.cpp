// SPDX-License-Identifier: BSD-3-Clause
// The steps of synchronised batch normalisation: the operands as the kernels read them, and statistics of channels.
#include "impl/cpu/norm/sync_norm.hpp"

#include <algorithm>
#include <cmath>

#include "impl/common/engine/norm_sync.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/doubles.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {

namespace {

double elements_per_channel(const ChannelShape& shape) { return static_cast<double>(shape.samples * shape.space); }

// A vector of channels as an operand that is broadcast to [batch, channels, positions].
TensorView per_channel(const TensorView& view) { return view.unsqueeze(1).unsqueeze(0); }

}  // namespace

Status run_channel_moments(diopiContextHandle_t ctx, const ChannelMomentsProblem& p) {
  ChannelShape shape = channel_shape(p.input);
  shape.dtype = p.input.dtype;
  double* centre = nullptr;
  BatchForward forward{};
  forward.eps = p.eps;
  DIOPI_TRY(read_vector(ctx, p.centre, shape.channels, 0, &centre));
  for (double** values : {&forward.mean, &forward.m2, &forward.invstd}) {
    DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, values));
  }
  if (p.input.numel > 0) {
    TensorView x;
    DIOPI_TRY(arrange_input(ctx, p.input, nullptr, shape.columns, shape.dtype, &x));
    DIOPI_TRY(batch_statistics(ctx, shape, x.data, forward));
    const double n = elements_per_channel(shape);
    for (int64_t c = 0; c < shape.channels; ++c) {
      const double off = p.centre == nullptr ? 0 : forward.mean[c] - centre[c];
      forward.m2[c] = forward.m2[c] / n + off * off;
    }
  } else {
    for (double* values : {forward.mean, forward.m2, forward.invstd}) {
      std::fill_n(values, shape.channels, p.of_nothing);
    }
  }
  write_vector(p.mean, forward.mean);
  write_vector(p.variance, forward.m2);
  write_vector(p.invstd, forward.invstd);
  return diopiSuccess;
}

Status run_gather_statistics(diopiContextHandle_t ctx, const GatherStatisticsProblem& p) {
  const int64_t devices = p.mean_all.shape[0], channels = p.mean_all.shape[1];
  double *means = nullptr, *inverses = nullptr, *counts = nullptr, *running_mean = nullptr, *running_var = nullptr;
  double *mean = nullptr, *invstd = nullptr;
  DIOPI_TRY(read_doubles(ctx, p.mean_all, &means));
  DIOPI_TRY(read_doubles(ctx, p.invstd_all, &inverses));
  DIOPI_TRY(read_doubles(ctx, p.counts, &counts));
  DIOPI_TRY(read_vector(ctx, p.running_mean, channels, 0, &running_mean));
  DIOPI_TRY(read_vector(ctx, p.running_var, channels, 0, &running_var));
  for (double** values : {&mean, &invstd}) DIOPI_TRY(diopi::Workspace(ctx).take(channels, values));
  double n = 0;
  for (int64_t r = 0; r < devices; ++r) n += counts[r];
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    for (int64_t r = 0; r < devices; ++r) sum += counts[r] * means[r * channels + c];
    mean[c] = sum / n;
    for (int64_t r = 0; r < devices; ++r) {
      const double off = means[r * channels + c] - mean[c], inverse = inverses[r * channels + c];
      squares += counts[r] * (1 / (inverse * inverse) - p.eps) + counts[r] * off * off;
    }
    invstd[c] = 1 / std::sqrt(squares / n + p.eps);
    running_mean[c] = (1 - p.momentum) * running_mean[c] + p.momentum * mean[c];
    running_var[c] = (1 - p.momentum) * running_var[c] + p.momentum * (squares / (n - 1));
  }
  write_vector(&p.mean, mean);
  write_vector(&p.invstd, invstd);
  write_vector(p.running_mean, running_mean);
  write_vector(p.running_var, running_var);
  return diopiSuccess;
}

Status run_channel_scale(diopiContextHandle_t ctx, const ChannelScaleProblem& p) {
  ChannelShape shape = channel_shape(p.input);
  shape.dtype = joint_dtype(p.out, p.input);
  double *weight = nullptr, *bias = nullptr, *mean = nullptr, *invstd = nullptr;
  DIOPI_TRY(read_vector(ctx, p.weight, shape.channels, 1, &weight));
  DIOPI_TRY(read_vector(ctx, p.bias, shape.channels, 0, &bias));
  DIOPI_TRY(read_vector(ctx, &p.mean, shape.channels, 0, &mean));
  DIOPI_TRY(read_vector(ctx, &p.invstd, shape.channels, 0, &invstd));
  if (p.input.numel == 0) return diopiSuccess;
  TensorView x, y;
  DIOPI_TRY(arrange_input(ctx, p.input, &p.out, shape.columns, shape.dtype, &x));
  DIOPI_TRY(arrange(ctx, p.out, shape.columns, shape.dtype, false, &y));
  DIOPI_TRY(batch_forward(ctx, shape, y.data, x.data, {weight, bias, mean, invstd, nullptr, false, 0}));
  put_back(p.out, y);
  return diopiSuccess;
}

Status run_channel_gradient_sums(diopiContextHandle_t ctx, const ChannelGradientSumsProblem& p) {
  ChannelShape shape = channel_shape(p.input);
  shape.dtype = joint_dtype(p.grad_output, p.input);
  double *mean = nullptr, *invstd = nullptr, *sum_dy = nullptr, *sum_dy_xmu = nullptr;
  DIOPI_TRY(read_vector(ctx, p.mean, shape.channels, 0, &mean));
  DIOPI_TRY(read_vector(ctx, p.invstd, shape.channels, 1, &invstd));
  for (double** sum : {&sum_dy, &sum_dy_xmu}) DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, sum));
  TensorView dy, x;
  DIOPI_TRY(arrange_input(ctx, p.grad_output, nullptr, shape.columns, shape.dtype, &dy));
  DIOPI_TRY(arrange_input(ctx, p.input, nullptr, shape.columns, shape.dtype, &x));
  DIOPI_TRY(batch_backward(ctx, shape, nullptr, dy.data, x.data, {nullptr, mean, invstd, sum_dy, sum_dy_xmu, true}));
  write_vector(p.sum_dy, sum_dy);
  write_vector(p.grad_bias, sum_dy);
  write_vector(p.sum_dy_xmu, sum_dy_xmu);
  for (int64_t c = 0; c < shape.channels; ++c) sum_dy_xmu[c] *= invstd[c];
  write_vector(p.grad_weight, sum_dy_xmu);
  return diopiSuccess;
}

Status run_channel_gradient(diopiContextHandle_t ctx, const ChannelGradientProblem& p) {
  ChannelShape shape = channel_shape(p.input);
  shape.dtype = gradient_dtype(p.grad_output, p.input, &p.grad_input);
  double *mean = nullptr, *scale = nullptr, *a = nullptr, *b = nullptr, *weight = nullptr, *counts = nullptr;
  DIOPI_TRY(read_vector(ctx, p.mean, shape.channels, 0, &mean));
  DIOPI_TRY(read_vector(ctx, p.weight, shape.channels, 1, &weight));
  DIOPI_TRY(read_vector(ctx, &p.invstd, shape.channels, 1, &scale));
  DIOPI_TRY(read_vector(ctx, &p.sum_dy, shape.channels, 0, &a));
  DIOPI_TRY(read_vector(ctx, &p.sum_dy_xmu, shape.channels, 0, &b));
  double n = elements_per_channel(shape);
  if (p.counts != nullptr) {
    DIOPI_TRY(read_doubles(ctx, *p.counts, &counts));
    n = 0;
    for (int64_t i = 0; i < p.counts->numel; ++i) n += counts[i];
  }
  for (int64_t c = 0; c < shape.channels; ++c) {
    const double r = p.is_std ? 1 / scale[c] : scale[c];
    scale[c] = weight[c] * r;
    a[c] *= scale[c] / n;
    b[c] *= scale[c] * (p.is_std ? 1 : r * r) / n;
  }
  if (p.input.numel == 0) return diopiSuccess;
  TensorView dx, dy, x;
  DIOPI_TRY(arrange_input(ctx, p.grad_output, &p.grad_input, shape.columns, shape.dtype, &dy));
  DIOPI_TRY(arrange_input(ctx, p.input, &p.grad_input, shape.columns, shape.dtype, &x));
  DIOPI_TRY(arrange(ctx, p.grad_input, shape.columns, shape.dtype, false, &dx));
  DIOPI_TRY(batch_grad_input(ctx, shape, dx.data, dy.data, x.data, {mean, scale, a, b}));
  put_back(p.grad_input, dx);
  return diopiSuccess;
}

Status run_sync_norm(diopiContextHandle_t ctx, const SyncNormProblem& p) {
  const int64_t channels = p.input.shape[1];
  double *mean = nullptr, *variance = nullptr, *std = nullptr, *running_mean = nullptr, *running_var = nullptr;
  DIOPI_TRY(read_vector(ctx, &p.mean, channels, 0, &mean));
  DIOPI_TRY(read_vector(ctx, &p.variance, channels, 0, &variance));
  DIOPI_TRY(read_vector(ctx, &p.running_mean, channels, 0, &running_mean));
  DIOPI_TRY(read_vector(ctx, &p.running_var, channels, 0, &running_var));
  DIOPI_TRY(diopi::Workspace(ctx).take(channels, &std));
  const double n = static_cast<double>(p.input.shape[0] * p.input.shape[2]) * p.groups;
  for (int64_t c = 0; c < channels; ++c) {
    std[c] = std::sqrt(variance[c] + p.eps);
    const double sample = n > 1 ? variance[c] * (n / (n - 1)) : variance[c];
    running_mean[c] = p.momentum * mean[c] + (1 - p.momentum) * running_mean[c];
    running_var[c] = p.momentum * sample + (1 - p.momentum) * running_var[c];
  }
  TensorView deviation = p.variance;
  deviation.data = reinterpret_cast<char*>(std);
  deviation.dtype = diopi_dtype_float64;
  deviation.stride[0] = 1;
  const TensorView operands[] = {p.input, per_channel(p.mean), per_channel(deviation), per_channel(p.weight),
                                 per_channel(p.bias)};
  const TensorView outputs[] = {p.norm, p.out};
  bool wide = false;
  for (const TensorView* view : {&p.input, &p.mean, &p.variance, &p.weight, &p.bias, &p.norm, &p.out}) {
    wide = wide || view->dtype == diopi_dtype_float64;
  }
  const diopiDtype_t dtype = wide ? diopi_dtype_float64 : diopi_dtype_float32;
  const ElementwiseKernel kernel = uniform_kernel(sync_norm_kernel(dtype), dtype, 5, nullptr, 2);
  DIOPI_TRY(run_elementwise(ctx, kernel, outputs, operands));
  write_vector(&p.std, std);
  write_vector(&p.running_mean, running_mean);
  write_vector(&p.running_var, running_var);
  return diopiSuccess;
}

}  // namespace impl::cpu
