// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/geometry/point_sets.hpp"

#include <algorithm>
#include <limits>

namespace impl::cpu {

Hull::Hull(const double* xy) {
  Point points[kSetPoints];
  for (int64_t i = 0; i < kSetPoints; ++i) points[i] = {xy[2 * i], xy[2 * i + 1]};
  n = convex_hull(points, kSetPoints, corner);
  area = twice_signed_area(corner, n) / 2;
}

namespace {

// A quarter of a turn with mmcv's number for pi.
constexpr double kQuarter = static_cast<double>(3.1415926F) / 2;

double angle_of(Point edge) {
  const double t = std::atan2(edge.y, edge.x);
  return t >= 0 ? std::fmod(t, kQuarter) : t - std::trunc(t / kQuarter - 1) * kQuarter;
}

// The part of a hull in a triangle.
double area_in_triangle(const Hull& hull, Point a, Point b, Point c) {
  Points<kSetPoints + 4> part;
  for (int i = 0; i < hull.n; ++i) part.add(hull.corner[i]);
  keep_left(&part, a, b);
  keep_left(&part, b, c);
  keep_left(&part, c, a);
  return std::max(twice_signed_area(part.at, part.n) / 2, 0.0);
}

struct Vertex {
  float x, y;
};

bool is_before(Vertex v, Vertex w) {
  constexpr float kNear = 1e-8F;
  if (std::abs(v.x - w.x) < kNear && std::abs(v.y - w.y) < kNear) return false;
  if (v.y > 0 && w.y < 0) return true;
  if (v.y < 0 && w.y > 0) return false;
  const float f = std::abs(v.x) * v.x / (v.x * v.x + v.y * v.y + kNear);
  const float g = std::abs(w.x) * w.x / (w.x * w.x + w.y * w.y + kNear);
  if (v.y > 0 && w.y > 0) return f - g > kNear;
  if (v.y < 0 && w.y < 0) return f - g < kNear;
  return false;
}

}  // namespace

void smallest_rectangle(const Hull& hull, double* corners) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  // Rectangles around a triangle have equal areas along its edges, which rounding must not distinguish.
  constexpr double kSmaller = 1 - 1e-10;
  double least = kInfinite, best[4] = {}, best_c = 1, best_s = 0;
  for (int i = 0; i < hull.n; ++i) {
    const double t = angle_of(hull.corner[(i + 1) % hull.n] - hull.corner[i]);
    const double c = std::cos(t), s = std::sin(t);
    double x0 = kInfinite, x1 = -kInfinite, y0 = kInfinite, y1 = -kInfinite;
    for (int k = 0; k < hull.n; ++k) {
      const Point p = hull.corner[k];
      const double x = p.x * c + p.y * s, y = p.y * c - p.x * s;
      x0 = std::min(x0, x);
      x1 = std::max(x1, x);
      y0 = std::min(y0, y);
      y1 = std::max(y1, y);
    }
    const double area = (x1 - x0) * (y1 - y0);
    if (!(area < kSmaller * least)) continue;
    least = area;
    best_c = c;
    best_s = s;
    const double sides[4] = {x0, x1, y0, y1};
    std::copy_n(sides, 4, best);
  }
  const double xs[4] = {best[1], best[0], best[0], best[1]}, ys[4] = {best[2], best[2], best[3], best[3]};
  for (int64_t k = 0; k < 4; ++k) {
    corners[2 * k] = xs[k] * best_c - ys[k] * best_s;
    corners[2 * k + 1] = xs[k] * best_s + ys[k] * best_c;
  }
}

double hull_overlap(const Hull& hull, const Point* q) {
  double shared = 0;
  for (int k = 1; k < 3; ++k) {
    const double turn = cross(q[k] - q[0], q[k + 1] - q[0]);
    if (turn == 0) continue;
    const bool forward = turn > 0;
    const double part = area_in_triangle(hull, q[0], forward ? q[k] : q[k + 1], forward ? q[k + 1] : q[k]);
    shared += forward ? part : -part;
  }
  shared = std::abs(shared);
  return shared / (hull.area + std::abs(twice_signed_area(q, 4)) / 2 - shared);
}

void sort_vertices(const float* vertices, const bool* mask, int valid, int32_t* order) {
  const auto vertex = [vertices](int64_t k) { return Vertex{vertices[2 * k], vertices[2 * k + 1]}; };
  int32_t pad = 8;
  while (pad < kVertices && mask[pad]) ++pad;
  if (pad == kVertices) pad = 8;
  std::fill_n(order, kSortedVertices, pad);
  if (valid < 3) return;
  valid = std::min(valid, 8);
  for (int j = 0; j < valid; ++j) {
    Vertex best{1, -1e-8F};
    order[j] = 0;
    for (int k = 0; k < kVertices; ++k) {
      if (!mask[k] || !is_before(vertex(k), best)) continue;
      if (j > 0 && !is_before(vertex(order[j - 1]), vertex(k))) continue;
      best = vertex(k);
      order[j] = k;
    }
  }
  order[valid] = order[0];
  if (valid < 8) return;
  int equal = 0;
  for (int j = 0; j < 4; ++j) equal += static_cast<int>(std::count(order + 4, order + 8, order[j]));
  if (equal != 4) return;
  order[4] = order[0];
  std::fill_n(order + 5, kSortedVertices - 5, pad);
}

}  // namespace impl::cpu
