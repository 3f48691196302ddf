// SPDX-License-Identifier: BSD-3-Clause
// Furthest point sampling of many points: a pick reads only the blocks of points that it is near to.
#ifndef IMPL_CPU_POINTS_FURTHEST_BLOCKS_HPP_
#define IMPL_CPU_POINTS_FURTHEST_BLOCKS_HPP_

#include <cstdint>

namespace impl::cpu {

// Points in blocks of neighbours. A block has a box around its points, and the greatest of their distances.
struct FurthestBlocks {
  static constexpr int64_t kBlock = 64;  // points

  // Divides the memory for so many points. With null memory only `bytes` counts. `planes` has their three coordinates.
  FurthestBlocks(const float* planes, int64_t count, char* memory);
  // Sorts the points into the blocks.
  void sort() const;
  int64_t places() const { return blocks * kBlock; }

  const float* planes;
  int64_t count, blocks;       // `blocks` is a multiple of the lanes of a vector
  float *sorted, *low, *high;  // [3][places()], [3][blocks], [3][blocks]
  float *least, *most;         // of each sorted point; the greatest one of each block
  int32_t *index, *where;      // of each sorted point; of the one with the greatest distance of each block
  uint64_t* keys;              // for sort()
  int64_t bytes;
};

// Picks the points that pick_furthest() picks, and writes the same distances. The blocks are sorted. A pick changes no
// distance in a block whose box is at least as far away as the block's greatest distance: the distance from a box is
// rounded as those of points are, and rounding keeps the order of numbers.
void pick_furthest(const FurthestBlocks& blocks, int64_t picks, float* least, int32_t* index);

// Picoseconds on a Xeon with AVX-512: for a point that is sorted, for a pick among blocks, and for a point that is
// compared with a pick.
inline constexpr int64_t kSortedPoint = 22000, kPickFromBlocks = 250000, kComparedPoint = 165;

// Whether blocks are faster than comparing all points with each pick.
inline bool blocks_pay(int64_t count, int64_t picks) {
  const auto points = static_cast<double>(count);
  return static_cast<double>(picks) * (points * kComparedPoint - kPickFromBlocks) > points * kSortedPoint;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTS_FURTHEST_BLOCKS_HPP_
