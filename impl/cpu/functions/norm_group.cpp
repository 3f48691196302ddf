// SPDX-License-Identifier: BSD-3-Clause
// Group normalisation and its gradients. Channels are dimension 1; adjacent channels form `num_groups` groups.
#include <diopi/functions.h>

#include <algorithm>

#include "impl/cpu/functions/norm_common.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

Status read_groups(const TensorView& input, int64_t num_groups, GroupShape* g) {
  DIOPI_REQUIRE(input.ndim() >= 2, diopiErrorOccurred, "input has shape %s, expected at least 2 dimensions",
                diopi::Text(input.shape).c_str());
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

// Reads a statistic with one value per sample and group: [N, G], or another shape with N * G elements in that order.
Status read_statistic(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle, const char* name, const GroupShape& g,
                      TensorView* view, double** values) {
  DIOPI_TRY(read_tensor(handle, name, view));
  DIOPI_REQUIRE(view->numel == g.count(), diopiErrorOccurred,
                "%s has shape %s, expected %lld elements, one per sample and group", name,
                diopi::Text(view->shape).c_str(), static_cast<long long>(g.count()));
  DIOPI_TRY(require_floating(*view));
  if (values == nullptr) return diopi::require_writable(*view);
  return read_doubles(ctx, *view, values);
}

Status forward(diopiContextHandle_t ctx, const TensorView& input, const TensorView& out, GroupShape shape, double eps,
               const double* weight, const double* bias, const TensorView& save_mean, const TensorView& save_invstd) {
  TensorView x, y;
  double *mean = nullptr, *invstd = nullptr;
  shape.dtype = joint_dtype(out, input);
  DIOPI_TRY(arrange_input(ctx, input, out, false, shape.dtype, &x));
  DIOPI_TRY(arrange(ctx, out, false, shape.dtype, false, &y));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.count(), &mean));
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.count(), &invstd));
  DIOPI_TRY(group_forward(ctx, shape, y.data, x.data, weight, bias, eps, mean, invstd));
  put_back(out, y);
  DIOPI_TRY(write_doubles(ctx, save_mean, mean));
  return write_doubles(ctx, save_invstd, invstd);
}

struct Backward {
  TensorView dx, dw, db, dy, x;
  GroupShape shape;
  double *weight = nullptr, *mean = nullptr, *rstd = nullptr;
};

Status run_backward(diopiContextHandle_t ctx, const Backward& k) {
  GroupShape shape = k.shape;
  shape.dtype = joint_dtype(k.dy, k.x);
  const bool writes = k.dx.data != nullptr;
  if (writes && k.dx.dtype != shape.dtype) shape.dtype = diopi::compute_dtype(shape.dtype);
  TensorView dx, dy, x;
  DIOPI_TRY(arrange_input(ctx, k.dy, k.dx, false, shape.dtype, &dy));
  DIOPI_TRY(arrange_input(ctx, k.x, k.dx, false, shape.dtype, &x));
  if (writes) DIOPI_TRY(arrange(ctx, k.dx, false, shape.dtype, false, &dx));
  const int64_t channels = shape.groups * shape.channels;
  double *dw = nullptr, *db = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(channels, &dw));
  DIOPI_TRY(diopi::Workspace(ctx).take(channels, &db));
  DIOPI_TRY(group_backward(ctx, shape, dx.data, dy.data, x.data, k.weight, k.mean, k.rstd, dw, db));
  if (writes) put_back(k.dx, dx);
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
  GroupShape g;
  double *w = nullptr, *b = nullptr;
  DIOPI_TRY(read_tensor(input, "input", &x));
  DIOPI_TRY(read_tensor(out, "out", &y));
  DIOPI_TRY(require_floating(x));
  DIOPI_TRY(read_groups(x, num_groups, &g));
  DIOPI_TRY(diopi::require_same_shape(y, x));
  DIOPI_TRY(require_floating(y));
  DIOPI_TRY(diopi::require_writable(y));
  DIOPI_TRY(read_statistic(ctx, save_mean, "save_mean", g, &mean, nullptr));
  DIOPI_TRY(read_statistic(ctx, save_invstd, "save_invstd", g, &invstd, nullptr));
  DIOPI_TRY(read_vector(ctx, weight, "weight", x.shape[1], 1, &w));
  DIOPI_TRY(read_vector(ctx, bias, "bias", x.shape[1], 0, &b));
  return forward(ctx, x, y, g, eps, w, b, mean, invstd);
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
  DIOPI_TRY(require_floating(k.x));
  DIOPI_TRY(require_floating(k.dy));
  DIOPI_TRY(read_groups(k.x, num_groups, &k.shape));
  DIOPI_TRY(diopi::require_same_shape(k.dy, k.x));
  if (grad_input != nullptr) {
    DIOPI_TRY(read_tensor(grad_input, "grad_input", &k.dx));
    DIOPI_TRY(diopi::require_same_shape(k.dx, k.x));
    DIOPI_TRY(require_floating(k.dx));
    DIOPI_TRY(diopi::require_writable(k.dx));
  }
  DIOPI_TRY(read_output_vector(grad_weight, "grad_weight", k.x.shape[1], &k.dw));
  DIOPI_TRY(read_output_vector(grad_bias, "grad_bias", k.x.shape[1], &k.db));
  DIOPI_TRY(read_vector(ctx, weight, "weight", k.x.shape[1], 1, &k.weight));
  DIOPI_TRY(read_statistic(ctx, mean, "mean", k.shape, &statistic, &k.mean));
  DIOPI_TRY(read_statistic(ctx, rstd, "rstd", k.shape, &statistic, &k.rstd));
  return run_backward(ctx, k);
}

}  // namespace impl::cpu
