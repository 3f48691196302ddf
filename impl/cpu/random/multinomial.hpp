// SPDX-License-Identifier: BSD-3-Clause
// Draws positions of rows with given weights.
#ifndef IMPL_CPU_RANDOM_MULTINOMIAL_HPP_
#define IMPL_CPU_RANDOM_MULTINOMIAL_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/random/philox.hpp"
#include "impl/cpu/sort/keys.hpp"

namespace impl::cpu {

// The first row with invalid weights; `row` is -1 if there is none.
struct WeightProblem {
  int64_t row = -1;
  bool invalid = false;  // an element is negative, infinite or NaN; otherwise the sum is not positive
};

// Reads the rows of a two-dimensional tensor as float64 and checks that they are weights. `cumulative`: replaces each
// weight by the sum of the weights up to it, added one by one. `last` gets for each row the last position with a
// weight.
WeightProblem read_weights(const diopi::TensorView& input, bool cumulative, double* weights, int64_t* last);

struct MultinomialPlan {
  int64_t rows, n, samples;
  double* weights;   // with replacement, their cumulative sums
  int64_t* last;     // of each row: the last position with a weight
  Packed128* order;  // rows * n keys; only without replacement
};

// Draws sample j of row r with the 64-bit word r * samples + j: the first position whose cumulative sum exceeds the
// word's share of the sum.
void draw_with_replacement(RandomStream stream, const MultinomialPlan& plan, const diopi::TensorView& out);

// Draws with the 64-bit word r * n + i for position i of row r. The samples are the positions with the smallest
// exponential waiting times, in the order of the times.
void draw_without_replacement(RandomStream stream, const MultinomialPlan& plan, const diopi::TensorView& out);

}  // namespace impl::cpu

#endif  // IMPL_CPU_RANDOM_MULTINOMIAL_HPP_
