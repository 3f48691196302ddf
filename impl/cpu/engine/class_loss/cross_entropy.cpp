// SPDX-License-Identifier: BSD-3-Clause
// Cross entropy of logits with class indices or probabilities, and its gradient.
#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/class_loss/class_loss.hpp"
#include "impl/cpu/engine/doubles.hpp"
#include "impl/cpu/loss/cross_entropy.hpp"
#include "impl/cpu/loss/cross_entropy_columns.hpp"

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
    params.share = loss.label_smoothing / static_cast<double>(loss.classes);
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

Status run_kernel(diopiContextHandle_t ctx, CrossEntropyOp op, const ClassLoss& loss, Rows* rows,
                  const TensorView* outputs) {
  set_cross_entropy(op, rows->compute, &rows->kernel);
  rows->kernel.params = &rows->params;
  return run_rows(ctx, rows->kernel, loss.input.shape, 1u << loss.class_dim, outputs, rows->in);
}

// Logits whose samples are adjacent: [images, classes, positions], of which the positions are packed.
struct Images {
  char* data;
  int64_t image, channel;  // bytes from one to the next
  int64_t positions = 1;

  // Returns false for other layouts.
  bool take(const TensorView& view, int class_dim) {
    constexpr int64_t kFew = 8;
    if (view.ndim() < 3 || class_dim != 1) return false;
    for (int i = view.ndim() - 1; i > 1; --i) {
      if (view.shape[i] != 1 && view.stride[i] != positions) return false;
      positions *= view.shape[i];
    }
    data = view.data;
    image = view.stride[0] * view.itemsize();
    channel = view.stride[1] * view.itemsize();
    return positions >= kFew;
  }
};

bool has_adjacent_samples(const ClassLoss& loss, Images* images) {
  return !loss.has_probabilities() && loss.label_smoothing == 0 && loss.classes > 0 &&
         images->take(loss.input, loss.class_dim);
}

// Calls f(columns, image, first position, first sample) for parts of all images, in parallel.
template <typename F>
void for_columns(const ClassLoss& loss, const PackedClasses& packed, const Images& x, const F& f) {
  constexpr int64_t kBudget = 1 << 17, kLeast = 64, kCost = 700;  // bytes; samples; picoseconds of a logit
  const int64_t size = loss.input.itemsize();
  const int64_t wanted = kBudget / std::max<int64_t>(loss.classes * size, 1) / kLeast * kLeast;
  const int64_t width = wanted < kLeast ? kLeast : std::min(wanted, kMaxColumns);
  const int64_t parts = (x.positions + width - 1) / width, images = loss.input.shape[0];
  const int64_t cost = std::min(width, x.positions) * loss.classes * kCost;
  diopi::parallel_for(images * parts, diopi::Picoseconds{cost}, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / parts, position = i % parts * width, sample = image * x.positions + position;
      const ClassColumns columns{loss.classes,
                                 std::min(width, x.positions - position),
                                 x.data + image * x.image + position * size,
                                 x.channel,
                                 packed.targets + sample,
                                 packed.weight,
                                 loss.ignore_index};
      f(columns, image, position, sample);
    }
  });
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
  Images images{};
  if (has_adjacent_samples(loss, &images)) {
    const LossColumnsFn kernel = loss_columns_kernel(loss.input.dtype);
    auto *to = losses[0].ptr<double>(), *weights = losses[1].ptr<double>();
    for_columns(loss, packed, images, [=](const ClassColumns& columns, int64_t, int64_t, int64_t sample) {
      kernel(columns, to + sample, weights + sample);
    });
  } else {
    const CrossEntropyOp op = probabilities ? CrossEntropyOp::kProbability : CrossEntropyOp::kIndex;
    DIOPI_TRY(run_kernel(ctx, op, loss, &rows, losses));
  }
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
  Images images{}, gradients{};
  if (has_adjacent_samples(loss, &images) && gradients.take(grad_input, loss.class_dim) &&
      grad_input.dtype == loss.input.dtype && !diopi::may_overlap(grad_input, loss.input)) {
    double* g = nullptr;
    DIOPI_TRY(diopi::require_writable(grad_input));
    DIOPI_TRY(read_doubles(ctx, grad_output, &g));
    const LossGradientColumnsFn kernel = loss_gradient_columns_kernel(loss.input.dtype);
    const int64_t step = loss.reduction == ReductionNone ? 1 : 0, size = grad_input.itemsize();
    for_columns(loss, packed, images, [=](const ClassColumns& c, int64_t image, int64_t position, int64_t sample) {
      kernel(c, g + step * sample, step, 1 / divisor, gradients.data + image * gradients.image + position * size,
             gradients.channel);
    });
    return diopiSuccess;
  }
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
