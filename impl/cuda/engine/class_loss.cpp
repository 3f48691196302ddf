// SPDX-License-Identifier: BSD-3-Clause
// Negative log likelihood, cross entropy, and their gradients.
#include <limits>

#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/fill.hpp"
#include "impl/common/engine/loss_nll.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cuda/engine/deferred.hpp"
#include "impl/cuda/kernels/elementwise/check.hpp"
#include "impl/cuda/kernels/loss/class_loss.hpp"
#include "impl/cuda/kernels/loss/reduced_loss.hpp"
#include "impl/cuda/kernels/norm/norm.hpp"
#include "impl/cuda/kernels/reduce/reduce.hpp"
#include "impl/cuda/kernels/softmax/softmax.hpp"

namespace impl::cuda {

namespace {

constexpr diopiDtype_t kDouble = diopi_dtype_float64;

ClassParams params_of(const ClassLoss& loss) { return {loss.classes, loss.ignore_index, loss.label_smoothing}; }

uint32_t all_of(const Dims& shape) { return (1u << shape.n) - 1; }

// A vector of one element for each class as an operand that broadcasts to the shape of the input.
RowInput per_class(const ClassLoss& loss, const TensorView* vector) {
  if (vector == nullptr) return RowInput(1.0);
  TensorView view = *vector;
  while (view.ndim() < loss.input.ndim() - loss.class_dim) view = view.unsqueeze(view.ndim());
  return view;
}

Status make_samples(diopiContextHandle_t ctx, const ClassLoss& loss, TensorView* view) {
  return diopi::make_temporary(ctx, loss.sample_shape(), kDouble, "samples", view);
}

// The sum of all elements as a float64 temporary.
Status sum_all(diopiContextHandle_t ctx, const TensorView& values, TensorView* sum) {
  DIOPI_TRY(diopi::make_temporary(ctx, Dims(), kDouble, "sum", sum));
  FoldCall fold;
  fold.shape = values.shape;
  fold.mask = all_of(values.shape);
  fold.in[0] = values;
  fold.out[0] = *sum;
  return fold_sum(ctx, diopi::ReduceOp::kSum, kDouble, fold);
}

// The error of a target that is neither a class nor ignore_index.
Refusal class_refusal(const ClassLoss& loss) {
  const int64_t classes = loss.classes, ignore_index = loss.ignore_index;
  return Refusal([classes, ignore_index](int64_t, int64_t value) -> Status {
    const TensorView none;
    ClassLoss numbers{none, none};
    numbers.classes = classes;
    numbers.ignore_index = ignore_index;
    return diopi::refuse_class(numbers, value);
  });
}

Status check_targets(diopiContextHandle_t ctx, const ClassLoss& loss) {
  if (loss.has_probabilities()) return diopiSuccess;
  return check_below(ctx, loss.target, loss.classes, loss.ignore_index, class_refusal(loss));
}

Status reduce_loss(diopiContextHandle_t ctx, const ClassLoss& loss, bool has_scores, const TensorView& out,
                   const TensorView* total_weight) {
  ReducedLoss call{};
  call.has_scores = has_scores;
  call.out = &out;
  call.total_weight = total_weight;
  if (loss.reduction != ReductionNone) DIOPI_TRY(diopi::Workspace(ctx).take(parts_of_loss(loss), &call.parts));
  if (diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  DeferredCheck check;
  DIOPI_TRY(check.begin(ctx, class_refusal(loss)));
  call.bad = check.bad();
  DIOPI_TRY(compute_reduced_loss(stream, loss, call));
  return check.end();
}

// The largest score of each sample and the sum of the exponentials of the scores without it.
struct Scores {
  TensorView largest, sum;
};

Status find_scores(diopiContextHandle_t ctx, const ClassLoss& loss, Scores* scores) {
  DIOPI_TRY(make_samples(ctx, loss, &scores->largest));
  DIOPI_TRY(make_samples(ctx, loss, &scores->sum));
  FusedCall call;
  call.shape = loss.input.shape;
  call.mask = 1u << loss.class_dim;
  call.in[0] = loss.input;
  call.results[0] = scores->largest;
  call.results[1] = scores->sum;
  return fused_softmax(ctx, diopi::SoftmaxOp::kSoftmax, true, call);
}

// Folds over the classes with the operands x, z, s and weight.
FoldCall fold_classes(const ClassLoss& loss, const Scores& scores) {
  FoldCall fold;
  fold.shape = loss.input.shape;
  fold.mask = 1u << loss.class_dim;
  fold.in[0] = loss.input;
  fold.in[1] = scores.largest;
  fold.in[2] = scores.sum;
  fold.in[3] = per_class(loss, loss.weight);
  return fold;
}

// The weights of the targets, and their losses if `losses` has memory.
Status target_losses(diopiContextHandle_t ctx, const ClassLoss& loss, const Scores* scores, const TensorView& losses,
                     TensorView* weights) {
  DIOPI_TRY(make_samples(ctx, loss, weights));
  TensorView smooth;
  if (scores != nullptr && losses.data != nullptr && loss.label_smoothing != 0) {
    DIOPI_TRY(make_samples(ctx, loss, &smooth));
    FoldCall fold = fold_classes(loss, *scores);
    fold.out[0] = smooth;
    DIOPI_TRY(fold_log_probabilities(ctx, fold));
  }
  const TargetLosses targets{losses.data != nullptr ? &loss.input : nullptr,
                             &loss.target,
                             loss.weight,
                             loss.class_dim,
                             scores != nullptr ? scores->largest.ptr<double>() : nullptr,
                             scores != nullptr ? scores->sum.ptr<double>() : nullptr,
                             smooth.ptr<double>(),
                             losses.ptr<double>(),
                             weights->ptr<double>()};
  return compute_target_losses(ctx, params_of(loss), targets);
}

// out = a / b for numbers that broadcast to `out`.
Status divide(diopiContextHandle_t ctx, const TensorView& out, const RowInput& a, const RowInput& b) {
  PointwiseCall call;
  call.shape = out.shape;
  call.in[0] = a;
  call.in[1] = b;
  call.out[0] = out;
  constexpr double kNoLeast = -std::numeric_limits<double>::infinity();
  return pointwise_divide(ctx, kNoLeast, call);
}

// Writes the losses of the samples, or their sum divided by `divisor`.
Status write_losses(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& out, const TensorView& losses,
                    const RowInput& divisor) {
  if (loss.reduction == ReductionNone) return copy_apart(ctx, loss.per_sample(out), losses);
  TensorView sum;
  DIOPI_TRY(sum_all(ctx, losses, &sum));
  return divide(ctx, out, sum, divisor);
}

// The divisor of a mean of losses whose targets are probabilities. Without classes the mean is NaN, as in PyTorch.
double probability_divisor(const ClassLoss& loss) {
  if (loss.reduction != ReductionMean) return 1;
  return loss.classes > 0 ? static_cast<double>(loss.samples) : 0;
}

RowInput gradient_per_sample(const ClassLoss& loss, const TensorView& grad_output) {
  return loss.reduction == ReductionNone ? loss.per_sample(grad_output) : grad_output;
}

// The numbers of the classes.
Status class_numbers(diopiContextHandle_t ctx, const ClassLoss& loss, RowInput* numbers) {
  Dims shape;
  shape.push_back(loss.classes);
  TensorView vector;
  DIOPI_TRY(diopi::make_temporary(ctx, shape, diopi_dtype_int64, "classes", &vector));
  diopiScalar_t start{}, step{};
  start.stype = step.stype = diopi_dtype_int64;
  step.ival = 1;
  DIOPI_TRY(fill_arange(ctx, vector, start, step));
  *numbers = per_class(loss, &vector);
  return diopiSuccess;
}

Status index_gradient(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& grad_output,
                      PointwiseCall* call) {
  TensorView weights, weight_sum, divisor;
  DIOPI_TRY(target_losses(ctx, loss, nullptr, TensorView(), &weights));
  call->in[3] = loss.per_sample(loss.target);
  DIOPI_TRY(class_numbers(ctx, loss, &call->in[4]));
  call->in[5] = per_class(loss, loss.weight);
  call->in[6] = weights;
  call->in[7] = RowInput(static_cast<double>(loss.classes));
  if (loss.weight != nullptr) {
    DIOPI_TRY(sum_all(ctx, *loss.weight, &weight_sum));
    call->in[7] = weight_sum;
  }
  call->in[8] = gradient_per_sample(loss, grad_output);
  call->in[9] = RowInput(1.0);
  if (loss.reduction == ReductionMean) {
    DIOPI_TRY(sum_all(ctx, weights, &divisor));
    call->in[9] = divisor;
  }
  return pointwise_index_gradient(ctx, params_of(loss), *call);
}

}  // namespace

Status run_nll(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& out, const TensorView* total_weight) {
  if (has_few_launches(loss, out, false, total_weight != nullptr)) {
    return reduce_loss(ctx, loss, false, out, total_weight);
  }
  DIOPI_TRY(check_targets(ctx, loss));
  TensorView losses, weights, total;
  DIOPI_TRY(make_samples(ctx, loss, &losses));
  DIOPI_TRY(target_losses(ctx, loss, nullptr, losses, &weights));
  DIOPI_TRY(sum_all(ctx, weights, &total));
  DIOPI_TRY(write_losses(ctx, loss, out, losses, loss.reduction == ReductionMean ? RowInput(total) : RowInput(1.0)));
  if (total_weight == nullptr) return diopiSuccess;
  // If nothing is reduced, PyTorch sums no weights: the total is 0.
  return divide(ctx, *total_weight, loss.reduction == ReductionNone ? RowInput(0.0) : RowInput(total), RowInput(1.0));
}

Status run_nll_backward(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& grad_input,
                        const TensorView& grad_output, const TensorView* total_weight) {
  DIOPI_TRY(check_targets(ctx, loss));
  PointwiseCall call;
  TensorView weights, divisor;
  call.shape = loss.input.shape;
  call.in[0] = loss.per_sample(loss.target);
  DIOPI_TRY(class_numbers(ctx, loss, &call.in[1]));
  call.in[2] = per_class(loss, loss.weight);
  call.in[3] = gradient_per_sample(loss, grad_output);
  call.in[4] = RowInput(1.0);
  if (loss.reduction == ReductionMean && total_weight != nullptr) {
    call.in[4] = *total_weight;
  } else if (loss.reduction == ReductionMean) {
    DIOPI_TRY(target_losses(ctx, loss, nullptr, TensorView(), &weights));
    DIOPI_TRY(sum_all(ctx, weights, &divisor));
    call.in[4] = divisor;
  }
  call.out[0] = grad_input;
  return pointwise_nll_gradient(ctx, params_of(loss), call);
}

Status run_cross_entropy(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& out) {
  if (has_few_launches(loss, out, true, false)) return reduce_loss(ctx, loss, true, out, nullptr);
  DIOPI_TRY(check_targets(ctx, loss));
  Scores scores;
  TensorView losses, weights, total;
  DIOPI_TRY(find_scores(ctx, loss, &scores));
  DIOPI_TRY(make_samples(ctx, loss, &losses));
  if (loss.has_probabilities()) {
    FoldCall fold = fold_classes(loss, scores);
    fold.in[4] = loss.target;
    fold.out[0] = losses;
    DIOPI_TRY(fold_shares(ctx, params_of(loss), fold));
    return write_losses(ctx, loss, out, losses, RowInput(probability_divisor(loss)));
  }
  DIOPI_TRY(target_losses(ctx, loss, &scores, losses, &weights));
  if (loss.reduction != ReductionMean) return write_losses(ctx, loss, out, losses, RowInput(1.0));
  DIOPI_TRY(sum_all(ctx, weights, &total));
  return write_losses(ctx, loss, out, losses, total);
}

Status run_cross_entropy_backward(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& grad_input,
                                  const TensorView& grad_output) {
  DIOPI_TRY(check_targets(ctx, loss));
  if (grad_input.numel == 0) return diopiSuccess;
  Scores scores;
  DIOPI_TRY(find_scores(ctx, loss, &scores));
  PointwiseCall call;
  call.shape = loss.input.shape;
  call.in[0] = loss.input;
  call.in[1] = scores.largest;
  call.in[2] = scores.sum;
  call.out[0] = grad_input;
  if (!loss.has_probabilities()) return index_gradient(ctx, loss, grad_output, &call);
  TensorView shares;
  DIOPI_TRY(make_samples(ctx, loss, &shares));
  FoldCall fold = fold_classes(loss, scores);
  fold.in[4] = loss.target;
  fold.out[1] = shares;
  DIOPI_TRY(fold_shares(ctx, params_of(loss), fold));
  call.in[3] = loss.target;
  call.in[4] = per_class(loss, loss.weight);
  call.in[5] = shares;
  call.in[6] = gradient_per_sample(loss, grad_output);
  call.in[7] = RowInput(probability_divisor(loss));
  return pointwise_probability_gradient(ctx, params_of(loss), call);
}

}  // namespace impl::cuda
