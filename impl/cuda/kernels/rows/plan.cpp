// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/rows/plan.hpp"

#include <algorithm>

namespace impl::cuda {

namespace {

constexpr int kLanesAcross = 4;
constexpr int64_t kSteps = 32;       // the most elements that a thread folds one after another
constexpr int64_t kLongSteps = 512;  // the same where there are so many rows that their pieces would take much memory
constexpr int64_t kManyRows = 65536;

// Folds of loads of 16 bytes. Large GPUs run about kManyThreads threads at a time; half of them load as fast as memory
// allows, and leave fewer results to merge.
constexpr int64_t kManyThreads = int64_t{1} << 18;
constexpr int64_t kManyBlocks = 128, kFewBlocks = 64;
constexpr int64_t kFewSteps = 4, kColumnSteps = 8;  // the loads of a thread that are in flight
constexpr int64_t kWholeRow = 32;                   // the steps of a thread that are not worth more pieces

int64_t quotient_up(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// The steps of a thread, so that `items` items give about kManyThreads / 2 threads.
int64_t steps_for(int64_t items, int64_t least) {
  int64_t steps = least;
  while (steps * (kManyThreads / 2) < items) steps *= 2;
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
  set_block(kFoldThreads);
  set_piece(steps);
}

void FoldSplit::set_block(int threads) {
  slots = threads / lanes;
  tiles = quotient_up(rows, slots);
}

void FoldSplit::set_piece(int64_t steps) {
  piece = lanes * steps;
  pieces = std::max<int64_t>(1, quotient_up(length, piece));
}

FoldSplit FoldSplit::of_packs(int64_t rows, int64_t packs) {
  constexpr int kLeastLanes = 8;  // access a line of the cache
  constexpr int kMostLanes = 256;
  FoldSplit split(rows, packs, false);
  split.lanes = 1;
  while (split.lanes < kMostLanes && split.lanes * kFewSteps < packs &&
         (split.lanes < kLeastLanes || rows * split.lanes < kManyThreads)) {
    split.lanes *= 2;
  }
  split.set_block(std::max(split.lanes, kFoldThreads));
  const int64_t whole = std::max<int64_t>(1, quotient_up(packs, split.lanes));
  const bool divides = split.lanes == kMostLanes && whole > kFewSteps && rows * split.lanes < kManyThreads / 2;
  split.set_piece(divides ? steps_for(rows * packs, kFewSteps) : whole);
  return split;
}

FoldSplit FoldSplit::of_columns(int64_t rows, int64_t length, int least_slots) {
  constexpr int kThreads = 256, kFewSlots = 2;
  FoldSplit split(rows, length, true);
  split.lanes = 1;
  const auto grow = [&](int slots, bool more) {
    if (!more || split.lanes * kColumnSteps >= length || split.lanes * slots >= kMostFoldThreads) return false;
    split.lanes *= 2;
    return true;
  };
  while (grow(least_slots, rows * split.lanes < kManyThreads)) continue;
  split.set_block(std::max(kThreads, split.lanes * least_slots));
  // Blocks of fewer rows, if there are few blocks.
  while (split.tiles < kFewBlocks && grow(kFewSlots, true)) {
    split.set_block(std::max({kThreads, split.lanes * kFewSlots, std::min(split.threads(), kMostFoldThreads)}));
  }
  const int64_t whole = std::max<int64_t>(1, quotient_up(length, split.lanes));
  const bool divides = whole > kWholeRow && split.tiles < kManyBlocks;
  split.set_piece(divides ? steps_for(rows * length, kColumnSteps) : whole);
  return split;
}

FoldSplit FoldSplit::of_parts(int64_t rows, int64_t pieces) {
  constexpr int64_t kFewParts = 4, kMostParts = 64;
  FoldSplit split(rows, pieces, rows >= kFoldThreads);
  split.divide(split.across ? kLanesAcross : kFoldThreads, kFewParts, kMostParts);
  return split;
}

}  // namespace impl::cuda
