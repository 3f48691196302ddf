// SPDX-License-Identifier: BSD-3-Clause
// The gradient of connectionist temporal classification. A block goes back through a sequence, and writes what each
// state adds to the gradient of its class. Then a block computes the gradients of each time step: the sum of all blanks
// as a tree, and those of equal labels in their order.
#include "impl/cuda/kernels/loss/ctc.cuh"

namespace impl::cuda {

namespace {

template <typename T>
struct Gradients {
  const T *log_probs, *log_alpha, *likelihood, *grad_output;
  T* grad_input;
  int64_t likelihood_stride, output_stride, input_stride[3];
  const int32_t* next;
  const uint8_t* repeats;
  double* terms;  // of each sequence, time step and state
  double divisor;
  CtcReduction reduction;

  __device__ double loss(int64_t sequence) const {
    return static_cast<double>(likelihood[sequence * likelihood_stride]);
  }
};

template <typename T>
__global__ void __launch_bounds__(kCtcThreads, 2) compute_terms(CtcCall call, Gradients<T> p) {
  DIOPI_SHARED(double, few, [2 * kFewStates]);
  for (int64_t n = blockIdx.x; n < call.sequences; n += gridDim.x) {
    const CtcTarget target(call, n);
    const double loss = p.loss(n);
    double *before = call.rows_of(n, few), *row = before + call.states();
    for (int64_t t = target.steps - 1; t >= 0; --t) {
      const bool last = t == target.steps - 1;
      const T* probs = p.log_probs + t * call.prob_stride[0] + n * call.prob_stride[1];
      const T* alpha = p.log_alpha + n * call.alpha_stride[0] + t * call.alpha_stride[1];
      double* const terms = p.terms + (n * call.steps + t) * call.states();
      for (int64_t i = threadIdx.x; i < target.states; i += kCtcThreads) {
        const auto log_p = static_cast<double>(probs[target.class_of(i) * call.prob_stride[2]]);
        double beta = last && i < target.states - 2 ? -HUGE_VAL : log_p;
        if (!last) beta += target.step(before, i, 1);
        row[i] = beta;
        terms[i] = exp(static_cast<double>(alpha[i * call.alpha_stride[2]]) + beta + loss - log_p);
      }
      __syncthreads();
      double* const other = before;
      before = row;
      row = other;
    }
  }
}

// The same for at most kCtcThreads states. What the next step reads is loaded while a step is computed.
template <typename T>
__global__ void __launch_bounds__(kCtcThreads, 2) compute_short_terms(CtcCall call, Gradients<T> p) {
  DIOPI_SHARED(double, rows, [2][kCtcThreads]);
  for (int64_t n = blockIdx.x; n < call.sequences; n += gridDim.x) {
    const CtcTarget target(call, n);
    const CtcState<T> own(target, p.log_probs + n * call.prob_stride[1], call.prob_stride[2], 1);
    const bool is_state = own.state < target.states;
    const double loss = p.loss(n);
    const T* const alphas = p.log_alpha + n * call.alpha_stride[0] + (is_state ? own.state * call.alpha_stride[2] : 0);
    double* const terms = p.terms + n * call.steps * call.states() + own.state;
    const int64_t last = target.steps - 1;
    T next_prob = last >= 0 ? own.probs[last * call.prob_stride[0]] : T(0);
    T next_alpha = last >= 0 ? alphas[last * call.alpha_stride[1]] : T(0);
    for (int64_t t = last; t >= 0; --t) {
      const auto log_p = static_cast<double>(next_prob), alpha = static_cast<double>(next_alpha);
      if (t > 0) {
        next_prob = own.probs[(t - 1) * call.prob_stride[0]];
        next_alpha = alphas[(t - 1) * call.alpha_stride[1]];
      }
      if (is_state) {
        double beta = t == last && own.state < target.states - 2 ? -HUGE_VAL : log_p;
        if (t != last) beta += own.step(rows[(t + 1) % 2]);
        rows[t % 2][own.state] = beta;
        terms[t * call.states()] = exp(alpha + beta + loss - log_p);
      }
      __syncthreads();
    }
  }
}

// The sum of the terms of all states of the class of the blank, for all threads.
__device__ double sum_blanks(const CtcTarget& target, const double* terms, double* shared) {
  const int thread = static_cast<int>(threadIdx.x);
  double sum = 0;
  for (int64_t i = thread; i < target.states; i += kCtcThreads) {
    if (target.class_of(i) == target.blank) sum += terms[i];
  }
  shared[thread] = sum;
  for (int half = kCtcThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) shared[thread] += shared[thread + half];
  }
  __syncthreads();
  const double result = shared[0];
  __syncthreads();  // before the next sum replaces this one
  return result;
}

template <typename T>
__global__ void __launch_bounds__(kCtcThreads) compute_gradients(CtcCall call, Gradients<T> p) {
  DIOPI_SHARED(double, shared, [kCtcThreads]);
  for (int64_t item = blockIdx.x; item < call.sequences * call.steps; item += gridDim.x) {
    const int64_t n = item / call.steps, t = item - n * call.steps;
    const CtcTarget target(call, n);
    const double loss = p.loss(n), none = exp(-HUGE_VAL + loss);  // the term of a class that does not occur
    T* const grad = p.grad_input + t * p.input_stride[0] + n * p.input_stride[1];
    if (t >= target.steps || (p.reduction.zero_infinity != 0 && loss == HUGE_VAL)) {
      for (int64_t c = threadIdx.x; c < call.classes; c += kCtcThreads) grad[c * p.input_stride[2]] = T(0);
      continue;
    }
    const T* probs = p.log_probs + t * call.prob_stride[0] + n * call.prob_stride[1];
    const double* terms = p.terms + item * call.states();
    double factor = static_cast<double>(p.grad_output[n * p.output_stride]) / p.divisor;
    if (p.reduction.per_label != 0) factor /= static_cast<double>(max(target.count, int64_t{1}));
    const auto write = [&](int64_t c, double term) {
      const auto log_p = static_cast<double>(probs[c * call.prob_stride[2]]);
      grad[c * p.input_stride[2]] = static_cast<T>((exp(log_p) - term) * factor);
    };
    const double blanks = sum_blanks(target, terms, shared);
    for (int64_t c = threadIdx.x; c < call.classes; c += kCtcThreads) write(c, c == call.blank ? none + blanks : none);
    __syncthreads();  // before labels replace the gradients of their classes
    for (int64_t i = threadIdx.x; i < target.count; i += kCtcThreads) {
      if (target.labels[i] == call.blank || p.repeats[n * call.longest + i] != 0) continue;
      double sum = none;
      for (int64_t k = i; k >= 0; k = p.next[n * call.longest + k]) sum += terms[2 * k + 1];
      write(target.labels[i], sum);
    }
  }
}

template <typename T>
Status run(diopiContextHandle_t ctx, const CtcCall& call, Gradients<T> p) {
  DIOPI_TRY(diopi::Workspace(ctx).take(call.sequences * call.steps * call.states(), &p.terms));
  const auto kernel = call.states() <= kCtcThreads ? compute_short_terms<T> : compute_terms<T>;
  DIOPI_TRY(launch_blocks(ctx, kernel, call.sequences, kCtcThreads, call, p));
  return launch_blocks(ctx, compute_gradients<T>, call.sequences * call.steps, kCtcThreads, call, p);
}

}  // namespace

Status compute_ctc_gradients(diopiContextHandle_t ctx, const CtcSequences& s, const CtcLabels& labels,
                             const CtcReduction& reduction, const TensorView& grad_input, const TensorView& grad_output,
                             const TensorView& likelihood, const TensorView& log_alpha, double divisor) {
  CtcCall call = make_ctc_call(s, labels, log_alpha);
  DIOPI_TRY(take_ctc_rows(ctx, &call));
  const auto run_as = [&](auto zero) {
    using T = decltype(zero);
    Gradients<T> p{};
    p.log_probs = s.log_probs.ptr<const T>();
    p.log_alpha = log_alpha.ptr<const T>();
    p.likelihood = likelihood.ptr<const T>();
    p.grad_output = grad_output.ptr<const T>();
    p.grad_input = grad_input.ptr<T>();
    p.likelihood_stride = likelihood.stride[0];
    p.output_stride = grad_output.ndim() > 0 ? grad_output.stride[0] : 0;
    for (int d = 0; d < 3; ++d) p.input_stride[d] = grad_input.stride[d];
    p.next = labels.next;
    p.repeats = labels.repeats;
    p.divisor = divisor;
    p.reduction = reduction;
    return run(ctx, call, p);
  };
  return grad_input.dtype == diopi_dtype_float64 ? run_as(0.0) : run_as(0.0f);
}

}  // namespace impl::cuda
