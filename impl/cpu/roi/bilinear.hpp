// SPDX-License-Identifier: BSD-3-Clause
// The clamped bilinear sampler of region operators, and lines of equally spaced samples.
#ifndef IMPL_CPU_ROI_BILINEAR_HPP_
#define IMPL_CPU_ROI_BILINEAR_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "impl/cpu/roi/coordinate.hpp"

namespace impl::cpu {

// The two elements that a sample reads in one direction, and their weights.
struct Neighbours {
  int64_t low, high;
  double low_weight, high_weight;
};

// Whether a sample at `position` lies in [-1, extent]; false for NaN. Samples outside are 0. Rounding may move a sample
// across a border, but not by more than a pixel.
inline bool is_inside(const Coordinate& position, int64_t extent) {
  const auto end = static_cast<double>(extent);
  return position.rounded >= -1 && position.rounded <= end && position.exact >= -2 && position.exact <= end + 1;
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
  Coordinate start, width;
  double count;

  Coordinate position(double i) const { return start + width * (i + 0.5) / count; }
  bool has_samples() const { return count >= 1 && std::isfinite(start.exact) && std::isfinite(width.exact); }
  // The samples [first, last] of which some may lie in [low, high]; no sample outside of [first, last] does.
  struct Range {
    double first, last;
  };
  Range within(double low, double high) const {
    if (!has_samples()) return {0, -1};
    const double step = width.exact / count;
    double first = 0, last = count - 1;
    if (step != 0) {
      const double a = (low - start.exact) / step, b = (high - start.exact) / step;
      first = std::max(first, std::floor(std::min(a, b)) - 2);
      last = std::min(last, std::ceil(std::max(a, b)) + 1);
    }
    return {first, last};
  }
  // The samples of which some may be inside of an image.
  Range inside(int64_t extent) const { return within(-2, static_cast<double>(extent) + 1); }
};

// The number of samples of a bin of `size` / `bins` in one direction; NaN, which means none, if it is no number that
// counts samples one by one. `in_float32`: the quotient is rounded to float32, also for float64.
inline double samples_of(const Coordinate& size, int64_t bins, int64_t ratio, bool in_float32) {
  if (ratio > 0) return static_cast<double>(ratio);
  const double samples = (size / static_cast<double>(bins)).rounded;
  const double count = std::ceil(Coordinate(samples, in_float32).rounded);
  return std::abs(count) <= 4503599627370496.0 ? count : std::nan("");
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ROI_BILINEAR_HPP_
