// SPDX-License-Identifier: BSD-3-Clause
// How a fold divides its rows. The division depends on the shape and the strides only, so that the bits of a result are
// the same for any grid.
#ifndef IMPL_CUDA_KERNELS_ROWS_PLAN_HPP_
#define IMPL_CUDA_KERNELS_ROWS_PLAN_HPP_

#include <cstdint>

namespace impl::cuda {

constexpr int kFoldThreads = 128;  // of a block

// Rows of `length` elements in pieces of `piece` elements, each of which `lanes` threads fold.
struct FoldSplit {
  int64_t rows, length;
  int64_t pieces, piece;
  int lanes;
  bool across;  // adjacent threads have adjacent rows, otherwise adjacent elements

  FoldSplit(int64_t rows, int64_t length, bool across);

  // Rows of `packs` loads of 16 bytes, which are the elements of this division.
  static FoldSplit of_packs(int64_t rows, int64_t packs);
  // Rows of which adjacent threads have adjacent ones.
  static FoldSplit of_columns(int64_t rows, int64_t length);
  // The results of `pieces` pieces of each row.
  static FoldSplit of_parts(int64_t rows, int64_t pieces);

 private:
  void divide(int most_lanes, int64_t lane_steps, int64_t steps);
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_PLAN_HPP_
