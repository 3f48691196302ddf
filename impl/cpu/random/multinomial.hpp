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

// Of which weights of a row the sums up to them are kept.
enum class Sums : int64_t {
  kNone = 0,       // the weights themselves are kept
  kOfEach = 1,     // for many samples
  kOfBlocks = 64,  // only that of the last of so many: a sample reads the weights of its block again
};

struct MultinomialPlan {
  int64_t rows, n, samples;
  Sums sums;
  const diopi::TensorView* input;
  double* weights = nullptr;   // kept() numbers of each row: weights, or sums of them, added one by one
  int64_t* last = nullptr;     // of each row: the last position with a weight
  Packed128* order = nullptr;  // rows * n keys; only without replacement

  MultinomialPlan(const diopi::TensorView& weights, int64_t num_samples, bool replacement);
  int64_t kept() const {
    const auto block = sums == Sums::kNone ? 1 : static_cast<int64_t>(sums);
    return (n + block - 1) / block;
  }
};

// Reads the rows of the two-dimensional input as float64, checks that they are weights, and sets `weights` and `last`.
WeightProblem read_weights(const MultinomialPlan& plan);

// Draws sample j of row r with the 64-bit word r * samples + j: the first position whose cumulative sum exceeds the
// word's share of the sum.
void draw_with_replacement(RandomStream stream, const MultinomialPlan& plan, const diopi::TensorView& out);

// Draws with the 64-bit word r * n + i for position i of row r. The samples are the positions with the smallest
// exponential waiting times, in the order of the times.
void draw_without_replacement(RandomStream stream, const MultinomialPlan& plan, const diopi::TensorView& out);

}  // namespace impl::cpu

#endif  // IMPL_CPU_RANDOM_MULTINOMIAL_HPP_
