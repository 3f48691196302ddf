// SPDX-License-Identifier: BSD-3-Clause
// How packed_rows() divides rows among threads. The division depends on the shape, the strides and the alignment only,
// so that the bits of a result are the same for any grid.
#ifndef IMPL_CUDA_KERNELS_ROWS_PACKED_PLAN_HPP_
#define IMPL_CUDA_KERNELS_ROWS_PACKED_PLAN_HPP_

#include <cstdint>

namespace impl::cuda {

constexpr int kMostAcrossThreads = 256;  // of a block, where adjacent threads have adjacent rows

struct PackedShape {
  int64_t rows, length;
  int items;  // elements of a pack
  bool wide, across;
  int most_held, most_lanes;
};

struct PackedPlan {
  int lanes;    // threads of a row
  int packs;    // of the thread with the most of them
  int threads;  // of a block
  int64_t blocks;
};

PackedPlan plan_packed_rows(const PackedShape& shape);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROWS_PACKED_PLAN_HPP_
