// SPDX-License-Identifier: BSD-3-Clause
// Draws an id from a row of logits.
#ifndef IMPL_CPU_SAMPLING_DRAW_HPP_
#define IMPL_CPU_SAMPLING_DRAW_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

struct Extremes {
  double least, most;  // least: of the finite logits
};
// Replaces NaN by minus infinity, and returns the extremes.
Extremes prepare_logits(double* logits, int64_t n);
// weights[i] = exp(logits[i] - top), or 1 if both are equal.
void make_weights(const double* logits, int64_t n, double top, double* weights);

struct Candidate {
  double logit;
  int64_t id;
};

// The memory for one row: n elements of each.
struct DrawMemory {
  double* logits;
  Candidate* candidates;
  double* weights;
};

struct Drawn {
  int64_t id;
  double log_all, log_chosen;  // the logarithms of the probability among all ids, and among those that may be drawn
  double weight;
};

// A row of packed logits.
struct LogitRow {
  const void* logits;
  diopiDtype_t dtype;
  int64_t n;
};
// Draws one of the k ids with the largest logits; the registry has the formula. `log_all` becomes 0.
Drawn draw_top_k(const DrawMemory& memory, const LogitRow& row, int64_t k, double p, double u);
// The same with `log_all`. The first n elements of `memory.logits` hold the row.
Drawn draw_top_k_of_all(const DrawMemory& memory, int64_t n, int64_t k, double p, double u);
// Draws one of all ids. The first n elements of `memory.logits` hold the row.
Drawn draw_top_p(const DrawMemory& memory, int64_t n, double p, double u);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_DRAW_HPP_
