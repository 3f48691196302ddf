// SPDX-License-Identifier: BSD-3-Clause
// Cross entropy of logits with class indices or probabilities, and its gradient.
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/class_loss/class_loss.hpp"
#include "impl/cpu/loss/cross_entropy.hpp"

namespace impl::cpu {

namespace {

// The operands of a row kernel: logits, targets, then the operands that the caller adds.
struct Rows {
  RowKernel kernel;
  CrossEntropyParams params;
  TensorView in[4];
  diopiDtype_t compute;

  explicit Rows(const ClassLoss& loss) : compute(diopi::compute_dtype(loss.input.dtype)) {
    params.label_smoothing = loss.label_smoothing;
    params.ignore_index = loss.ignore_index;
    add(loss.input, compute);
    if (loss.has_probabilities()) {
      add(loss.target, compute);
    } else {
      add(loss.per_sample(loss.target), diopi_dtype_int64);
    }
  }
  void add(const TensorView& view, diopiDtype_t dtype) {
    in[kernel.num_inputs] = view;
    kernel.in[kernel.num_inputs++] = dtype;
  }
  Status add_weight(diopiContextHandle_t ctx, const ClassLoss& loss, const double* values) {
    if (values == nullptr) return diopiSuccess;
    TensorView weight;
    Dims shape;  // of an operand that varies along the class dimension
    for (int i = loss.class_dim; i < loss.input.ndim(); ++i) shape.push_back(i == loss.class_dim ? loss.classes : 1);
    DIOPI_TRY(diopi::make_temporary(ctx, shape, compute, "weight", &weight));
    cast_function(diopi_dtype_float64, compute)(weight.data, values, loss.classes);
    add(weight, compute);
    params.has_weight = true;
    params.weight_sum = pairwise_sum(values, loss.classes);
    return diopiSuccess;
  }
};

// Finds the step from row to row of [samples, classes]. Returns false if the kernel cannot use the operand in place.
bool row_step(const TensorView& view, diopiDtype_t dtype, const ClassLoss& loss, int64_t* step) {
  if (view.dtype != dtype || view.ndim() > 2) return false;
  const int last = view.ndim() - 1;
  if (last >= 0 && view.shape[last] == loss.classes && loss.classes > 1 && view.stride[last] != 1) return false;
  const bool varies = view.ndim() == 2 && view.shape[0] == loss.samples && loss.samples > 1;
  *step = varies ? view.stride[0] * view.itemsize() : 0;
  return true;
}

// Calls the kernel without the row engine, whose overhead is too large for short rows. Returns false if the kernel
// cannot use all operands in place.
bool run_directly(CrossEntropyOp op, const ClassLoss& loss, const Rows& rows, const TensorView* outputs) {
  constexpr int64_t kLong = 256;
  const RowKernel& kernel = rows.kernel;
  if (loss.input.ndim() != 2 || loss.classes > kLong || loss.classes < 1) return false;
  AdjacentRows adjacent{loss.samples, loss.classes, kernel.num_outputs, kernel.num_inputs, {}, {}, {}, {}};
  for (int k = 0; k < kernel.num_outputs; ++k) {
    if (!row_step(outputs[k], kernel.out[k], loss, &adjacent.out_step[k])) return false;
    for (int i = 0; i < kernel.num_inputs; ++i) {
      if (diopi::may_overlap(outputs[k], rows.in[i])) return false;
    }
    adjacent.out[k] = outputs[k].data;
  }
  for (int k = 0; k < kernel.num_inputs; ++k) {
    if (!row_step(rows.in[k], kernel.in[k], loss, &adjacent.in_step[k])) return false;
    adjacent.in[k] = rows.in[k].data;
  }
  cross_entropy_rows(op, rows.compute, kernel.params, adjacent);
  return true;
}

Status run_kernel(diopiContextHandle_t ctx, CrossEntropyOp op, const ClassLoss& loss, Rows* rows,
                  const TensorView* outputs) {
  rows->kernel.fn = cross_entropy_kernel(op, rows->compute);
  rows->kernel.params = &rows->params;
  if (run_directly(op, loss, *rows, outputs)) return diopiSuccess;
  return run_rows(ctx, rows->kernel, loss.input.shape, 1u << loss.class_dim, outputs, rows->in);
}

// The divisor of a mean of losses whose targets are probabilities. Without classes the mean is NaN, as in PyTorch.
double probability_divisor(const ClassLoss& loss) { return loss.classes > 0 ? static_cast<double>(loss.samples) : 0.0; }

// The divisor of a mean: the weight of the targets, or the number of samples if targets are probabilities.
Status mean_divisor(diopiContextHandle_t ctx, const ClassLoss& loss, const PackedClasses& packed, double* divisor) {
  if (loss.has_probabilities()) {
    *divisor = probability_divisor(loss);
    return diopiSuccess;
  }
  Partials partials;
  DIOPI_TRY(partials.reserve(ctx, loss.samples));
  *divisor = nll_weight_total(samples_of(loss, packed), partials.data());
  return diopiSuccess;
}

}  // namespace

Status run_cross_entropy(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& out) {
  PackedClasses packed;
  DIOPI_TRY(pack_classes(ctx, loss, &packed));
  const bool probabilities = loss.has_probabilities();
  Rows rows(loss);
  DIOPI_TRY(rows.add_weight(ctx, loss, packed.weight));
  TensorView losses[2];  // and the weights of the targets
  rows.kernel.num_outputs = probabilities ? 1 : 2;
  for (int k = 0; k < rows.kernel.num_outputs; ++k) {
    rows.kernel.out[k] = diopi_dtype_float64;
    DIOPI_TRY(diopi::make_temporary(ctx, loss.sample_shape(), diopi_dtype_float64, "losses", &losses[k]));
  }
  const CrossEntropyOp op = probabilities ? CrossEntropyOp::kProbability : CrossEntropyOp::kIndex;
  DIOPI_TRY(run_kernel(ctx, op, loss, &rows, losses));
  double divisor = 1;
  if (loss.reduction == ReductionMean) {
    divisor = probabilities ? probability_divisor(loss) : pairwise_sum(losses[1].ptr<double>(), loss.samples);
  }
  return write_loss(ctx, out, loss, losses[0].ptr<double>(), divisor);
}

Status run_cross_entropy_backward(diopiContextHandle_t ctx, const ClassLoss& loss, const TensorView& grad_input,
                                  const TensorView& grad_output) {
  PackedClasses packed;
  DIOPI_TRY(pack_classes(ctx, loss, &packed));
  double divisor = 1;
  if (loss.reduction == ReductionMean) DIOPI_TRY(mean_divisor(ctx, loss, packed, &divisor));
  Rows rows(loss);
  rows.add(loss.reduction == ReductionNone ? loss.per_sample(grad_output) : grad_output, rows.compute);
  DIOPI_TRY(rows.add_weight(ctx, loss, packed.weight));
  rows.params.scale = 1 / divisor;
  rows.kernel.out[0] = rows.compute;
  const bool probabilities = loss.has_probabilities();
  const CrossEntropyOp op = probabilities ? CrossEntropyOp::kProbabilityBackward : CrossEntropyOp::kIndexBackward;
  return run_kernel(ctx, op, loss, &rows, &grad_input);
}

}  // namespace impl::cpu
