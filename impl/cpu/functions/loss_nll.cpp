// Negative log likelihood of class indices, and its gradient.
#include <diopi/functions.h>

#include "impl/common/parallel.hpp"
#include "impl/cpu/functions/loss_class.hpp"
#include "impl/cpu/kernels/cast.hpp"
#include "impl/cpu/kernels/nest.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

constexpr int64_t kGrain = 4096;  // samples

// Positions of the samples of a tensor of the input's shape, in row-major order, at class 0.
Nest sample_nest(const TensorView& view, int class_dim) {
  Nest nest;
  for (int i = 0; i < view.ndim(); ++i) {
    if (i != class_dim) nest.push_back(view.shape[i], view.stride[i] * view.itemsize());
  }
  nest.collapse();
  return nest;
}

double weight_of(const ClassLoss& loss, int64_t target) {
  if (target == loss.ignore_index) return 0;
  return loss.weight != nullptr ? loss.weight[target] : 1;
}

Status sample_losses(diopiContextHandle_t ctx, const ClassLoss& loss, double** losses, double* total_weight) {
  int64_t* targets = nullptr;
  double* weights = nullptr;
  DIOPI_TRY(packed_targets(ctx, loss, &targets));
  DIOPI_TRY(diopi::Workspace(ctx).take(loss.samples, losses));
  DIOPI_TRY(diopi::Workspace(ctx).take(loss.samples, &weights));
  const Nest nest = sample_nest(loss.input, loss.class_dim);
  const CastFn cast = cast_function(loss.input.dtype, diopi_dtype_float64);
  const int64_t step = loss.input.stride[loss.class_dim] * loss.input.itemsize();
  diopi::parallel_for(loss.samples, kGrain, [&](int64_t begin, int64_t end) {
    NestWalker walker(nest, begin);
    for (int64_t i = begin; i < end; ++i, walker.advance(1)) {
      weights[i] = weight_of(loss, targets[i]);
      (*losses)[i] = 0;
      if (targets[i] == loss.ignore_index) continue;
      double value;
      cast(&value, loss.input.data + walker.offset() + targets[i] * step, 1);
      (*losses)[i] = -weights[i] * value;
    }
  });
  *total_weight = pairwise_sum(weights, loss.samples);
  return diopiSuccess;
}

Status forward(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t total_weight,
               diopiConstTensorHandle_t input, diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
               diopiReduction_t reduction, int64_t ignore_index) {
  TensorView o, w;
  ClassLoss loss;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(read_class_loss(ctx, input, target, weight, reduction, ignore_index, false, &loss));
  DIOPI_TRY(require_loss_shape(o, loss));
  DIOPI_TRY(diopi::require_castable(loss.input.dtype, o));
  DIOPI_TRY(diopi::require_writable(o));
  if (total_weight != nullptr) {
    DIOPI_TRY(read_tensor(total_weight, "totalWeight", &w));
    DIOPI_REQUIRE(w.numel == 1 && diopi::is_floating(w.dtype), diopiErrorOccurred,
                  "totalWeight has shape %s and dtype %s, expected one floating point element",
                  diopi::Text(w.shape).c_str(), diopi::dtype_name(w.dtype));
  }
  double *losses = nullptr, sum = 0;
  DIOPI_TRY(sample_losses(ctx, loss, &losses, &sum));
  DIOPI_TRY(write_loss(ctx, o, loss, losses, reduction == ReductionMean ? sum : 1));
  if (total_weight != nullptr) {
    // As in torch, nothing is summed up where nothing is reduced.
    if (reduction == ReductionNone) sum = 0;
    cast_function(diopi_dtype_float64, w.dtype)(w.data, &sum, 1);
  }
  return diopiSuccess;
}

void zero_block(void* const* out, const void* const*, int64_t n, const void* params) {
  std::memset(out[0], 0, static_cast<size_t>(n) * *static_cast<const int*>(params));
}

// grad_input[target] = -weight g, zero elsewhere.
void scatter_gradients(const ClassLoss& loss, const TensorView& grad_input, const TensorView& grad_output,
                       const int64_t* targets, double scale) {
  const bool reduced = loss.reduction != ReductionNone;
  const Nest nest = sample_nest(grad_input, loss.class_dim);
  Nest grads;
  for (int i = 0; i < grad_output.ndim() && !reduced; ++i) {
    grads.push_back(grad_output.shape[i], grad_output.stride[i] * grad_output.itemsize());
  }
  const CastFn read = cast_function(grad_output.dtype, diopi_dtype_float64);
  const CastFn write = cast_function(diopi_dtype_float64, grad_input.dtype);
  const int64_t step = grad_input.stride[loss.class_dim] * grad_input.itemsize();
  diopi::parallel_for(loss.samples, kGrain, [&](int64_t begin, int64_t end) {
    NestWalker at(nest, begin), grad_at(grads, reduced ? 0 : begin);
    for (int64_t i = begin; i < end; ++i, at.advance(1)) {
      double g = 0;
      read(&g, grad_output.data + grad_at.offset(), 1);
      if (!reduced) grad_at.advance(1);
      if (targets[i] == loss.ignore_index) continue;
      const double value = -weight_of(loss, targets[i]) * g * scale;
      write(grad_input.data + at.offset() + targets[i] * step, &value, 1);
    }
  });
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
  DIOPI_TRY(diopi::require_castable(loss.input.dtype, o));
  DIOPI_TRY(diopi::require_writable(o));
  DIOPI_TRY(require_loss_shape(g, loss));
  DIOPI_REQUIRE(diopi::is_floating(g.dtype), diopiDtypeNotSupported,
                "grad_output has dtype %s, expected a floating point dtype", diopi::dtype_name(g.dtype));
  double divisor = 1;
  if (reduction == ReductionMean && total_weight != nullptr) {
    TensorView w;
    DIOPI_TRY(read_tensor(total_weight, "totalWeight", &w));
    DIOPI_REQUIRE(w.numel == 1 && diopi::is_floating(w.dtype), diopiErrorOccurred,
                  "totalWeight has shape %s and dtype %s, expected one floating point element",
                  diopi::Text(w.shape).c_str(), diopi::dtype_name(w.dtype));
    cast_function(w.dtype, diopi_dtype_float64)(&divisor, w.data, 1);
  } else if (reduction == ReductionMean) {
    double* unused = nullptr;
    DIOPI_TRY(sample_losses(ctx, loss, &unused, &divisor));
  }
  int64_t* targets = nullptr;
  DIOPI_TRY(packed_targets(ctx, loss, &targets));
  DIOPI_TRY(separate_from(ctx, o, &g));
  const int size = o.itemsize();
  DIOPI_TRY(run_elementwise(ctx, uniform_kernel(zero_block, o.dtype, 0, &size), &o, nullptr));
  scatter_gradients(loss, o, g, targets, 1 / divisor);
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
