// SPDX-License-Identifier: BSD-3-Clause
// The labels of sequences, and the forward variables. A block computes one sequence, step by step in time.
#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/loss/ctc.cuh"

namespace impl::cuda {

namespace {

constexpr int64_t kTogether = 64;  // sequences whose lengths are parameters of one launch

struct LabelCall {
  const char* targets;
  diopiDtype_t dtype;
  int32_t joined;  // targets follow each other
  int64_t sequence_stride, label_stride, width, longest, classes, blank, first, count;
  int64_t input_length[kTogether], target_length[kTogether], target_begin[kTogether];
  int64_t *labels, *lengths;
  int32_t* next;
  uint8_t* repeats;
  FirstBad bad;

  // A label of the target that begins at element `begin`, which is number `position` of the targets in row-major order.
  __device__ int64_t label(int64_t begin, int64_t position, int64_t i) const {
    const auto given = load_as<int64_t>(targets, begin + i * label_stride, dtype);
    if (given >= 0 && given < classes) return given;
    report(bad, position + i, given);
    return blank;
  }
};

// Finds the equal labels before and behind each label.
__device__ void link_labels(const int64_t* labels, int64_t count, int32_t* next, uint8_t* repeats) {
  for (int64_t i = threadIdx.x; i < count; i += kCtcThreads) {
    int64_t before = i - 1, behind = i + 1;
    while (before >= 0 && labels[before] != labels[i]) --before;
    while (behind < count && labels[behind] != labels[i]) ++behind;
    next[i] = static_cast<int32_t>(behind < count ? behind : -1);
    repeats[i] = before >= 0 ? 1 : 0;
  }
}

__global__ void __launch_bounds__(kCtcThreads) copy_labels(LabelCall p) {
  const int64_t own = blockIdx.x, sequence = p.first + own, count = p.target_length[own];
  const int64_t begin = p.joined != 0 ? p.target_begin[own] * p.label_stride : sequence * p.sequence_stride;
  const int64_t position = p.joined != 0 ? p.target_begin[own] : sequence * p.width;
  int64_t* labels = p.labels + sequence * p.longest;
  for (int64_t i = threadIdx.x; i < p.longest; i += kCtcThreads) {
    labels[i] = i < count ? p.label(begin, position, i) : p.blank;
  }
  if (threadIdx.x == 0) {
    p.lengths[2 * sequence] = p.input_length[own];
    p.lengths[2 * sequence + 1] = count;
  }
  __syncthreads();
  link_labels(labels, count, p.next + sequence * p.longest, p.repeats + sequence * p.longest);
}

template <typename T>
struct Losses {
  const T* log_probs;
  T *log_alpha, *likelihood;
  int64_t likelihood_stride;
  double* losses;
  CtcReduction reduction;
};

// The negative log likelihood, from the last row.
__device__ double likelihood_of(const CtcTarget& target, const double* row) {
  constexpr double kNone = -HUGE_VAL;
  if (target.steps == 0) return target.states == 1 ? 0 : -kNone;
  const double a = row[target.states - 1], b = target.states > 1 ? row[target.states - 2] : kNone, most = max(a, b);
  const double base = most == kNone ? 0 : most;
  return -(base + log(exp(a - base) + exp(b - base)));
}

template <typename T>
__device__ void write_loss(const Losses<T>& p, const CtcTarget& target, int64_t sequence, double likelihood) {
  const T rounded = static_cast<T>(likelihood);
  double loss = static_cast<double>(rounded);
  if (p.reduction.zero_infinity != 0 && loss == HUGE_VAL) loss = 0;
  if (p.reduction.per_label != 0) loss /= static_cast<double>(max(target.count, int64_t{1}));
  p.likelihood[sequence * p.likelihood_stride] = rounded;
  p.losses[sequence] = loss;
}

template <typename T>
__global__ void __launch_bounds__(kCtcThreads) compute_losses(CtcCall call, Losses<T> p) {
  DIOPI_SHARED(double, few, [2 * kFewStates]);
  for (int64_t n = blockIdx.x; n < call.sequences; n += gridDim.x) {
    const CtcTarget target(call, n);
    double *before = call.rows_of(n, few), *row = before + call.states();
    for (int64_t t = 0; t < call.steps; ++t) {
      const T* probs = p.log_probs + t * call.prob_stride[0] + n * call.prob_stride[1];
      T* alpha = p.log_alpha + n * call.alpha_stride[0] + t * call.alpha_stride[1];
      for (int64_t i = threadIdx.x; i < call.states(); i += kCtcThreads) {
        double value = -HUGE_VAL;
        if (t < target.steps && i < target.states && (t > 0 || i < 2)) {
          value = static_cast<double>(probs[target.class_of(i) * call.prob_stride[2]]);
          if (t > 0) value += target.step(before, i, -1);
        }
        if (t < target.steps) row[i] = value;
        alpha[i * call.alpha_stride[2]] = static_cast<T>(value);
      }
      if (t >= target.steps) continue;
      __syncthreads();
      double* const other = before;
      before = row;
      row = other;
    }
    if (threadIdx.x == 0) write_loss(p, target, n, likelihood_of(target, before));
    __syncthreads();  // before the next sequence replaces the rows
  }
}

// The same for at most kCtcThreads states. The probability of the next step is loaded while a step is computed.
template <typename T>
__global__ void __launch_bounds__(kCtcThreads) compute_short_losses(CtcCall call, Losses<T> p) {
  DIOPI_SHARED(double, rows, [2][kCtcThreads]);
  for (int64_t n = blockIdx.x; n < call.sequences; n += gridDim.x) {
    const CtcTarget target(call, n);
    const CtcState<T> own(target, p.log_probs + n * call.prob_stride[1], call.prob_stride[2], -1);
    const bool is_state = own.state < target.states;
    T* const alpha = p.log_alpha + n * call.alpha_stride[0] + own.state * call.alpha_stride[2];
    T next = target.steps > 0 ? own.probs[0] : T(0);
    for (int64_t t = 0; t < call.steps; ++t) {
      const auto prob = static_cast<double>(next);
      if (t + 1 < target.steps) next = own.probs[(t + 1) * call.prob_stride[0]];
      double value = -HUGE_VAL;
      if (t < target.steps && is_state && (t > 0 || own.state < 2)) {
        value = t > 0 ? prob + own.step(rows[(t + 1) % 2]) : prob;
      }
      if (t < target.steps) rows[t % 2][own.state] = value;
      if (own.state < call.states()) alpha[t * call.alpha_stride[1]] = static_cast<T>(value);
      if (t < target.steps) __syncthreads();
    }
    if (threadIdx.x == 0) write_loss(p, target, n, likelihood_of(target, rows[(target.steps + 1) % 2]));
    __syncthreads();  // before the next sequence replaces the rows
  }
}

template <typename T>
Status run(diopiContextHandle_t ctx, const CtcCall& call, const CtcSequences& s, const CtcReduction& reduction,
           const TensorView& likelihood, const TensorView& log_alpha, const TensorView& losses) {
  const Losses<T> p{s.log_probs.ptr<const T>(), log_alpha.ptr<T>(),   likelihood.ptr<T>(),
                    likelihood.stride[0],       losses.ptr<double>(), reduction};
  const auto kernel = call.states() <= kCtcThreads ? compute_short_losses<T> : compute_losses<T>;
  return launch_blocks(ctx, kernel, call.sequences, kCtcThreads, call, p);
}

}  // namespace

Status read_labels(diopiContextHandle_t ctx, const CtcSequences& s, int64_t longest, const FirstBad& bad,
                   CtcLabels* labels) {
  const int64_t sequences = s.sequences();
  diopi::Workspace workspace(ctx);
  DIOPI_TRY(workspace.take(sequences * longest, &labels->labels));
  DIOPI_TRY(workspace.take(2 * sequences, &labels->lengths));
  DIOPI_TRY(workspace.take(sequences * longest, &labels->next));
  DIOPI_TRY(workspace.take(sequences * longest, &labels->repeats));
  labels->longest = longest;
  LabelCall p{};
  p.targets = s.targets.data;
  p.dtype = s.targets.dtype;
  p.joined = s.targets.ndim() == 1 ? 1 : 0;
  p.sequence_stride = s.targets.stride[0];
  p.label_stride = s.targets.stride[s.targets.ndim() - 1];
  p.width = s.targets.shape[s.targets.ndim() - 1];
  p.longest = longest;
  p.classes = s.log_probs.shape[2];
  p.blank = s.blank;
  p.labels = labels->labels;
  p.lengths = labels->lengths;
  p.next = labels->next;
  p.repeats = labels->repeats;
  p.bad = bad;
  for (p.first = 0; p.first < sequences; p.first += kTogether) {
    p.count = std::min(kTogether, sequences - p.first);
    std::copy_n(s.input_lengths + p.first, p.count, p.input_length);
    std::copy_n(s.target_lengths + p.first, p.count, p.target_length);
    std::copy_n(s.target_begins + p.first, p.count, p.target_begin);
    DIOPI_TRY(launch_blocks(ctx, copy_labels, p.count, kCtcThreads, p));
  }
  return diopiSuccess;
}

CtcCall make_ctc_call(const CtcSequences& s, const CtcLabels& labels, const TensorView& log_alpha) {
  CtcCall call{};
  call.labels = labels.labels;
  call.lengths = labels.lengths;
  call.sequences = s.sequences();
  call.steps = s.log_probs.shape[0];
  call.classes = s.log_probs.shape[2];
  call.longest = labels.longest;
  call.blank = s.blank;
  for (int d = 0; d < 3; ++d) {
    call.prob_stride[d] = s.log_probs.stride[d];
    call.alpha_stride[d] = log_alpha.stride[d];
  }
  return call;
}

Status take_ctc_rows(diopiContextHandle_t ctx, CtcCall* call) {
  if (call->states() <= kFewStates) return diopiSuccess;
  return diopi::Workspace(ctx).take(call->sequences * 2 * call->states(), &call->rows);
}

Status compute_ctc_losses(diopiContextHandle_t ctx, const CtcSequences& s, const CtcLabels& labels,
                          const CtcReduction& reduction, const TensorView& likelihood, const TensorView& log_alpha,
                          const TensorView& losses) {
  CtcCall call = make_ctc_call(s, labels, log_alpha);
  DIOPI_TRY(take_ctc_rows(ctx, &call));
  if (likelihood.dtype == diopi_dtype_float64)
    return run<double>(ctx, call, s, reduction, likelihood, log_alpha, losses);
  return run<float>(ctx, call, s, reduction, likelihood, log_alpha, losses);
}

}  // namespace impl::cuda
