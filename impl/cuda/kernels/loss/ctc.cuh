// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of connectionist temporal classification share: the states of a sequence and a step in time.
#ifndef IMPL_CUDA_KERNELS_LOSS_CTC_CUH_
#define IMPL_CUDA_KERNELS_LOSS_CTC_CUH_

#include <cmath>

#include "impl/common/workspace.hpp"
#include "impl/cuda/kernels/loss/ctc.hpp"
#include "impl/cuda/kernels/rows/operands.cuh"

namespace impl::cuda {

inline constexpr int kCtcThreads = 256;
inline constexpr int kFewStates = 2048;  // of which a block keeps two rows in shared memory

struct CtcCall {
  const int64_t *labels, *lengths;
  int64_t sequences, steps, classes, longest, blank;
  int64_t prob_stride[3], alpha_stride[3];
  double* rows;  // two for each sequence; null if the states are few

  __host__ __device__ int64_t states() const { return 2 * longest + 1; }
  __device__ double* rows_of(int64_t sequence, double* few) const {
    return rows != nullptr ? rows + sequence * 2 * states() : few;
  }
};

// A sequence in a kernel.
struct CtcTarget {
  const int64_t* labels;
  int64_t steps, count, states, blank;

  __device__ CtcTarget(const CtcCall& call, int64_t sequence)
      : labels(call.labels + sequence * call.longest),
        steps(call.lengths[2 * sequence]),
        count(call.lengths[2 * sequence + 1]),
        states(2 * count + 1),
        blank(call.blank) {}

  __device__ int64_t class_of(int64_t state) const { return state % 2 == 0 ? blank : labels[state / 2]; }
  // Whether the two neighbours, of which the first is a label, may follow each other without a blank.
  __device__ bool differs(int64_t state, int64_t other) const {
    return state % 2 != 0 && other >= 0 && other < states && labels[state / 2] != labels[other / 2];
  }
  // The sum of what leads to a state from the states of the row before; `side` is -1, or 1 for the way back.
  __device__ double step(const double* row, int64_t state, int side) const {
    constexpr double kNone = -HUGE_VAL;
    const int64_t near = state + side, far = state + 2 * side;
    const double b = near >= 0 && near < states ? row[near] : kNone, c = differs(state, far) ? row[far] : kNone;
    return log_sum(row[state], b, c);
  }
  __device__ static double log_sum(double a, double b, double c) {
    constexpr double kNone = -HUGE_VAL;
    const double most = max(a, max(b, c)), base = most == kNone ? 0 : most;
    return log(exp(a - base) + exp(b - base) + exp(c - base)) + base;
  }
};

// The state of a thread, if a block has one for each state: what does not change from step to step.
template <typename T>
struct CtcState {
  int state, near, far;  // in the row; `near` and `far`: kNowhere if the state has no such neighbour
  const T* probs;        // of its class
  static constexpr int kNowhere = -1;

  __device__ CtcState(const CtcTarget& target, const T* probabilities, int64_t class_stride, int side)
      : state(static_cast<int>(threadIdx.x)), near(state + side), far(state + 2 * side) {
    if (near < 0 || near >= target.states) near = kNowhere;
    if (state >= target.states || !target.differs(state, far)) far = kNowhere;
    probs = probabilities + (state < target.states ? target.class_of(state) * class_stride : 0);
  }
  __device__ double step(const double* row) const {
    constexpr double kNone = -HUGE_VAL;
    return CtcTarget::log_sum(row[state], near != kNowhere ? row[near] : kNone, far != kNowhere ? row[far] : kNone);
  }
};

CtcCall make_ctc_call(const CtcSequences& s, const CtcLabels& labels, const TensorView& log_alpha);
// Takes the memory of two rows for each sequence, unless its states are few.
Status take_ctc_rows(diopiContextHandle_t ctx, CtcCall* call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_LOSS_CTC_CUH_
