// SPDX-License-Identifier: BSD-3-Clause
// Batch normalisation and its gradients. Channels are dimension 1.
#include <diopi/functions.h>

#include <cmath>
#include <initializer_list>

#include "impl/cpu/functions/norm_common.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// A tensor with one element per channel.
struct Vector {
  diopiConstTensorHandle_t handle;
  const char* name;
};

// Reads the shape. Channels are dimension 1. As in PyTorch, an input of shape [0] is accepted too; then the number of
// channels is the number of elements of the first of `vectors` that is not null.
Status read_channels(const TensorView& input, std::initializer_list<Vector> vectors, ChannelShape* shape) {
  if (input.ndim() == 1 && input.numel == 0) {
    *shape = ChannelShape();
    shape->columns = true;
    for (const Vector& vector : vectors) {
      TensorView view;
      if (vector.handle == nullptr) continue;
      DIOPI_TRY(read_tensor(vector.handle, vector.name, &view));
      shape->channels = view.numel;
      break;
    }
    return diopiSuccess;
  }
  DIOPI_REQUIRE(input.ndim() >= 2, diopiErrorOccurred, "input has shape %s, expected at least 2 dimensions",
                diopi::Text(input.shape).c_str());
  *shape = channel_shape(input);
  return diopiSuccess;
}

// running = (1 - momentum) running + momentum value
void update_running(const TensorView& view, double* running, const double* value, int64_t count, double momentum) {
  if (view.data == nullptr) return;
  for (int64_t i = 0; i < count; ++i) running[i] = (1 - momentum) * running[i] + momentum * value[i];
  write_vector(view, running);
}

double inverse_std(double variance, double eps) { return 1 / std::sqrt(variance + eps); }

// The tensors of one forward call, after reading and checking.
struct Forward {
  TensorView out, input, save_mean, save_invstd, running_mean, running_var;
  ChannelShape shape;
  double *weight = nullptr, *bias = nullptr, *old_mean = nullptr, *old_var = nullptr;
};

Status normalize(diopiContextHandle_t ctx, const Forward& f, BatchForward p) {
  ChannelShape shape = f.shape;
  shape.dtype = joint_dtype(f.out, f.input);
  p.weight = f.weight;
  p.bias = f.bias;
  TensorView x, y;
  DIOPI_TRY(arrange_input(ctx, f.input, f.out, shape.columns, shape.dtype, &x));
  DIOPI_TRY(arrange(ctx, f.out, shape.columns, shape.dtype, false, &y));
  DIOPI_TRY(batch_forward(ctx, shape, y.data, x.data, p));
  put_back(f.out, y);
  return diopiSuccess;
}

Status train(diopiContextHandle_t ctx, const Forward& f, double momentum, double eps) {
  BatchForward p{};
  p.training = true;
  p.eps = eps;
  DIOPI_TRY(diopi::Workspace(ctx).take(f.shape.channels, &p.mean));
  DIOPI_TRY(diopi::Workspace(ctx).take(f.shape.channels, &p.m2));
  DIOPI_TRY(diopi::Workspace(ctx).take(f.shape.channels, &p.invstd));
  DIOPI_TRY(normalize(ctx, f, p));
  const double n = static_cast<double>(f.shape.samples * f.shape.space);
  for (int64_t i = 0; i < f.shape.channels; ++i) p.m2[i] /= n - 1;  // the running variance is unbiased
  write_vector(f.save_mean, p.mean);
  write_vector(f.save_invstd, p.invstd);
  update_running(f.running_mean, f.old_mean, p.mean, f.shape.channels, momentum);
  update_running(f.running_var, f.old_var, p.m2, f.shape.channels, momentum);
  return diopiSuccess;
}

Status evaluate(diopiContextHandle_t ctx, const Forward& f, double eps) {
  BatchForward p{};
  p.mean = f.old_mean;
  DIOPI_TRY(diopi::Workspace(ctx).take(f.shape.channels, &p.invstd));
  for (int64_t i = 0; i < f.shape.channels; ++i) p.invstd[i] = inverse_std(f.old_var[i], eps);
  return normalize(ctx, f, p);
}

// The tensors of one backward call.
struct Backward {
  TensorView dx, dw, db, dy, x;
  ChannelShape shape;
  double *weight = nullptr, *mean = nullptr, *invstd = nullptr;
  bool training = false;
};

Status run_backward(diopiContextHandle_t ctx, const Backward& g) {
  ChannelShape shape = g.shape;
  shape.dtype = joint_dtype(g.dy, g.x);
  const bool writes = g.dx.data != nullptr;
  if (writes && g.dx.dtype != shape.dtype) shape.dtype = diopi::compute_dtype(shape.dtype);
  TensorView dx, dy, x;
  DIOPI_TRY(arrange_input(ctx, g.dy, g.dx, shape.columns, shape.dtype, &dy));
  DIOPI_TRY(arrange_input(ctx, g.x, g.dx, shape.columns, shape.dtype, &x));
  if (writes) DIOPI_TRY(arrange(ctx, g.dx, shape.columns, shape.dtype, false, &dx));
  BatchBackward p{g.weight, g.mean, g.invstd, nullptr, nullptr, g.training};
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &p.sum_dy));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &p.sum_dy_xmu));
  DIOPI_TRY(batch_backward(ctx, shape, dx.data, dy.data, x.data, p));
  if (writes) put_back(g.dx, dx);
  write_vector(g.db, p.sum_dy);
  for (int64_t i = 0; i < shape.channels; ++i) p.sum_dy_xmu[i] *= g.invstd[i];
  write_vector(g.dw, p.sum_dy_xmu);
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
  DIOPI_TRY(require_floating(f.input));
  DIOPI_TRY(read_channels(f.input,
                          {{running_mean, "running_mean"},
                           {running_var, "running_var"},
                           {weight, "weight"},
                           {bias, "bias"},
                           {save_mean, "save_mean"},
                           {save_invstd, "save_invstd"}},
                          &f.shape));
  DIOPI_TRY(diopi::require_same_shape(f.out, f.input));
  DIOPI_TRY(require_floating(f.out));
  DIOPI_TRY(diopi::require_writable(f.out));
  DIOPI_REQUIRE(training || (running_mean != nullptr && running_var != nullptr), diopiErrorOccurred,
                "%s is null, expected a tensor where training is false",
                running_mean == nullptr ? "running_mean" : "running_var");
  DIOPI_TRY(read_vector(ctx, weight, "weight", f.shape.channels, 1, &f.weight));
  DIOPI_TRY(read_vector(ctx, bias, "bias", f.shape.channels, 0, &f.bias));
  DIOPI_TRY(read_vector(ctx, running_mean, "running_mean", f.shape.channels, 0, &f.old_mean));
  DIOPI_TRY(read_vector(ctx, running_var, "running_var", f.shape.channels, 0, &f.old_var));
  if (!training) {
    DIOPI_TRY(check_unused(save_mean, "save_mean", 1));
    DIOPI_TRY(check_unused(save_invstd, "save_invstd", 1));
    return f.input.numel > 0 ? evaluate(ctx, f, eps) : Status();
  }
  DIOPI_TRY(read_output_vector(save_mean, "save_mean", f.shape.channels, &f.save_mean));
  DIOPI_TRY(read_output_vector(save_invstd, "save_invstd", f.shape.channels, &f.save_invstd));
  DIOPI_TRY(read_output_vector(running_mean, "running_mean", f.shape.channels, &f.running_mean));
  DIOPI_TRY(read_output_vector(running_var, "running_var", f.shape.channels, &f.running_var));
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
  DIOPI_TRY(require_floating(g.x));
  DIOPI_TRY(require_floating(g.dy));
  DIOPI_TRY(read_channels(
      g.x, {{training ? save_mean : running_mean, training ? "save_mean" : "running_mean"}, {weight, "weight"}},
      &g.shape));
  DIOPI_TRY(diopi::require_same_shape(g.dy, g.x));
  if (grad_input != nullptr) {
    DIOPI_TRY(read_tensor(grad_input, "grad_input", &g.dx));
    DIOPI_TRY(diopi::require_same_shape(g.dx, g.x));
    DIOPI_TRY(require_floating(g.dx));
    DIOPI_TRY(diopi::require_writable(g.dx));
  }
  DIOPI_TRY(read_output_vector(grad_weight, "grad_weight", g.shape.channels, &g.dw));
  DIOPI_TRY(read_output_vector(grad_bias, "grad_bias", g.shape.channels, &g.db));
  const diopiConstTensorHandle_t mean = training ? save_mean : running_mean, var = training ? save_invstd : running_var;
  const char* mean_name = training ? "save_mean" : "running_mean";
  const char* var_name = training ? "save_invstd" : "running_var";
  DIOPI_REQUIRE(mean != nullptr && var != nullptr, diopiErrorOccurred,
                "%s is null, expected a tensor where training is %s", mean == nullptr ? mean_name : var_name,
                training ? "true" : "false");
  DIOPI_TRY(check_unused(training ? running_mean : save_mean, training ? "running_mean" : "save_mean", 1));
  DIOPI_TRY(check_unused(training ? running_var : save_invstd, training ? "running_var" : "save_invstd", 1));
  DIOPI_TRY(read_vector(ctx, weight, "weight", g.shape.channels, 1, &g.weight));
  DIOPI_TRY(read_vector(ctx, mean, mean_name, g.shape.channels, 0, &g.mean));
  DIOPI_TRY(read_vector(ctx, var, var_name, g.shape.channels, 0, &g.invstd));
  if (!training) {
    for (int64_t i = 0; i < g.shape.channels; ++i) g.invstd[i] = inverse_std(g.invstd[i], eps);
  }
  return run_backward(ctx, g);
}

}  // namespace impl::cpu
