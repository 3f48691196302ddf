// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/loss_ctc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "impl/common/parallel.hpp"
#include "impl/common/rules/indices.hpp"
#include "impl/cpu/loss/ctc.hpp"

namespace impl::cpu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double read_number(const TensorView& view, int64_t offset) {
  return view.dtype == diopi_dtype_float32 ? static_cast<double>(view.ptr<const float>()[offset])
                                           : view.ptr<const double>()[offset];
}
void write_number(const TensorView& view, int64_t offset, double value) {
  if (view.dtype == diopi_dtype_float32) {
    view.ptr<float>()[offset] = static_cast<float>(value);
  } else {
    view.ptr<double>()[offset] = value;
  }
}

template <typename From, typename To>
void convert_row(const From* from, int64_t from_step, To* to, int64_t to_step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i * to_step] = static_cast<To>(from[i * from_step]);
}
// The last dimension of a tensor at an offset, and a row of doubles.
void read_row(const TensorView& view, int64_t offset, int64_t n, double* row) {
  const int64_t step = view.stride[view.ndim() - 1];
  if (view.dtype == diopi_dtype_float32) {
    convert_row(view.ptr<const float>() + offset, step, row, 1, n);
  } else {
    convert_row(view.ptr<const double>() + offset, step, row, 1, n);
  }
}
void write_row(const TensorView& view, int64_t offset, int64_t n, const double* row) {
  const int64_t step = view.stride[view.ndim() - 1];
  if (view.dtype == diopi_dtype_float32) {
    convert_row(row, 1, view.ptr<float>() + offset, step, n);
  } else {
    convert_row(row, 1, view.ptr<double>() + offset, step, n);
  }
}

int64_t label_at(const CtcSequences& s, int64_t sequence, int64_t i) {
  const TensorView& t = s.targets;
  const int64_t at =
      t.ndim() == 1 ? (s.target_begins[sequence] + i) * t.stride[0] : sequence * t.stride[0] + i * t.stride[1];
  return t.dtype == diopi_dtype_int64 ? t.ptr<const int64_t>()[at] : t.ptr<const int32_t>()[at];
}

Status check_labels(const CtcSequences& s) {
  const int64_t classes = s.log_probs.shape[2];
  for (int64_t n = 0; n < s.sequences(); ++n) {
    for (int64_t i = 0; i < s.target_lengths[n]; ++i) {
      const int64_t label = label_at(s, n, i);
      if (label >= 0 && label < classes) continue;
      const int64_t position = s.targets.ndim() == 1 ? s.target_begins[n] + i : n * s.targets.shape[1] + i;
      return diopi::refuse_index(s.targets, label, position, s.log_probs, 2, false);
    }
  }
  return diopiSuccess;
}

// The memory of one sequence.
struct Sequence {
  static constexpr int64_t kPad = kCtcLanes;  // elements before and behind the states; they begin as -infinity

  static int64_t row(int64_t n) { return (n + kCtcLanes - 1) / kCtcLanes * kCtcLanes; }
  static int64_t numbers(int64_t states, int64_t classes) { return 6 * (row(states) + 2 * kPad) + 3 * row(classes); }

  // Prepares the states of a sequence: their labels, and from which states two further back they can be reached.
  Sequence(const CtcSequences& s, int64_t n, int64_t most_states, double* memory, int64_t* label_memory, bool backward)
      : states(2 * s.target_lengths[n] + 1), labels(label_memory) {
    double** const rows[] = {&near, &next, &skip, &probs, &alpha, &term};
    for (double** begin : rows) {
      const int64_t size = row(most_states) + 2 * kPad;
      std::fill_n(memory, size, -kInfinity);
      *begin = memory + kPad;
      memory += size;
    }
    class_probs = memory;
    class_terms = class_probs + row(s.log_probs.shape[2]);
    gradient = class_terms + row(s.log_probs.shape[2]);
    // Vectors read the elements behind the classes, too. What was there before could be slow subnormal numbers.
    std::fill(class_probs, gradient, 0.0);
    for (int64_t i = 0; i < states; ++i) labels[i] = i % 2 == 0 ? s.blank : label_at(s, n, i / 2);
    for (int64_t i = 0; i < states; ++i) {
      const int64_t other = backward ? i + 2 : i - 2;
      if (other >= 0 && other < states && labels[i] != labels[other]) skip[i] = 0;
    }
  }

  // Reads the probabilities of the states at a time.
  void read_probs(const CtcSequences& s, int64_t n, int64_t t) {
    const TensorView& p = s.log_probs;
    const int64_t offset = t * p.stride[0] + n * p.stride[1];
    const double blank = read_number(p, offset + s.blank * p.stride[2]);
    for (int64_t i = 0; i < states; i += 2) probs[i] = blank;
    for (int64_t i = 1; i < states; i += 2) probs[i] = read_number(p, offset + labels[i] * p.stride[2]);
  }

  int64_t states;
  int64_t* labels;
  double *near, *next, *skip, *probs, *alpha, *term, *class_probs, *class_terms, *gradient;
};

// Memory for all sequences.
struct Memory {
  Status take(diopiContextHandle_t ctx, const CtcSequences& s, int64_t most_states) {
    numbers = Sequence::numbers(most_states, s.log_probs.shape[2]);
    labels = most_states;
    diopi::Workspace workspace(ctx);
    DIOPI_TRY(workspace.take(s.sequences() * numbers, &number_memory));
    return workspace.take(s.sequences() * labels, &label_memory);
  }
  Sequence at(const CtcSequences& s, int64_t n, bool backward) const {
    return {s, n, labels, number_memory + n * numbers, label_memory + n * labels, backward};
  }
  int64_t numbers = 0, labels = 0;
  double* number_memory = nullptr;
  int64_t* label_memory = nullptr;
};

double log_sum(double a, double b) {
  const double most = std::max(a, b);
  return most == -kInfinity ? most : most + std::log(std::exp(a - most) + std::exp(b - most));
}

// Writes the forward variables of a sequence; returns its negative log likelihood.
double forward(const CtcSequences& s, int64_t n, Sequence* q, const TensorView& log_alpha) {
  const int64_t steps = s.input_lengths[n], all_states = log_alpha.shape[2];
  // Writes `count` states of a time step. The others become -infinity.
  const auto write = [&](int64_t t, int64_t count) {
    const int64_t row = n * log_alpha.stride[0] + t * log_alpha.stride[1];
    write_row(log_alpha, row, count, q->next);
    write_row(log_alpha, row + count * log_alpha.stride[2], all_states - count, q->term);
  };
  for (int64_t t = 0; t < log_alpha.shape[1]; ++t) {
    if (t >= steps) {
      write(t, 0);
      continue;
    }
    q->read_probs(s, n, t);
    if (t == 0) {
      std::copy_n(q->probs, std::min<int64_t>(2, q->states), q->next);
    } else {
      ctc_step(q->next, q->near, q->skip, q->probs, q->states, -1, log_alpha.dtype == diopi_dtype_float32);
    }
    write(t, q->states);
    std::swap(q->near, q->next);
  }
  if (steps == 0) return q->states == 1 ? 0 : kInfinity;
  return -log_sum(q->near[q->states - 1], q->states > 1 ? q->near[q->states - 2] : -kInfinity);
}

// The gradients of a sequence, of which `factor` is that of the loss.
void backward(const CtcSequences& s, int64_t n, Sequence* q, const TensorView& log_alpha, double likelihood,
              double factor, bool is_zero, const TensorView& grad) {
  const int64_t steps = s.input_lengths[n], classes = s.log_probs.shape[2];
  for (int64_t t = grad.shape[0] - 1; t >= 0; --t) {
    const int64_t row = t * grad.stride[0] + n * grad.stride[1];
    if (t >= steps || is_zero) {
      std::fill_n(q->gradient, classes, 0.0);
      write_row(grad, row, classes, q->gradient);
      continue;
    }
    q->read_probs(s, n, t);
    if (t == steps - 1) {
      for (int64_t i = std::max<int64_t>(0, q->states - 2); i < q->states; ++i) q->next[i] = q->probs[i];
    } else {
      ctc_step(q->next, q->near, q->skip, q->probs, q->states, 1, grad.dtype == diopi_dtype_float32);
    }
    std::swap(q->near, q->next);
    read_row(log_alpha, n * log_alpha.stride[0] + t * log_alpha.stride[1], q->states, q->alpha);
    ctc_terms(q->term, q->alpha, q->near, q->probs, likelihood, q->states);
    // A class that does not occur has the term exp(-infinity + likelihood).
    std::fill_n(q->class_terms, classes, std::exp(-kInfinity + likelihood));
    for (int64_t i = 0; i < q->states; ++i) q->class_terms[q->labels[i]] += q->term[i];
    read_row(s.log_probs, t * s.log_probs.stride[0] + n * s.log_probs.stride[1], classes, q->class_probs);
    ctc_gradient(q->gradient, q->class_probs, q->class_terms, factor, classes);
    write_row(grad, row, classes, q->gradient);
  }
}

// Picoseconds for a sequence.
int64_t cost(const CtcSequences& s, int64_t states) {
  return s.log_probs.shape[0] * (states * 12000 + s.log_probs.shape[2] * 1000);
}

void reduce(const TensorView& out, const TensorView& likelihood, const CtcSequences& s, diopiReduction_t reduction,
            bool zero_infinity) {
  const int64_t n = s.sequences();
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    double loss = read_number(likelihood, i * likelihood.stride[0]);
    if (zero_infinity && loss == kInfinity) loss = 0;
    if (reduction == ReductionNone) {
      write_number(out, i * out.stride[0], loss);
    } else {
      sum += reduction == ReductionMean ? loss / static_cast<double>(std::max<int64_t>(s.target_lengths[i], 1)) : loss;
    }
  }
  if (reduction != ReductionNone) write_number(out, 0, reduction == ReductionMean ? sum / static_cast<double>(n) : sum);
}

}  // namespace

Status run_ctc_loss(diopiContextHandle_t ctx, const TensorView& out, const TensorView& likelihood,
                    const TensorView& log_alpha, const CtcSequences& s, diopiReduction_t reduction,
                    bool zero_infinity) {
  DIOPI_TRY(check_labels(s));
  Memory memory;
  DIOPI_TRY(memory.take(ctx, s, log_alpha.shape[2]));
  diopi::parallel_for(s.sequences(), diopi::Picoseconds{cost(s, log_alpha.shape[2])}, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      Sequence sequence = memory.at(s, n, false);
      write_number(likelihood, n * likelihood.stride[0], forward(s, n, &sequence, log_alpha));
    }
  });
  reduce(out, likelihood, s, reduction, zero_infinity);
  return diopiSuccess;
}

Status run_ctc_loss_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                             const TensorView& likelihood, const TensorView& log_alpha, const CtcSequences& s,
                             diopiReduction_t reduction, bool zero_infinity) {
  DIOPI_TRY(check_labels(s));
  Memory memory;
  DIOPI_TRY(memory.take(ctx, s, log_alpha.shape[2]));
  const auto sequences = static_cast<double>(s.sequences());
  diopi::parallel_for(s.sequences(), diopi::Picoseconds{cost(s, log_alpha.shape[2])}, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      Sequence sequence = memory.at(s, n, true);
      double factor = read_number(grad_output, reduction == ReductionNone ? n * grad_output.stride[0] : 0);
      if (reduction == ReductionMean) {
        factor /= sequences * static_cast<double>(std::max<int64_t>(s.target_lengths[n], 1));
      }
      const double loss = read_number(likelihood, n * likelihood.stride[0]);
      backward(s, n, &sequence, log_alpha, loss, factor, zero_infinity && loss == kInfinity, grad_input);
    }
  });
  return diopiSuccess;
}

}  // namespace impl::cpu
