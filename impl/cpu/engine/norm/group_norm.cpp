// SPDX-License-Identifier: BSD-3-Clause
// Group normalisation: the operands as the kernels read them.
#include "impl/common/engine/norm.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/doubles.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {

namespace {

GroupShape group_shape(const TensorView& input, int64_t groups) {
  GroupShape shape;
  shape.samples = input.shape[0];
  shape.groups = groups;
  shape.channels = input.shape[1] / groups;
  shape.space = 1;
  for (int i = 2; i < input.ndim(); ++i) shape.space *= input.shape[i];
  return shape;
}

}  // namespace

Status run_group_norm(diopiContextHandle_t ctx, const GroupNormProblem& p) {
  GroupShape shape = group_shape(p.input, p.groups);
  shape.dtype = joint_dtype(p.out, p.input);
  double *weight = nullptr, *bias = nullptr, *mean = nullptr, *invstd = nullptr;
  DIOPI_TRY(read_vector(ctx, p.weight, p.input.shape[1], 1, &weight));
  DIOPI_TRY(read_vector(ctx, p.bias, p.input.shape[1], 0, &bias));
  TensorView x, y;
  DIOPI_TRY(arrange_input(ctx, p.input, &p.out, false, shape.dtype, &x));
  DIOPI_TRY(arrange(ctx, p.out, false, shape.dtype, false, &y));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.count(), &mean));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.count(), &invstd));
  DIOPI_TRY(group_forward(ctx, shape, y.data, x.data, weight, bias, p.eps, mean, invstd));
  put_back(p.out, y);
  DIOPI_TRY(write_doubles(ctx, p.mean, mean));
  return write_doubles(ctx, p.invstd, invstd);
}

Status run_group_norm_backward(diopiContextHandle_t ctx, const GroupNormBackwardProblem& p) {
  GroupShape shape = group_shape(p.input, p.groups);
  shape.dtype = gradient_dtype(p.grad_output, p.input, p.grad_input);
  const int64_t channels = p.input.shape[1];
  double *weight = nullptr, *mean = nullptr, *rstd = nullptr, *dw = nullptr, *db = nullptr;
  DIOPI_TRY(read_vector(ctx, p.weight, channels, 1, &weight));
  DIOPI_TRY(read_doubles(ctx, p.mean, &mean));
  DIOPI_TRY(read_doubles(ctx, p.invstd, &rstd));
  TensorView dx, dy, x;
  DIOPI_TRY(arrange_input(ctx, p.grad_output, p.grad_input, false, shape.dtype, &dy));
  DIOPI_TRY(arrange_input(ctx, p.input, p.grad_input, false, shape.dtype, &x));
  if (p.grad_input != nullptr) DIOPI_TRY(arrange(ctx, *p.grad_input, false, shape.dtype, false, &dx));
  DIOPI_TRY(diopi::Workspace(ctx).take(channels, &dw));
  DIOPI_TRY(diopi::Workspace(ctx).take(channels, &db));
  DIOPI_TRY(group_backward(ctx, shape, dx.data, dy.data, x.data, weight, {mean, rstd}, dw, db));
  if (p.grad_input != nullptr) put_back(*p.grad_input, dx);
  write_vector(p.grad_weight, dw);
  write_vector(p.grad_bias, db);
  return diopiSuccess;
}

}  // namespace impl::cpu
