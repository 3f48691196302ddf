// SPDX-License-Identifier: BSD-3-Clause
// Bilinear samples of a plane that zeros continue, as deformable convolution and deformable attention read it.
#ifndef IMPL_CPU_SAMPLING_ZERO_PADDED_HPP_
#define IMPL_CPU_SAMPLING_ZERO_PADDED_HPP_

#include <cmath>
#include <cstdint>

namespace impl::cpu {

// The neighbours of a point, in the order top left, top right, bottom left, bottom right.
struct ZeroPaddedPoint {
  bool inside = false;                 // otherwise the sample is 0 and has no gradient
  int64_t cell[4] = {-1, -1, -1, -1};  // row-major position in the plane; -1 for a neighbour outside of it
  double down = 0, right = 0;          // the distance from the top left neighbour

  template <typename T>
  void weights(T (&w)[4]) const {
    w[0] = static_cast<T>((1 - down) * (1 - right));
    w[1] = static_cast<T>((1 - down) * right);
    w[2] = static_cast<T>(down * (1 - right));
    w[3] = static_cast<T>(down * right);
  }
};

// A point is inside if -1 < y < height and -1 < x < width; NaN is outside.
inline ZeroPaddedPoint zero_padded_point(double y, double x, int64_t height, int64_t width) {
  ZeroPaddedPoint point;
  if (!(y > -1 && x > -1 && y < static_cast<double>(height) && x < static_cast<double>(width))) return point;
  point.inside = true;
  const double top = std::floor(y), left = std::floor(x);
  point.down = y - top;
  point.right = x - left;
  const auto row = static_cast<int64_t>(top), col = static_cast<int64_t>(left);
  const bool above = row >= 0, below = row + 1 < height, before = col >= 0, after = col + 1 < width;
  const int64_t first = row * width + col;
  if (above && before) point.cell[0] = first;
  if (above && after) point.cell[1] = first + 1;
  if (below && before) point.cell[2] = first + width;
  if (below && after) point.cell[3] = first + width + 1;
  return point;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_ZERO_PADDED_HPP_
