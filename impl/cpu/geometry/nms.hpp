// SPDX-License-Identifier: BSD-3-Clause
// Greedy suppression: of boxes in the order of their scores, keeps the best one and drops those that overlap it, then
// the best one of the rest, and so on.
#ifndef IMPL_CPU_GEOMETRY_NMS_HPP_
#define IMPL_CPU_GEOMETRY_NMS_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/parallel.hpp"

namespace impl::cpu {

// Calls step(thread, threads) on as many threads as `work` picoseconds are worth.
template <typename Step>
void on_worthwhile_threads(double work, const Step& step) {
  const auto most = static_cast<int64_t>(work / diopi::PoolClaim::kWorthAThread);
  if (most < 2) return step(0, 1);
  const diopi::PoolClaim claim(work);
  const auto threads = static_cast<int>(std::min<int64_t>(claim.threads(), most));
  threads > 1 ? claim.on_each_thread(threads, step) : step(0, 1);
}

// Writes the positions of the kept boxes to `kept` and returns their number. `dropped` has n elements, which are 0, or
// 1 for boxes that are not wanted; `kept` has room for n. `suppress(i, begin, end, dropped)` sets dropped[j] to 1 for
// each j in [begin, end) that box i drops, and changes no other element. `pair` is the time of one comparison.
//
// Boxes are settled in blocks. When a block is settled, its kept boxes drop later ones, in parallel. Meanwhile the
// first thread settles the next block, so that no thread waits for it. The memory is linear in n, and the result does
// not depend on the number of threads.
template <typename Suppress>
int64_t greedy_suppression(int64_t n, diopi::Picoseconds pair, uint8_t* dropped, int64_t* kept,
                           const Suppress& suppress) {
  constexpr int64_t kBlock = 128;
  constexpr int64_t kAhead = kBlock + kBlock / 2;  // what the next block takes, in boxes that a block is compared with
  int64_t count = 0;
  const auto settle = [&, dropped, kept](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (dropped[i] != 0) continue;
      kept[count++] = i;
      suppress(i, i + 1, end, dropped);
    }
  };
  settle(0, std::min(n, kBlock));
  for (int64_t begin = kBlock, first = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock), last = count;
    const auto drop = [=, &suppress](int64_t from, int64_t to) {
      for (int64_t k = first; k < last; ++k) suppress(kept[k], from, to, dropped);
    };
    const auto step = [=, &settle](int64_t thread, int64_t threads) {
      const int64_t own = std::max<int64_t>((n - end + kAhead) / threads - kAhead, 0);
      const int64_t later = end + std::min(own, n - end), others = n - later;
      if (thread > 0) {
        return drop(later + others * (thread - 1) / (threads - 1), later + others * thread / (threads - 1));
      }
      drop(begin, later);
      settle(begin, end);
    };
    const double work = static_cast<double>(pair.count) * static_cast<double>((last - first) * (n - begin));
    on_worthwhile_threads(work, step);
    first = last;
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
