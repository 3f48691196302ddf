// SPDX-License-Identifier: BSD-3-Clause
// Steps of the recursions of connectionist temporal classification, in double. The memory of a row is readable and
// writable up to a multiple of kCtcLanes elements.
#ifndef IMPL_CPU_LOSS_CTC_HPP_
#define IMPL_CPU_LOSS_CTC_HPP_

#include <cstdint>

namespace impl::cpu {

constexpr int64_t kCtcLanes = 8;

// One step: next[s] = probs[s] + logsumexp(near[s], near[s + side], near[s + 2 side] + skip[s]) for s < states, with
// side 1 or -1. skip[s] is 0 or -infinity. `near` has two readable elements, -infinity, at the end of this side.
// If side is 1, the elements of probs behind the states are -infinity, and those of `next` become -infinity; if side is
// -1, they have no meaning. `for_float`: the results will be rounded to float, so fewer bits are computed.
void ctc_step(double* next, const double* near, const double* skip, const double* probs, int64_t states, int64_t side,
              bool for_float);

// term[s] = exp(alpha[s] + beta[s] + likelihood - probs[s]).
void ctc_terms(double* term, const double* alpha, const double* beta, const double* probs, double likelihood,
               int64_t states);

// grad[c] = (exp(probs[c]) - terms[c]) * factor.
void ctc_gradient(double* grad, const double* probs, const double* terms, double factor, int64_t classes);

}  // namespace impl::cpu

#endif  // IMPL_CPU_LOSS_CTC_HPP_
