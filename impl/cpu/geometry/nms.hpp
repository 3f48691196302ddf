// SPDX-License-Identifier: BSD-3-Clause
// Greedy suppression: of boxes in the order of their scores, keeps the best one and drops those that overlap it, then
// the best one of the rest, and so on.
#ifndef IMPL_CPU_GEOMETRY_NMS_HPP_
#define IMPL_CPU_GEOMETRY_NMS_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/parallel.hpp"

namespace impl::cpu {

// Writes the positions of the kept boxes to `kept` and returns their number. `dropped` has n elements, which are 0, or
// 1 for boxes that are not wanted; `kept` has room for n. `suppress(i, begin, end, dropped)` sets dropped[j] to 1 for
// each j in [begin, end) that box i drops, and changes no other element. `pair` is the time of one comparison.
//
// Boxes are settled in blocks: first those of a block among themselves, then all later ones, in parallel, against the
// kept boxes of the block. The memory is linear in n, and the result does not depend on the number of threads.
template <typename Suppress>
int64_t greedy_suppression(int64_t n, diopi::Picoseconds pair, uint8_t* dropped, int64_t* kept,
                           const Suppress& suppress) {
  constexpr int64_t kBlock = 64;
  int64_t count = 0;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock), first = count;
    for (int64_t i = begin; i < end; ++i) {
      if (dropped[i] != 0) continue;
      kept[count++] = i;
      suppress(i, i + 1, end, dropped);
    }
    const diopi::Picoseconds each{pair.count * (count - first)};
    const int64_t last = count;
    diopi::parallel_for(n - end, each, [=](int64_t from, int64_t to) {
      for (int64_t k = first; k < last; ++k) suppress(kept[k], end + from, end + to, dropped);
    });
  }
  return count;
}

// Vectors are read up to this number of elements behind the last box.
inline constexpr int64_t kNmsPadding = 8;

// Boxes in the order of their scores, each coordinate in an array of its own with kNmsPadding more elements.
struct NmsBoxes {
  const double *x1, *y1, *x2, *y2, *area;
  double threshold, margin;
};

// greedy_suppression() of boxes whose intersection over union is greater than the threshold.
int64_t suppress_boxes(const NmsBoxes& boxes, int64_t n, uint8_t* dropped, int64_t* kept);

}  // namespace impl::cpu

#endif  // IMPL_CPU_GEOMETRY_NMS_HPP_
