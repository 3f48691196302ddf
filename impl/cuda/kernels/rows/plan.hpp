// SPDX-License-Identifier: BSD-3-Clause
// How a fold divides its rows. The division depends on the shape and the strides only, so that the bits of a result are
// the same for any grid.
#ifndef IMPL_CUDA_KERNELS_ROWS_PLAN_HPP_
#define IMPL_CUDA_KERNELS_ROWS_PLAN_HPP_

#include <cstdint>

namespace impl::cuda {

constexpr int kFoldThreads = 128;      // of a block
constexpr int kMostFoldThreads = 512;  // of a block that folds loads of 16 bytes

// Rows of `length` elements in pieces of `piece` elements, each of which `lanes` threads fold. A block folds the same
// piece of `slots` adjacent rows, a tile.
struct FoldSplit {
  int64_t rows, length;
  int64_t pieces, piece;
  int64_t tiles;
  int lanes, slots;
  bool across;  // adjacent threads have adjacent rows, otherwise adjacent elements

  FoldSplit(int64_t rows, int64_t length, bool across);

  // Rows of `packs` loads of 16 bytes, which are the elements of this division.
  static FoldSplit of_packs(int64_t rows, int64_t packs);
  // Rows of which adjacent threads have adjacent ones, or packs of such rows. A block should have at least
  // `least_slots` of them, so that its threads access adjacent memory.
  static FoldSplit of_columns(int64_t rows, int64_t length, int least_slots = 32);
  // The results of `pieces` pieces of each row.
  static FoldSplit of_parts(int64_t rows, int64_t pieces);

  int threads() const { return lanes * slots; }
  // The tiles of blocks of this many threads.
  void set_block(int threads);

 private:
  void divide(int most_lanes, int64_t lane_steps, int64_t steps);
  void set_piece(int64_t steps);
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_PLAN_HPP_
