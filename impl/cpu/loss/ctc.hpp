// SPDX-License-Identifier: BSD-3-Clause
// Steps of the recursions of connectionist temporal classification, in double.
#ifndef IMPL_CPU_LOSS_CTC_HPP_
#define IMPL_CPU_LOSS_CTC_HPP_

#include <cstdint>

namespace impl::cpu {

// One step: next[s] = probs[s] + logsumexp(near[s], near[s + side], near[s + 2 side] + skip[s]) for s < states, with
// side 1 or -1. skip[s] is 0 or -infinity. `near` has two readable elements, -infinity, at the end of this side.
void ctc_step(double* next, const double* near, const double* skip, const double* probs, int64_t states, int64_t side);

// term[s] = exp(alpha[s] + beta[s] + likelihood - probs[s]).
void ctc_terms(double* term, const double* alpha, const double* beta, const double* probs, double likelihood,
               int64_t states);

// grad[c] = (exp(probs[c]) - terms[c]) * factor.
void ctc_gradient(double* grad, const double* probs, const double* terms, double factor, int64_t classes);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_CTC_HPP_
