// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/roi/regions.hpp"

namespace impl::cpu {

namespace {

constexpr double kMargin = 2.5;  // how far outside of a rotated image is_inside() may look, and some more

double divisor_of(double count_y, double count_x) {
  const double count = count_y * count_x;
  return count >= 1 ? count : 1;
}

Coordinate side_of(const RegionFrame& frame, const Coordinate& size) {
  return frame.at_least_one ? size.at_least(1) : size;
}

}  // namespace

UprightRegion::UprightRegion(const RegionFrame& frame, const double* roi)
    : frame_(frame),
      y_(frame.scaled(roi[2]) - frame.shift),
      x_(frame.scaled(roi[1]) - frame.shift),
      height_(side_of(frame, frame.scaled(roi[4]) - frame.shift - y_)),
      width_(side_of(frame, frame.scaled(roi[3]) - frame.shift - x_)),
      count_y_(samples_of(height_, frame.bins_y, frame.ratio, frame.counts_in_float32)),
      count_x_(samples_of(width_, frame.bins_x, frame.ratio, frame.counts_in_float32)),
      divisor_(divisor_of(count_y_, count_x_)) {}

SampleLine UprightRegion::line_y(int64_t ph, const Coordinate& by) const {
  return bin_of(y_ + by, height_, ph, frame_.bins_y, count_y_);
}

SampleLine UprightRegion::line_x(int64_t pw, const Coordinate& by) const {
  return bin_of(x_ + by, width_, pw, frame_.bins_x, count_x_);
}

RotatedRegion::RotatedRegion(const RegionFrame& frame, bool clockwise, const double* roi)
    : frame_(frame),
      yc_(frame.scaled(roi[2]) - frame.shift),
      xc_(frame.scaled(roi[1]) - frame.shift),
      height_(side_of(frame, frame.scaled(roi[4]))),
      width_(side_of(frame, frame.scaled(roi[3]))),
      cosine_(Coordinate(clockwise ? -roi[5] : roi[5], frame.narrow).cosine()),
      sine_(Coordinate(clockwise ? -roi[5] : roi[5], frame.narrow).sine()),
      count_y_(samples_of(height_, frame.bins_y, frame.ratio, frame.counts_in_float32)),
      count_x_(samples_of(width_, frame.bins_x, frame.ratio, frame.counts_in_float32)),
      divisor_(divisor_of(count_y_, count_x_)) {
  const double cosine = cosine_.exact, sine = sine_.exact;
  low_v_ = low_u_ = INFINITY;
  high_v_ = high_u_ = -INFINITY;
  for (const double y : {-1.0, static_cast<double>(frame.height)}) {
    for (const double x : {-1.0, static_cast<double>(frame.width)}) {
      const double down = y - yc_.exact, along = x - xc_.exact;
      const double v = down * cosine + along * sine, u = along * cosine - down * sine;
      low_v_ = std::min(low_v_, v - kMargin);
      high_v_ = std::max(high_v_, v + kMargin);
      low_u_ = std::min(low_u_, u - kMargin);
      high_u_ = std::max(high_u_, u + kMargin);
    }
  }
  if (!std::isfinite(cosine) || !std::isfinite(yc_.exact) || !std::isfinite(xc_.exact)) count_y_ = std::nan("");
}

ExactRegion::ExactRegion(const RegionFrame& frame, const double* roi)
    : frame_(frame), y_(roi[2] * frame.scale), x_(roi[1] * frame.scale) {
  height_ = std::max(roi[4] * frame.scale - y_, 0.0) / static_cast<double>(frame.bins_y);
  width_ = std::max(roi[3] * frame.scale - x_, 0.0) / static_cast<double>(frame.bins_x);
  empty_ = !(height_ * width_ > 0) || !std::isfinite(y_) || !std::isfinite(x_) || !std::isfinite(height_) ||
           !std::isfinite(width_);
}

}  // namespace impl::cpu
