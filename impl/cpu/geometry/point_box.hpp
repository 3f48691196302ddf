// SPDX-License-Identifier: BSD-3-Clause
// Points in three-dimensional boxes that are turned about the vertical axis.
#ifndef IMPL_CPU_GEOMETRY_POINT_BOX_HPP_
#define IMPL_CPU_GEOMETRY_POINT_BOX_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace impl::cpu {

// A box (x, y, z of the bottom, dx, dy, dz, angle).
class PointBox {
 public:
  explicit PointBox(const double* box) : box_(box), cosine_(std::cos(box[6])), sine_(std::sin(box[6])) {}

  // Whether a point lies inside; false for NaN. `u` and `v` become its distances from the axis along the sides.
  bool holds(const double* point, double* u, double* v) const {
    const double x = point[0] - box_[0], y = point[1] - box_[1];
    *u = x * cosine_ + y * sine_;
    *v = -x * sine_ + y * cosine_;
    const double middle = box_[2] + box_[5] / 2;
    return std::abs(point[2] - middle) <= box_[5] / 2 && std::abs(*u) < box_[3] / 2 && std::abs(*v) < box_[4] / 2;
  }
  bool holds(const double* point) const {
    double u, v;
    return holds(point, &u, &v);
  }
  // Sets `low` and `high` to the x and y between which every point inside lies, with what rounding may add. Returns
  // false if they are not finite.
  bool range(double* low, double* high) const {
    constexpr double kSlack = 1 + 1e-9, kRounding = 1e-15;
    const double c = std::abs(cosine_) / 2, s = std::abs(sine_) / 2;
    const double reach[2] = {c * box_[3] + s * box_[4], s * box_[3] + c * box_[4]};
    bool finite = true;
    for (int d = 0; d < 2; ++d) {
      const double most = std::max(reach[d], 0.0) * kSlack + kRounding * std::abs(box_[d]);
      low[d] = box_[d] - most;
      high[d] = box_[d] + most;
      finite = finite && std::isfinite(low[d]) && std::isfinite(high[d]);
    }
    return finite;
  }
  // The voxel, of a grid of (x, y, z) voxels, in which a point inside lies.
  int64_t voxel(const double* point, double u, double v, const int64_t* grid) const {
    const int64_t x = part(u + box_[3] / 2, box_[3], grid[0]), y = part(v + box_[4] / 2, box_[4], grid[1]);
    return (x * grid[1] + y) * grid[2] + part(point[2] - box_[2], box_[5], grid[2]);
  }

 private:
  // 0 for NaN, which an infinite box gives.
  static int64_t part(double at, double size, int64_t parts) {
    const double found = at / (size / static_cast<double>(parts));
    return found > 0 ? static_cast<int64_t>(std::min(found, static_cast<double>(parts - 1))) : 0;
  }

  const double* box_;
  double cosine_, sine_;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_GEOMETRY_POINT_BOX_HPP_
