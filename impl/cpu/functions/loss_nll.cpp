// SPDX-License-Identifier: BSD-3-Clause
// Negative log likelihood of class indices, and its gradient.
#include <diopi/functions.h>

#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/functions/loss_class.hpp"
#include "impl/cpu/loss/nll.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// The samples of `view`, which has the shape of the input.
NllSamples samples_of(const ClassLoss& loss, const TensorView& view) {
  NllSamples s;
  for (int i = 0; i < view.ndim(); ++i) {
    if (i != loss.class_dim) s.nest.push_back(view.shape[i], view.stride[i] * view.itemsize());
  }
  s.nest.collapse();
  s.class_step = view.stride[loss.class_dim] * view.itemsize();
  s.classes = loss.classes;
  s.samples = loss.samples;
  s.targets = loss.targets;
  s.weight = loss.weight;
  s.ignore_index = loss.ignore_index;
  return s;
}

// Memory for nll_partials doubles, on the stack if it is large enough.
class Partials {
 public:
  Status reserve(diopiContextHandle_t ctx, int64_t samples) {
    const int64_t count = nll_partials(samples);
    if (count <= kOnStack) return diopiSuccess;
    return diopi::Workspace(ctx).take(count, &data_);
  }
  double* data() { return data_; }

 private:
  static constexpr int64_t kOnStack = 64;
  double stack_[kOnStack];
  double* data_ = stack_;
};

Status read_total_weight(diopiConstTensorHandle_t handle, TensorView* w) {
  DIOPI_TRY(read_tensor(handle, "totalWeight", w));
  DIOPI_TRY(require_floating(*w));
  DIOPI_REQUIRE(w->numel == 1, diopiErrorOccurred, "totalWeight has shape %s, expected one element",
                diopi::Text(w->shape).c_str());
  return diopiSuccess;
}

Status forward(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t total_weight,
               diopiConstTensorHandle_t input, diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
               diopiReduction_t reduction, int64_t ignore_index) {
  TensorView o, w;
  ClassLoss loss;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(read_class_loss(ctx, input, target, weight, reduction, ignore_index, false, &loss));
  DIOPI_TRY(require_loss_shape(&o, loss));
  DIOPI_TRY(require_floating(o));
  DIOPI_TRY(diopi::require_writable(o));
  if (total_weight != nullptr) DIOPI_TRY(read_total_weight(total_weight, &w));
  DIOPI_TRY(read_targets(ctx, &loss));
  NllTotal total{0, 0};
  const NllSamples samples = samples_of(loss, loss.input);
  if (reduction == ReductionNone) {
    double* losses = nullptr;
    DIOPI_TRY(diopi::Workspace(ctx).take(loss.samples, &losses));
    nll_losses(samples, loss.input.dtype, loss.input.data, losses);
    DIOPI_TRY(write_loss(ctx, o, loss, losses, 1));
  } else {
    Partials partials;
    DIOPI_TRY(partials.reserve(ctx, loss.samples));
    total = nll_total(samples, loss.input.dtype, loss.input.data, partials.data());
    const double value = reduction == ReductionMean ? total.loss / total.weight : total.loss;
    cast_function(diopi_dtype_float64, o.dtype)(o.data, &value, 1);
  }
  // If nothing is reduced, PyTorch sums no weights: the total is 0.
  if (total_weight != nullptr) cast_function(diopi_dtype_float64, w.dtype)(w.data, &total.weight, 1);
  return diopiSuccess;
}

// Reads the incoming gradients as doubles: one per sample, or one for all samples.
Status read_gradients(diopiContextHandle_t ctx, const TensorView& g, double* one, const double** grads) {
  *grads = one;
  if (g.numel == 1) {
    cast_function(g.dtype, diopi_dtype_float64)(one, g.data, 1);
    return diopiSuccess;
  }
  double* values = nullptr;
  DIOPI_TRY(read_doubles(ctx, g, &values));
  *grads = values;
  return diopiSuccess;
}

Status backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output,
                diopiConstTensorHandle_t input, diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                diopiConstTensorHandle_t total_weight, diopiReduction_t reduction, int64_t ignore_index) {
  TensorView o, g;
  ClassLoss loss;
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &o));
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &g));
  DIOPI_TRY(read_class_loss(ctx, input, target, weight, reduction, ignore_index, false, &loss));
  DIOPI_TRY(diopi::require_same_shape(o, loss.input));
  DIOPI_TRY(require_floating(o));
  DIOPI_TRY(diopi::require_writable(o));
  DIOPI_TRY(require_loss_shape(&g, loss));
  DIOPI_TRY(require_floating(g));
  TensorView w;
  if (total_weight != nullptr) DIOPI_TRY(read_total_weight(total_weight, &w));
  DIOPI_TRY(read_targets(ctx, &loss));
  double divisor = 1, one = 0;
  if (reduction == ReductionMean && total_weight != nullptr) {
    cast_function(w.dtype, diopi_dtype_float64)(&divisor, w.data, 1);
  } else if (reduction == ReductionMean) {
    Partials partials;
    DIOPI_TRY(partials.reserve(ctx, loss.samples));
    divisor = nll_weight_total(samples_of(loss, loss.input), partials.data());
  }
  const double* grads = nullptr;
  DIOPI_TRY(read_gradients(ctx, g, &one, &grads));
  TensorView result = o;
  if (diopi::may_overlap(result, loss.target)) {
    DIOPI_TRY(temporary(ctx, o.shape, o.dtype, "gradient", &result));
  }
  nll_gradient(samples_of(loss, result), result.dtype, result.data, grads, g.numel == 1, 1 / divisor);
  if (result.data != o.data) copy_view(o, result);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiNLLLoss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight, diopiReduction_t reduction,
                          int64_t ignore_index) {
  return forward(ctx, out, nullptr, input, target, weight, reduction, ignore_index);
}

diopiError_t diopiNLLLossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                  diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                  diopiReduction_t reduction, int64_t ignore_index) {
  return backward(ctx, grad_input, grad_output, input, target, weight, nullptr, reduction, ignore_index);
}

diopiError_t diopiNLLLossV2(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t totalWeight,
                            diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                            diopiConstTensorHandle_t weight, diopiReduction_t reduction, int64_t ignore_index) {
  return forward(ctx, out, totalWeight, input, target, weight, reduction, ignore_index);
}

diopiError_t diopiNLLLossV2Backward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                    diopiConstTensorHandle_t totalWeight, diopiReduction_t reduction,
                                    int64_t ignore_index) {
  return backward(ctx, grad_input, grad_output, input, target, weight, totalWeight, reduction, ignore_index);
}

}  // namespace impl::cpu
