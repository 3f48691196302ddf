// SPDX-License-Identifier: BSD-3-Clause
// The clamped bilinear sampler of region operators, and lines of equally spaced samples. Positions are float64.
#ifndef IMPL_CPU_ROI_BILINEAR_HPP_
#define IMPL_CPU_ROI_BILINEAR_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace impl::cpu {

// The two elements that a sample reads in one direction, and their weights.
struct Neighbours {
  int64_t low, high;
  double low_weight, high_weight;
};

// Whether a sample at `position` lies in [-1, extent]; false for NaN. Samples outside are 0.
inline bool is_inside(double position, int64_t extent) {
  return position >= -1 && position <= static_cast<double>(extent);
}

// The neighbours of a position inside: it is clamped to the elements.
inline Neighbours neighbours(double position, int64_t extent) {
  const double p = std::max(position, 0.0);
  const auto low = static_cast<int64_t>(p);
  if (low >= extent - 1) return {extent - 1, extent - 1, 1, 0};
  const double part = p - static_cast<double>(low);
  return {low, low + 1, 1 - part, part};
}

// A sample: the four elements of a plane of `width` columns, and their weights.
struct Sample {
  int64_t cell[4];
  double weight[4];
};
inline Sample make_sample(const Neighbours& y, const Neighbours& x, int64_t width) {
  const int64_t top = y.low * width, bottom = y.high * width;
  return {{top + x.low, top + x.high, bottom + x.low, bottom + x.high},
          {y.low_weight * x.low_weight, y.low_weight * x.high_weight, y.high_weight * x.low_weight,
           y.high_weight * x.high_weight}};
}

// The samples of one bin in one direction: `count` of them at start + (i + 0.5) * width / count. `count` is a whole
// number, but may be too large for an integer, or NaN if there are no samples.
struct SampleLine {
  double start, width, count;

  double position(double i) const { return start + (i + 0.5) * width / count; }
  // The samples [first, last] of which some may lie in [low, high]; no sample outside of [first, last] does.
  struct Range {
    double first, last;
  };
  Range within(double low, double high) const {
    if (!(count >= 1) || !std::isfinite(start) || !std::isfinite(width)) return {0, -1};
    const double step = width / count;
    double first = 0, last = count - 1;
    if (step != 0) {
      const double a = (low - start) / step, b = (high - start) / step;
      first = std::max(first, std::floor(std::min(a, b)) - 2);
      last = std::min(last, std::ceil(std::max(a, b)) + 1);
    }
    return {first, last};
  }
};

// The number of samples of a bin of `size` / `bins` in one direction; NaN, which means none, if it is no number that
// counts samples one by one.
inline double samples_of(double size, int64_t bins, int64_t ratio) {
  if (ratio > 0) return static_cast<double>(ratio);
  const double count = std::ceil(size / static_cast<double>(bins));
  return std::abs(count) <= 4503599627370496.0 ? count : std::nan("");
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ROI_BILINEAR_HPP_
