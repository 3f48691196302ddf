// SPDX-License-Identifier: BSD-3-Clause
// Cross entropy of logits with class indices or probabilities, label smoothing, and its gradient.
#include <diopi/functions.h>

#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/functions/loss_class.hpp"
#include "impl/cpu/loss/cross_entropy.hpp"
#include "impl/cpu/loss/nll.hpp"

namespace impl::cpu {

using diopi::read_tensor;

namespace {

// The operands of a row kernel: logits, targets, then the operands that the caller adds.
struct Rows {
  RowKernel kernel;
  CrossEntropyParams params;
  TensorView in[4];

  void add(const TensorView& view, diopiDtype_t dtype) {
    in[kernel.num_inputs] = view;
    kernel.in[kernel.num_inputs++] = dtype;
  }
};

Status read_smoothing(double label_smoothing, Rows* rows) {
  DIOPI_REQUIRE(!(label_smoothing > 1), diopiErrorOccurred, "label_smoothing = %g is more than 1", label_smoothing);
  rows->params.label_smoothing = label_smoothing > 0 ? label_smoothing : 0;  // torch accepts negative values too
  return diopiSuccess;
}

void add_logits_and_targets(const ClassLoss& loss, Rows* rows) {
  rows->params.ignore_index = loss.ignore_index;
  rows->add(loss.input, loss.compute);
  if (has_probabilities(loss)) {
    rows->add(loss.target, loss.compute);
  } else {
    rows->add(per_sample(loss.target, loss), diopi_dtype_int64);
  }
}

Status add_weight(diopiContextHandle_t ctx, const ClassLoss& loss, Rows* rows) {
  if (loss.weight == nullptr) return diopiSuccess;
  TensorView weight;
  DIOPI_TRY(constant_operand(ctx, loss.weight, loss.classes, loss.class_dim, loss.input.ndim(), loss.compute, &weight));
  rows->add(weight, loss.compute);
  rows->params.has_weight = true;
  rows->params.weight_sum = pairwise_sum(loss.weight, loss.classes);
  return diopiSuccess;
}

// Finds the step from row to row of [samples, classes]. Returns false if the kernel cannot use the operand in place.
bool row_step(const TensorView& view, diopiDtype_t dtype, int64_t samples, int64_t classes, int64_t* step) {
  if (view.dtype != dtype || view.ndim() > 2) return false;
  const int last = view.ndim() - 1;
  if (last >= 0 && view.shape[last] == classes && classes > 1 && view.stride[last] != 1) return false;
  *step = view.ndim() == 2 && view.shape[0] == samples && samples > 1 ? view.stride[0] * view.itemsize() : 0;
  return true;
}

// Calls the kernel without the row engine, whose overhead is too large for short rows. Returns false if the kernel
// cannot use all operands in place.
bool run_directly(const ClassLoss& loss, const RowKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  constexpr int64_t kLong = 256, kGrain = 16384;
  if (loss.input.ndim() != 2 || loss.classes > kLong || loss.classes < 1) return false;
  int64_t out_step[2], in_step[4];
  for (int k = 0; k < kernel.num_outputs; ++k) {
    if (!row_step(outputs[k], kernel.out[k], loss.samples, loss.classes, &out_step[k])) return false;
    for (int i = 0; i < kernel.num_inputs; ++i) {
      if (diopi::may_overlap(outputs[k], inputs[i])) return false;
    }
  }
  for (int k = 0; k < kernel.num_inputs; ++k) {
    if (!row_step(inputs[k], kernel.in[k], loss.samples, loss.classes, &in_step[k])) return false;
  }
  diopi::parallel_for(loss.samples, std::max<int64_t>(1, kGrain / (loss.classes + 16)),
                      [&](int64_t begin, int64_t end) {
                        void* out[2];
                        const void* in[4];
                        for (int64_t row = begin; row < end; ++row) {
                          for (int k = 0; k < kernel.num_outputs; ++k) out[k] = outputs[k].data + row * out_step[k];
                          for (int k = 0; k < kernel.num_inputs; ++k) in[k] = inputs[k].data + row * in_step[k];
                          kernel.fn(out, in, loss.classes, kernel.params);
                        }
                      });
  return true;
}

Status run(diopiContextHandle_t ctx, CrossEntropyOp op, const ClassLoss& loss, Rows* rows, const TensorView* outputs) {
  rows->kernel.fn = cross_entropy_kernel(op, loss.compute);
  rows->kernel.params = &rows->params;
  for (int k = 0; k < rows->kernel.num_outputs; ++k) DIOPI_TRY(diopi::require_writable(outputs[k]));
  if (run_directly(loss, rows->kernel, outputs, rows->in)) return diopiSuccess;
  return run_rows(ctx, rows->kernel, loss.input.shape, 1u << loss.class_dim, outputs, rows->in);
}

// Computes the divisor of a mean of losses whose targets are probabilities. Without classes the mean is NaN, as in
// PyTorch.
double probability_divisor(const ClassLoss& loss) { return loss.classes > 0 ? static_cast<double>(loss.samples) : 0.0; }

// Computes the divisor of a mean: the weight of the targets, or the number of samples if targets are probabilities.
Status mean_divisor(diopiContextHandle_t ctx, const ClassLoss& loss, double* divisor) {
  if (has_probabilities(loss)) {
    *divisor = probability_divisor(loss);
    return diopiSuccess;
  }
  NllSamples samples;
  samples.samples = loss.samples;
  samples.targets = loss.targets;
  samples.weight = loss.weight;
  samples.ignore_index = loss.ignore_index;
  double* partials = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(nll_partials(loss.samples), &partials));
  *divisor = nll_weight_total(samples, partials);
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiCrossEntropyLoss(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                   diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                   diopiReduction_t reduction, int64_t ignore_index, double label_smoothing) {
  TensorView o, losses[2];
  ClassLoss loss;
  Rows rows;
  DIOPI_TRY(read_tensor(out, "out", &o));
  DIOPI_TRY(read_smoothing(label_smoothing, &rows));
  DIOPI_TRY(read_class_loss(ctx, input, target, weight, reduction, ignore_index, true, &loss));
  DIOPI_TRY(require_loss_shape(&o, loss));
  DIOPI_TRY(require_floating(o));
  DIOPI_TRY(diopi::require_writable(o));
  DIOPI_TRY(read_targets(ctx, &loss));
  const bool probabilities = has_probabilities(loss);
  add_logits_and_targets(loss, &rows);
  DIOPI_TRY(add_weight(ctx, loss, &rows));
  rows.kernel.num_outputs = probabilities ? 1 : 2;
  for (int k = 0; k < rows.kernel.num_outputs; ++k) {
    rows.kernel.out[k] = diopi_dtype_float64;
    DIOPI_TRY(temporary(ctx, loss.sample_shape(), diopi_dtype_float64, "losses", &losses[k]));
  }
  DIOPI_TRY(run(ctx, probabilities ? CrossEntropyOp::kProbability : CrossEntropyOp::kIndex, loss, &rows, losses));
  double divisor = 1;
  if (reduction == ReductionMean) {
    divisor = probabilities ? probability_divisor(loss) : pairwise_sum(losses[1].ptr<double>(), loss.samples);
  }
  return write_loss(ctx, o, loss, losses[0].ptr<double>(), divisor);
}

diopiError_t diopiCrossEntropyLossBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                           diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                           diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                           diopiReduction_t reduction, int64_t ignore_index, double label_smoothing) {
  TensorView o, g;
  ClassLoss loss;
  Rows rows;
  DIOPI_TRY(read_tensor(grad_input, "grad_input", &o));
  DIOPI_TRY(read_tensor(grad_output, "grad_output", &g));
  DIOPI_TRY(read_smoothing(label_smoothing, &rows));
  DIOPI_TRY(read_class_loss(ctx, input, target, weight, reduction, ignore_index, true, &loss));
  DIOPI_TRY(diopi::require_same_shape(o, loss.input));
  DIOPI_TRY(require_floating(o));
  DIOPI_TRY(require_loss_shape(&g, loss));
  DIOPI_TRY(require_floating(g));
  DIOPI_TRY(diopi::require_writable(o));
  DIOPI_TRY(read_targets(ctx, &loss));
  double divisor = 1;
  if (reduction == ReductionMean) DIOPI_TRY(mean_divisor(ctx, loss, &divisor));
  add_logits_and_targets(loss, &rows);
  if (reduction == ReductionNone) g = per_sample(g, loss);
  rows.add(g, loss.compute);
  DIOPI_TRY(add_weight(ctx, loss, &rows));
  rows.params.scale = 1 / divisor;
  rows.kernel.out[0] = loss.compute;
  const bool probabilities = has_probabilities(loss);
  return run(ctx, probabilities ? CrossEntropyOp::kProbabilityBackward : CrossEntropyOp::kIndexBackward, loss, &rows,
             &o);
}

}  // namespace impl::cpu
