// SPDX-License-Identifier: BSD-3-Clause
// Negative log likelihood of class indices, and its gradient.
#include "impl/common/engine/loss_nll.hpp"

#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/class_loss/class_loss.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/doubles.hpp"

namespace impl::cpu {

namespace {

// The samples of `view`, which has the shape of the input.
NllSamples samples_in(const ClassLoss& loss, const PackedClasses& packed, const TensorView& view) {
  NllSamples s = samples_of(loss, packed);
  for (int i = view.ndim() - 1; i >= 0; --i) {
    if (i != loss.class_dim) s.nest.push_back(view.shape[i], view.stride[i] * view.itemsize());
  }
  s.nest.drop_ones();
  s.nest.merge();
  s.class_step = view.stride[loss.class_dim] * view.itemsize();
  return s;
}

// Reads the incoming gradients as doubles: one for each sample, or one for all samples.
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

}  // namespace

Status run_nll(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& out, const TensorView* total_weight) {
  PackedClasses packed;
  DIOPI_TRY(pack_classes(ctx, loss, &packed));
  NllTotal total{0, 0};
  const NllSamples samples = samples_in(loss, packed, loss.input);
  if (loss.reduction == ReductionNone) {
    double* losses = nullptr;
    DIOPI_TRY(diopi::Workspace(ctx).take(loss.samples, &losses));
    nll_losses(samples, loss.input.dtype, loss.input.data, losses);
    DIOPI_TRY(write_loss(ctx, out, loss, losses, 1));
  } else {
    Partials partials;
    DIOPI_TRY(partials.reserve(ctx, loss.samples));
    total = nll_total(samples, loss.input.dtype, loss.input.data, partials.data());
    const double value = loss.reduction == ReductionMean ? total.loss / total.weight : total.loss;
    cast_function(diopi_dtype_float64, out.dtype)(out.data, &value, 1);
  }
  // If nothing is reduced, PyTorch sums no weights: the total is 0.
  if (total_weight != nullptr) {
    cast_function(diopi_dtype_float64, total_weight->dtype)(total_weight->data, &total.weight, 1);
  }
  return diopiSuccess;
}

Status run_nll_backward(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& grad_input,
                        const TensorView& grad_output, const TensorView* total_weight) {
  PackedClasses packed;
  DIOPI_TRY(pack_classes(ctx, loss, &packed));
  double divisor = 1, one = 0;
  if (loss.reduction == ReductionMean && total_weight != nullptr) {
    cast_function(total_weight->dtype, diopi_dtype_float64)(&divisor, total_weight->data, 1);
  } else if (loss.reduction == ReductionMean) {
    Partials partials;
    DIOPI_TRY(partials.reserve(ctx, loss.samples));
    divisor = nll_weight_total(samples_of(loss, packed), partials.data());
  }
  const double* grads = nullptr;
  DIOPI_TRY(read_gradients(ctx, grad_output, &one, &grads));
  TensorView result = grad_input;
  if (diopi::may_overlap(result, loss.target)) {
    DIOPI_TRY(diopi::make_temporary(ctx, result.shape, result.dtype, "gradient", &result));
  }
  const NllSamples samples = samples_in(loss, packed, result);
  nll_gradient(samples, result.dtype, result.data, grads, grad_output.numel == 1, 1 / divisor);
  if (result.data != grad_input.data) copy_view(grad_input, result);
  return diopiSuccess;
}

}  // namespace impl::cpu
