// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/rows/plan.hpp"

#include <algorithm>

namespace impl::cuda {

namespace {

constexpr int kLanesAcross = 4;
constexpr int64_t kSteps = 32;       // the most elements that a thread folds one after another
constexpr int64_t kLongSteps = 512;  // the same where there are so many rows that their pieces would take much memory
constexpr int64_t kManyRows = 65536;

// The steps of a thread, between `least` and `most`, so that `items` items give kThreads threads: about as many as
// large GPUs run at a time. More threads would only leave more results to merge.
int64_t steps_for(int64_t items, int64_t least, int64_t most) {
  constexpr int64_t kThreads = int64_t{1} << 18;
  int64_t steps = least;
  while (steps < most && steps * kThreads < items) steps *= 2;
  return steps;
}

}  // namespace

FoldSplit::FoldSplit(int64_t num_rows, int64_t row_length, bool is_across)
    : rows(num_rows), length(row_length), lanes(1), across(is_across) {
  divide(across ? kLanesAcross : kFoldThreads, kSteps, num_rows >= kManyRows ? kLongSteps : kSteps);
}

// As many lanes as have `lane_steps` elements each, and pieces of `steps` elements for each lane.
void FoldSplit::divide(int most_lanes, int64_t lane_steps, int64_t steps) {
  lanes = 1;
  while (lanes < most_lanes && lanes * lane_steps < length) lanes *= 2;
  piece = lanes * steps;
  pieces = std::max<int64_t>(1, length / piece + (length % piece != 0 ? 1 : 0));
}

FoldSplit FoldSplit::of_packs(int64_t rows, int64_t packs) {
  constexpr int64_t kLeastPacks = 8, kMostPacks = 64;
  FoldSplit split(rows, packs, false);
  split.divide(kFoldThreads, kLeastPacks, steps_for(rows * packs, kLeastPacks, kMostPacks));
  return split;
}

FoldSplit FoldSplit::of_columns(int64_t rows, int64_t length) {
  FoldSplit split(rows, length, true);
  split.divide(kLanesAcross, kSteps, steps_for(rows * length, kSteps, kLongSteps));
  return split;
}

FoldSplit FoldSplit::of_parts(int64_t rows, int64_t pieces) {
  constexpr int64_t kFewParts = 4, kMostParts = 64;
  FoldSplit split(rows, pieces, rows >= kFoldThreads);
  split.divide(split.across ? kLanesAcross : kFoldThreads, kFewParts, kMostParts);
  return split;
}

}  // namespace impl::cuda
