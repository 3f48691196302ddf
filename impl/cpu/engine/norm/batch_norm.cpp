// SPDX-License-Identifier: BSD-3-Clause
// Batch normalisation: the operands as the kernels read them, and running statistics.
#include <cmath>

#include "impl/common/engine/norm.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/doubles.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {

namespace {

// running = (1 - momentum) running + momentum value
void update_running(const TensorView* view, double* running, const double* value, int64_t count, double momentum) {
  if (view == nullptr) return;
  for (int64_t i = 0; i < count; ++i) running[i] = (1 - momentum) * running[i] + momentum * value[i];
  write_vector(view, running);
}

double inverse_std(double variance, double eps) { return 1 / std::sqrt(variance + eps); }

Status normalize(diopiContextHandle_t ctx, const BatchNormProblem& p, ChannelShape shape, const BatchForward& forward) {
  shape.dtype = joint_dtype(p.out, p.input);
  TensorView x, y;
  DIOPI_TRY(arrange_input(ctx, p.input, &p.out, shape.columns, shape.dtype, &x));
  DIOPI_TRY(arrange(ctx, p.out, shape.columns, shape.dtype, false, &y));
  DIOPI_TRY(batch_forward(ctx, shape, y.data, x.data, forward));
  put_back(p.out, y);
  return diopiSuccess;
}

Status train(diopiContextHandle_t ctx, const BatchNormProblem& p, const ChannelShape& shape, BatchForward forward,
             double* running_mean, double* running_var) {
  forward.training = true;
  forward.eps = p.eps;
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &forward.mean));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &forward.m2));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &forward.invstd));
  DIOPI_TRY(normalize(ctx, p, shape, forward));
  const double n = static_cast<double>(shape.samples * shape.space);
  for (int64_t i = 0; i < shape.channels; ++i) forward.m2[i] /= n - 1;  // the running variance is unbiased
  write_vector(p.save_mean, forward.mean);
  write_vector(p.save_invstd, forward.invstd);
  update_running(p.running_mean, running_mean, forward.mean, shape.channels, p.momentum);
  update_running(p.running_var, running_var, forward.m2, shape.channels, p.momentum);
  return diopiSuccess;
}

}  // namespace

Status run_batch_norm(diopiContextHandle_t ctx, const BatchNormProblem& p) {
  const ChannelShape shape = channel_shape(p.input);
  double *weight = nullptr, *bias = nullptr, *mean = nullptr, *var = nullptr;
  DIOPI_TRY(read_vector(ctx, p.weight, shape.channels, 1, &weight));
  DIOPI_TRY(read_vector(ctx, p.bias, shape.channels, 0, &bias));
  DIOPI_TRY(read_vector(ctx, p.running_mean, shape.channels, 0, &mean));
  DIOPI_TRY(read_vector(ctx, p.running_var, shape.channels, 0, &var));
  BatchForward forward{};
  forward.weight = weight;
  forward.bias = bias;
  if (p.training) return train(ctx, p, shape, forward, mean, var);
  forward.mean = mean;
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &forward.invstd));
  for (int64_t i = 0; i < shape.channels; ++i) forward.invstd[i] = inverse_std(var[i], p.eps);
  return normalize(ctx, p, shape, forward);
}

Status run_batch_norm_backward(diopiContextHandle_t ctx, const BatchNormBackwardProblem& p) {
  ChannelShape shape = channel_shape(p.input);
  shape.dtype = gradient_dtype(p.grad_output, p.input, p.grad_input);
  double *weight = nullptr, *mean = nullptr, *invstd = nullptr, *sum_dy = nullptr, *sum_dy_xmu = nullptr;
  DIOPI_TRY(read_vector(ctx, p.weight, shape.channels, 1, &weight));
  DIOPI_TRY(read_vector(ctx, &p.mean, shape.channels, 0, &mean));
  DIOPI_TRY(read_vector(ctx, &p.invstd, shape.channels, 0, &invstd));
  if (!p.training) {
    for (int64_t i = 0; i < shape.channels; ++i) invstd[i] = inverse_std(invstd[i], p.eps);
  }
  TensorView dx, dy, x;
  DIOPI_TRY(arrange_input(ctx, p.grad_output, p.grad_input, shape.columns, shape.dtype, &dy));
  DIOPI_TRY(arrange_input(ctx, p.input, p.grad_input, shape.columns, shape.dtype, &x));
  if (p.grad_input != nullptr) DIOPI_TRY(arrange(ctx, *p.grad_input, shape.columns, shape.dtype, false, &dx));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &sum_dy));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &sum_dy_xmu));
  const BatchBackward backward{weight, mean, invstd, sum_dy, sum_dy_xmu, p.training};
  DIOPI_TRY(batch_backward(ctx, shape, dx.data, dy.data, x.data, backward));
  if (p.grad_input != nullptr) put_back(*p.grad_input, dx);
  write_vector(p.grad_bias, sum_dy);
  for (int64_t i = 0; i < shape.channels; ++i) sum_dy_xmu[i] *= invstd[i];
  write_vector(p.grad_weight, sum_dy_xmu);
  return diopiSuccess;
}

}  // namespace impl::cpu
