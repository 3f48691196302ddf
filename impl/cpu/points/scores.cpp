// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/points/rows.hpp"

#include <algorithm>

#include "impl/common/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/points/scores.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Plain loops, which the compiler vectorises for the target.

// The rows of points and centres of one place [b, n, k], and whether both indices are in range.
struct ScoredPair {
  int64_t point, centre;
  bool valid;
};

HWY_INLINE ScoredPair pair_at(const ScoredPoints& p, int64_t place) {
  const int64_t batch = place / (p.picks * p.neighbours);
  const int64_t i = p.index[place], j = p.index[place / p.neighbours * p.neighbours];
  const auto count = static_cast<uint64_t>(p.points);
  if (static_cast<uint64_t>(i) >= count || static_cast<uint64_t>(j) >= count) return {0, 0, false};
  return {batch * p.points + i, batch * p.points + j, true};
}

template <typename T>
void score(const ScoredPoints& p, void* out, int64_t begin, int64_t end) {
  const int64_t width = p.width;
  for (int64_t place = begin; place < end; ++place) {
    T* sum = static_cast<T*>(out) + place * width;
    std::fill_n(sum, width, T{0});
    const ScoredPair at = pair_at(p, place);
    if (!at.valid) continue;
    const T* point = static_cast<const T*>(p.point) + at.point * p.scores * width;
    const T* centre = static_cast<const T*>(p.centre) + at.centre * p.scores * width;
    const T* scores = static_cast<const T*>(p.score) + place * p.scores;
    for (int64_t m = 0; m < p.scores; ++m, point += width, centre += width) {
      const T s = scores[m];
      for (int64_t o = 0; o < width; ++o) sum[o] += s * (point[o] - centre[o]);
    }
  }
}

// The gradients of the scores with number m in one batch.
template <typename T>
void score_backward(const ScoredPoints& p, const void* grad, double* grad_points, double* grad_centers,
                    double* grad_scores, int64_t batch, int64_t m) {
  constexpr int64_t kLanes = 8;
  const int64_t width = p.width, places = p.picks * p.neighbours;
  for (int64_t place = batch * places; place < (batch + 1) * places; ++place) {
    const ScoredPair at = pair_at(p, place);
    if (!at.valid) continue;
    const int64_t to = (at.point * p.scores + m) * width, from = (at.centre * p.scores + m) * width;
    const T *point = static_cast<const T*>(p.point) + to, *centre = static_cast<const T*>(p.centre) + from;
    const T* g = static_cast<const T*>(grad) + place * width;
    const auto s = static_cast<double>(static_cast<const T*>(p.score)[place * p.scores + m]);
    for (int64_t o = 0; o < width; ++o) grad_points[to + o] += s * static_cast<double>(g[o]);
    for (int64_t o = 0; o < width; ++o) grad_centers[from + o] -= s * static_cast<double>(g[o]);
    double sums[kLanes] = {};
    int64_t o = 0;
    for (; o + kLanes <= width; o += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) {
        sums[k] +=
            (static_cast<double>(point[o + k]) - static_cast<double>(centre[o + k])) * static_cast<double>(g[o + k]);
      }
    }
    for (; o < width; ++o) {
      sums[0] += (static_cast<double>(point[o]) - static_cast<double>(centre[o])) * static_cast<double>(g[o]);
    }
    grad_scores[place * p.scores + m] =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
}

void Score(const ScoredPoints& p, diopiDtype_t dtype, void* out, int64_t begin, int64_t end) {
  (dtype == diopi_dtype_float64 ? score<double> : score<float>)(p, out, begin, end);
}

void ScoreBackward(const ScoredPoints& p, diopiDtype_t dtype, const void* grad, double* grad_points,
                   double* grad_centers, double* grad_scores, int64_t batch, int64_t m) {
  const auto kernel = dtype == diopi_dtype_float64 ? score_backward<double> : score_backward<float>;
  kernel(p, grad, grad_points, grad_centers, grad_scores, batch, m);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(Score);
HWY_EXPORT(ScoreBackward);

namespace {
constexpr int64_t kProduct = 300;  // picoseconds
}  // namespace

void score_points(const ScoredPoints& p, diopiDtype_t dtype, void* out) {
  const diopi::Picoseconds each{kProduct * (p.scores * p.width + 1)};
  diopi::parallel_for(p.batches * p.picks * p.neighbours, each, [&p, dtype, out](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Score)(p, dtype, out, begin, end);
  });
}

void score_points_backward(const ScoredPoints& p, diopiDtype_t dtype, const void* grad, double* grad_points,
                           double* grad_centers, double* grad_scores) {
  const diopi::Picoseconds each{3 * kProduct * (p.picks * p.neighbours * p.width + 1)};
  diopi::parallel_for(p.batches * p.scores, each, [=, &p](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(ScoreBackward)
      (p, dtype, grad, grad_points, grad_centers, grad_scores, i / p.scores, i % p.scores);
    }
  });
}

}  // namespace impl::cpu
#endif
