// SPDX-License-Identifier: BSD-3-Clause
// The taps of the bins of regions: which elements of an image a bin adds, and their weights.
#ifndef IMPL_CPU_ROI_REGIONS_HPP_
#define IMPL_CPU_ROI_REGIONS_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "impl/cpu/roi/bilinear.hpp"

namespace impl::cpu {

// The extents and attributes that all regions of a call share.
struct RegionFrame {
  int64_t height, width, bins_y, bins_x;
  double scale, shift;
  bool at_least_one;
  int64_t ratio;
  bool narrow;             // see Coordinate
  bool counts_in_float32;  // see samples_of()

  Coordinate scaled(double number) const { return Coordinate(number, narrow) * scale; }
};

// The samples of bin `p` of a side.
inline SampleLine bin_of(const Coordinate& start, const Coordinate& size, int64_t p, int64_t bins, double count) {
  const Coordinate width = size / static_cast<double>(bins);
  return {start + width * static_cast<double>(p), width, count};
}

// A region parallel to the axes.
class UprightRegion {
 public:
  // `roi` is (image, x1, y1, x2, y2).
  UprightRegion(const RegionFrame& frame, const double* roi);

  const Coordinate& height() const { return height_; }
  const Coordinate& width() const { return width_; }
  double divisor() const { return divisor_; }
  // The samples of a bin, moved by `by`.
  SampleLine line_y(int64_t ph, const Coordinate& by) const;
  SampleLine line_x(int64_t pw, const Coordinate& by) const;
  // Adds the taps of a bin, moved by (by_y, by_x), to `run`.
  template <typename Run>
  void add_bin(int64_t ph, int64_t pw, const Coordinate& by_y, const Coordinate& by_x, Run* run) const;

 private:
  const RegionFrame& frame_;
  Coordinate y_, x_, height_, width_;
  double count_y_, count_x_, divisor_;
};

// The elements that a run of samples adds in one direction, each element once. A weight of 0 counts as well, because
// its product with an infinite element is NaN: such elements are listed apart.
class AxisTaps {
 public:
  static constexpr int64_t kSamples = 64;
  static constexpr int64_t kMost = 2 * kSamples;

  // Adds the samples [first, last] of a line that lie inside.
  void read(const SampleLine& line, double first, double last, int64_t extent) {
    n = 0;
    for (double i = first; i <= last; ++i) {
      const Coordinate position = line.position(i);
      if (!is_inside(position, extent)) continue;
      const Neighbours found = neighbours(position.exact, extent);
      add(found.low, found.low_weight);
      add(found.high, found.high_weight);
    }
  }

  int64_t n = 0;
  int64_t element[kMost];
  double weight[kMost];

 private:
  // Samples are in order, so an element that was added before is one of the last few.
  void add(int64_t index, double w) {
    for (int64_t k = n - 1; k >= std::max<int64_t>(0, n - 4); --k) {
      if (element[k] == index && (weight[k] == 0) == (w == 0)) {
        weight[k] += w;
        return;
      }
    }
    element[n] = index;
    weight[n++] = w;
  }
};

template <typename Run>
void UprightRegion::add_bin(int64_t ph, int64_t pw, const Coordinate& by_y, const Coordinate& by_x, Run* run) const {
  const SampleLine y = line_y(ph, by_y), x = line_x(pw, by_x);
  const auto rows = y.inside(frame_.height), columns = x.inside(frame_.width);
  constexpr double kSamples = AxisTaps::kSamples;
  AxisTaps in_y, in_x;
  for (double i = rows.first; i <= rows.last; i += kSamples) {
    in_y.read(y, i, std::min(i + kSamples - 1, rows.last), frame_.height);
    for (double j = columns.first; j <= columns.last; j += kSamples) {
      in_x.read(x, j, std::min(j + kSamples - 1, columns.last), frame_.width);
      for (int64_t a = 0; a < in_y.n; ++a) {
        const double weight = in_y.weight[a] / divisor_;
        for (int64_t b = 0; b < in_x.n; ++b) {
          run->add(in_y.element[a] * frame_.width + in_x.element[b], weight * in_x.weight[b]);
        }
      }
    }
  }
}

// A rotated region.
class RotatedRegion {
 public:
  // `roi` is (image, xc, yc, w, h, angle).
  RotatedRegion(const RegionFrame& frame, bool clockwise, const double* roi);

  template <typename Run>
  void add_bin(int64_t ph, int64_t pw, Run* run) const {
    const SampleLine v = bin_of(-height_ / 2, height_, ph, frame_.bins_y, count_y_);
    const SampleLine u = bin_of(-width_ / 2, width_, pw, frame_.bins_x, count_x_);
    const auto rows = v.within(low_v_, high_v_), columns = u.within(low_u_, high_u_);
    for (double i = rows.first; i <= rows.last; ++i) {
      for (double j = columns.first; j <= columns.last; ++j) {
        const Coordinate at_v = v.position(i), at_u = u.position(j);
        const Coordinate y = at_v * cosine_ - at_u * sine_ + yc_, x = at_v * sine_ + at_u * cosine_ + xc_;
        if (!is_inside(y, frame_.height) || !is_inside(x, frame_.width)) continue;
        const Sample s =
            make_sample(neighbours(y.exact, frame_.height), neighbours(x.exact, frame_.width), frame_.width);
        for (int k = 0; k < 4; ++k) run->add(s.cell[k], s.weight[k] / divisor_);
      }
    }
  }

 private:
  const RegionFrame& frame_;
  Coordinate yc_, xc_, height_, width_, cosine_, sine_;
  double count_y_, count_x_, divisor_;
  double low_v_, high_v_, low_u_, high_u_;  // where the image lies along the sides of the region
};

// A region over which the interpolated image is integrated. F(y, x) is the sum of elements times their hats, which fall
// from 1 at the element to 0 at its neighbours.
class ExactRegion {
 public:
  // `roi` is (image, x1, y1, x2, y2).
  ExactRegion(const RegionFrame& frame, const double* roi);

  bool is_empty() const { return empty_; }
  double height() const { return height_; }  // of a bin
  double width() const { return width_; }
  double y(int64_t ph) const { return y_ + static_cast<double>(ph) * height_; }
  double x(int64_t pw) const { return x_ + static_cast<double>(pw) * width_; }

  // Adds the mean over a bin.
  template <typename Run>
  void add_bin(int64_t ph, int64_t pw, Run* run) const {
    if (empty_) return;
    const double area = height_ * width_;
    for_elements(y(ph), y(ph + 1), frame_.height, [&](int64_t i, double in_y) {
      for_elements(x(pw), x(pw + 1), frame_.width,
                   [&](int64_t j, double in_x) { run->add(i * frame_.width + j, in_y * in_x / area); });
    });
  }
  // Adds the integral over the part of the line at `y` that lies in column `pw`; and of the line at `x` in row `ph`.
  template <typename Run>
  void add_line_at_y(double y, int64_t pw, Run* run) const {
    for_hats(y, frame_.height, [&](int64_t i, double hat) {
      for_elements(x(pw), x(pw + 1), frame_.width,
                   [&](int64_t j, double in_x) { run->add(i * frame_.width + j, hat * in_x); });
    });
  }
  template <typename Run>
  void add_line_at_x(double x, int64_t ph, Run* run) const {
    for_elements(y(ph), y(ph + 1), frame_.height, [&](int64_t i, double in_y) {
      for_hats(x, frame_.width, [&](int64_t j, double hat) { run->add(i * frame_.width + j, in_y * hat); });
    });
  }

 private:
  // The integral of a hat from its top to t.
  static double integral(double t) {
    t = std::max(-1.0, std::min(t, 1.0));
    return t < 0 ? t + t * t / 2 : t - t * t / 2;
  }
  // Calls f for each element that is less than 1 away from [low, high].
  template <typename F>
  static void for_near(double low, double high, int64_t extent, const F& f) {
    const auto size = static_cast<double>(extent);
    const double first = std::min(std::max(std::floor(low - 1) + 1, 0.0), size);
    const double end = std::min(std::max(std::ceil(high + 1), first), size);
    for (auto i = static_cast<int64_t>(first); i < static_cast<int64_t>(end); ++i) f(i, static_cast<double>(i));
  }
  template <typename F>
  static void for_elements(double low, double high, int64_t extent, const F& f) {
    for_near(low, high, extent, [&](int64_t i, double at) { f(i, integral(high - at) - integral(low - at)); });
  }
  template <typename F>
  static void for_hats(double at, int64_t extent, const F& f) {
    for_near(at, at, extent, [&](int64_t i, double element) { f(i, 1 - std::abs(at - element)); });
  }

  const RegionFrame& frame_;
  double y_, x_, height_, width_;
  bool empty_;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ROI_REGIONS_HPP_
