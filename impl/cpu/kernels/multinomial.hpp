// SPDX-License-Identifier: BSD-3-Clause
// Draws positions of rows with given weights.
#pragma once

#include <cstdint>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/kernels/philox.hpp"
#include "impl/cpu/kernels/sort_keys.hpp"

namespace impl::cpu {

// The first row with invalid weights, or -1.
struct WeightProblem {
  int64_t row = -1;
  bool invalid = false;  // an element is negative, infinite or NaN; otherwise the sum is not positive
};

// Reads the rows of a two-dimensional tensor as float64 and checks them.
WeightProblem read_weights(const diopi::TensorView& input, double* weights);

struct MultinomialPlan {
  int64_t rows, n, samples;
  double* weights;   // overwritten
  Packed128* order;  // rows * n keys; only without replacement
};

// Sample j of row r uses 64-bit word r * samples + j: the first position whose running sum exceeds its share.
void draw_with_replacement(RandomStream stream, const MultinomialPlan& plan, const diopi::TensorView& out);

// Position i of row r uses 64-bit word r * n + i: those with the smallest exponential waiting times, in their order.
void draw_without_replacement(RandomStream stream, const MultinomialPlan& plan, const diopi::TensorView& out);

}  // namespace impl::cpu
