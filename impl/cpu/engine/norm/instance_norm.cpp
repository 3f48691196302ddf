// SPDX-License-Identifier: BSD-3-Clause
// Instance normalisation: a group normalisation whose groups have one channel each.
#include "impl/common/engine/norm.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/doubles.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {

namespace {

GroupShape instance_shape(const TensorView& input, int axis) {
  GroupShape shape;
  shape.samples = axis > 0 ? input.shape[0] : 1;
  shape.groups = shape.channels = shape.space = 1;
  for (int i = 1; i < axis; ++i) shape.groups *= input.shape[i];
  for (int i = axis; i < input.ndim(); ++i) shape.space *= input.shape[i];
  return shape;
}

// The elements of a tensor of any shape; all are `fallback` if it is null.
Status read_channels(diopiContextHandle_t ctx, const TensorView* view, int64_t count, double fallback,
                     double** values) {
  return view == nullptr ? read_vector(ctx, nullptr, count, fallback, values) : read_doubles(ctx, *view, values);
}

}  // namespace

Status run_instance_norm(diopiContextHandle_t ctx, const InstanceNormProblem& p) {
  GroupShape shape = instance_shape(p.input, p.axis);
  shape.dtype = joint_dtype(p.out, p.input);
  double *scale = nullptr, *bias = nullptr, *mean = nullptr, *invstd = nullptr;
  DIOPI_TRY(read_channels(ctx, p.scale, shape.groups, 1, &scale));
  DIOPI_TRY(read_channels(ctx, p.bias, shape.groups, 0, &bias));
  TensorView x, y;
  DIOPI_TRY(arrange_input(ctx, p.input, &p.out, false, shape.dtype, &x));
  DIOPI_TRY(arrange(ctx, p.out, false, shape.dtype, false, &y));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.count(), &mean));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.count(), &invstd));
  DIOPI_TRY(group_forward(ctx, shape, y.data, x.data, scale, bias, p.eps, mean, invstd));
  put_back(p.out, y);
  return diopiSuccess;
}

Status run_instance_norm_backward(diopiContextHandle_t ctx, const InstanceNormBackwardProblem& p) {
  GroupShape shape = instance_shape(p.input, p.axis);
  shape.dtype = gradient_dtype(p.grad_output, p.input, p.grad_input);
  double *scale = nullptr, *mean = nullptr, *rstd = nullptr, *d_scale = nullptr, *d_bias = nullptr;
  DIOPI_TRY(read_channels(ctx, p.scale, shape.groups, 1, &scale));
  TensorView dx, dy, x;
  DIOPI_TRY(arrange_input(ctx, p.grad_output, p.grad_input, false, shape.dtype, &dy));
  DIOPI_TRY(arrange_input(ctx, p.input, p.grad_input, false, shape.dtype, &x));
  if (p.grad_input != nullptr) DIOPI_TRY(arrange(ctx, *p.grad_input, false, shape.dtype, false, &dx));
  for (double** statistic : {&mean, &rstd}) DIOPI_TRY(diopi::Workspace(ctx).take(shape.count(), statistic));
  for (double** sum : {&d_scale, &d_bias}) DIOPI_TRY(diopi::Workspace(ctx).take(shape.groups, sum));
  const GroupStatistics statistics{mean, rstd, false, p.eps};
  DIOPI_TRY(group_backward(ctx, shape, dx.data, dy.data, x.data, scale, statistics, d_scale, d_bias));
  if (p.grad_input != nullptr) put_back(*p.grad_input, dx);
  if (p.grad_scale != nullptr) DIOPI_TRY(write_doubles(ctx, *p.grad_scale, d_scale));
  return p.grad_bias != nullptr ? write_doubles(ctx, *p.grad_bias, d_bias) : Status(diopiSuccess);
}

}  // namespace impl::cpu
