// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/roi/regions.hpp"

namespace impl::cpu {

namespace {

double divisor_of(double count_y, double count_x) {
  const double count = count_y * count_x;
  return count >= 1 ? count : 1;
}

SampleLine bin_of(double start, double size, int64_t p, int64_t bins, double count, double by) {
  const double width = size / static_cast<double>(bins);
  return {start + by + static_cast<double>(p) * width, width, count};
}

}  // namespace

UprightRegion::UprightRegion(const RegionFrame& frame, const double* roi)
    : frame_(frame), y_(roi[2] * frame.scale - frame.shift), x_(roi[1] * frame.scale - frame.shift) {
  height_ = roi[4] * frame.scale - frame.shift - y_;
  width_ = roi[3] * frame.scale - frame.shift - x_;
  if (frame.at_least_one) {
    height_ = std::max(height_, 1.0);
    width_ = std::max(width_, 1.0);
  }
  count_y_ = samples_of(height_, frame.bins_y, frame.ratio);
  count_x_ = samples_of(width_, frame.bins_x, frame.ratio);
  divisor_ = divisor_of(count_y_, count_x_);
}

SampleLine UprightRegion::line_y(int64_t ph, double by) const {
  return bin_of(y_, height_, ph, frame_.bins_y, count_y_, by);
}

SampleLine UprightRegion::line_x(int64_t pw, double by) const {
  return bin_of(x_, width_, pw, frame_.bins_x, count_x_, by);
}

RotatedRegion::RotatedRegion(const RegionFrame& frame, bool clockwise, const double* roi)
    : frame_(frame),
      yc_(roi[2] * frame.scale - frame.shift),
      xc_(roi[1] * frame.scale - frame.shift),
      height_(roi[4] * frame.scale),
      width_(roi[3] * frame.scale) {
  if (frame.at_least_one) {
    height_ = std::max(height_, 1.0);
    width_ = std::max(width_, 1.0);
  }
  const double angle = clockwise ? -roi[5] : roi[5];
  cosine_ = std::cos(angle);
  sine_ = std::sin(angle);
  count_y_ = samples_of(height_, frame.bins_y, frame.ratio);
  count_x_ = samples_of(width_, frame.bins_x, frame.ratio);
  divisor_ = divisor_of(count_y_, count_x_);
  low_v_ = low_u_ = INFINITY;
  high_v_ = high_u_ = -INFINITY;
  for (const double y : {-1.0, static_cast<double>(frame.height)}) {
    for (const double x : {-1.0, static_cast<double>(frame.width)}) {
      const double v = (y - yc_) * cosine_ + (x - xc_) * sine_, u = (x - xc_) * cosine_ - (y - yc_) * sine_;
      low_v_ = std::min(low_v_, v - 1);
      high_v_ = std::max(high_v_, v + 1);
      low_u_ = std::min(low_u_, u - 1);
      high_u_ = std::max(high_u_, u + 1);
    }
  }
  if (!std::isfinite(cosine_) || !std::isfinite(yc_) || !std::isfinite(xc_)) count_y_ = std::nan("");
}

ExactRegion::ExactRegion(const RegionFrame& frame, const double* roi)
    : frame_(frame), y_(roi[2] * frame.scale), x_(roi[1] * frame.scale) {
  height_ = std::max(roi[4] * frame.scale - y_, 0.0) / static_cast<double>(frame.bins_y);
  width_ = std::max(roi[3] * frame.scale - x_, 0.0) / static_cast<double>(frame.bins_x);
  empty_ = !(height_ * width_ > 0) || !std::isfinite(y_) || !std::isfinite(x_) || !std::isfinite(height_) ||
           !std::isfinite(width_);
}

}  // namespace impl::cpu
