// SPDX-License-Identifier: BSD-3-Clause
// Coordinates of regions and samples.
#ifndef IMPL_CPU_ROI_COORDINATE_HPP_
#define IMPL_CPU_ROI_COORDINATE_HPP_

#include <algorithm>
#include <cmath>

namespace impl::cpu {

// A coordinate in float64, and the same one as the kernels of torchvision and mmcv have it: they compute float32 (and
// here also float16 and bfloat16) in float32 and round each operation. `rounded` decides how many samples a bin has and
// which of them lie inside of an image; `exact` says where in the image a sample lies.
struct Coordinate {
  double exact, rounded;
  bool narrow;

  Coordinate(double value, bool is_narrow) : Coordinate(value, value, is_narrow) {}
  // The results of one operation.
  Coordinate(double exact_value, double unrounded, bool is_narrow)
      : exact(exact_value),
        rounded(is_narrow ? static_cast<double>(static_cast<float>(unrounded)) : unrounded),
        narrow(is_narrow) {}

  Coordinate at_least(double low) const { return {std::max(exact, low), std::max(rounded, low), narrow}; }
  Coordinate operator-() const { return {-exact, -rounded, narrow}; }
  Coordinate cosine() const { return {std::cos(exact), std::cos(rounded), narrow}; }
  Coordinate sine() const { return {std::sin(exact), std::sin(rounded), narrow}; }
};

// float64 has more than twice the digits of float32, so rounding a result of float64 to float32 is the same as
// computing in float32.
inline Coordinate operator+(const Coordinate& a, const Coordinate& b) {
  return {a.exact + b.exact, a.rounded + b.rounded, a.narrow};
}
inline Coordinate operator-(const Coordinate& a, const Coordinate& b) {
  return {a.exact - b.exact, a.rounded - b.rounded, a.narrow};
}
inline Coordinate operator*(const Coordinate& a, const Coordinate& b) {
  return {a.exact * b.exact, a.rounded * b.rounded, a.narrow};
}
inline Coordinate operator/(const Coordinate& a, const Coordinate& b) {
  return {a.exact / b.exact, a.rounded / b.rounded, a.narrow};
}
inline Coordinate operator+(const Coordinate& a, double b) { return a + Coordinate(b, a.narrow); }
inline Coordinate operator-(const Coordinate& a, double b) { return a - Coordinate(b, a.narrow); }
inline Coordinate operator*(const Coordinate& a, double b) { return a * Coordinate(b, a.narrow); }
inline Coordinate operator/(const Coordinate& a, double b) { return a / Coordinate(b, a.narrow); }

}  // namespace impl::cpu

#endif  // IMPL_CPU_ROI_COORDINATE_HPP_
