// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/geometry/polygon.hpp"

#include <algorithm>

namespace impl::cpu {

namespace {

constexpr double kLeastArea = 1e-14;

// Whether two circles have no point in common.
bool are_apart(const TurnedBox& a, const TurnedBox& b) {
  const Point d = a.centre - b.centre;
  const double reach = a.radius + b.radius;
  return dot(d, d) > reach * reach;
}

// The points that make up the intersection of two quadrilaterals: 16 intersections of edges and 8 corners.
using SharedPoints = Points<24>;

// The intersection of the edges p0 p1 and q0 q1, if the ends of each are strictly on both sides of the other.
void add_crossing(Point p0, Point p1, Point q0, Point q1, SharedPoints* found) {
  if (std::min(p0.x, p1.x) > std::max(q0.x, q1.x) || std::min(q0.x, q1.x) > std::max(p0.x, p1.x)) return;
  if (std::min(p0.y, p1.y) > std::max(q0.y, q1.y) || std::min(q0.y, q1.y) > std::max(p0.y, p1.y)) return;
  const double s1 = cross(q0 - p0, p1 - p0), s2 = cross(p1 - p0, q1 - p0);
  const double s3 = cross(p0 - q0, q1 - q0), s4 = cross(q1 - q0, p1 - q0);
  if (!(s1 * s2 > 0 && s3 * s4 > 0)) return;
  const double s5 = cross(q1 - p0, p1 - p0);
  found->add({(s5 * q0.x - s1 * q1.x) / (s5 - s1), (s5 * q0.y - s1 * q1.y) / (s5 - s1)});
}

// Whether a point lies inside a box that `margin` enlarges. The point is relative to the centre of the box.
bool is_inside(const TurnedBox& box, Point p, double margin) {
  const double x = p.x * box.cosine + p.y * box.sine, y = p.y * box.cosine - p.x * box.sine;
  return std::abs(x) < box.width / 2 + margin && std::abs(y) < box.height / 2 + margin;
}

// Adds the intersection of the edges a0 a1 and b0 b1, ends included, unless they are parallel.
void add_intersection(Point a0, Point a1, Point b0, Point b1, SharedPoints* found) {
  constexpr double kParallel = 1e-14;
  const Point d = a1 - a0, e = b1 - b0, between = b0 - a0;
  const double det = cross(e, d);
  if (std::abs(det) <= kParallel) return;
  const double s = cross(e, between) / det, t = cross(d, between) / det;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) found->add(a0 + s * d);
}

// Adds the corners of `a` that the test of rectangles finds inside `b`.
void add_corners_inside(const Quadrilateral& a, const Quadrilateral& b, SharedPoints* found) {
  const Point ab = b.corner[1] - b.corner[0], ad = b.corner[3] - b.corner[0];
  for (const Point& corner : a.corner) {
    const Point ap = corner - b.corner[0];
    const double along = dot(ap, ab), across = dot(ap, ad);
    if (along >= 0 && across >= 0 && along <= dot(ab, ab) && across <= dot(ad, ad)) found->add(corner);
  }
}

}  // namespace

double shared_area(const Point* first, const Point* second) {
  Points<8> polygon;
  for (int i = 0; i < 4; ++i) polygon.add(first[i]);
  for (int i = 0; i < 4; ++i) keep_left(&polygon, second[i], second[(i + 1) % 4]);
  return std::max(twice_signed_area(polygon.at, polygon.n) / 2, 0.0);
}

int convex_hull(const Point* points, int n, Point* hull) {
  Point sorted[kMostHullPoints];
  std::copy_n(points, n, sorted);
  std::sort(sorted, sorted + n, [](Point a, Point b) { return a.y < b.y || (a.y == b.y && a.x < b.x); });
  int count = 0;
  const auto push = [&](Point p, int least) {
    while (count >= least && !(cross(hull[count - 1] - hull[count - 2], p - hull[count - 1]) > 0)) --count;
    hull[count++] = p;
  };
  for (int i = 0; i < n; ++i) push(sorted[i], 2);
  const int least = count + 1;
  for (int i = n - 2; i >= 0; --i) push(sorted[i], least);
  return n > 1 ? count - 1 : count;  // the last point is the first one
}

TurnedBox::TurnedBox(Point middle, double w, double h, double angle)
    : centre(middle), width(w), height(h), cosine(std::cos(angle)), sine(std::sin(angle)) {
  const Point x{cosine * w / 2, sine * w / 2}, y{-sine * h / 2, cosine * h / 2};
  corner[0] = {-x.x - y.x, -x.y - y.y};
  corner[1] = x - y;
  corner[2] = x + y;
  corner[3] = y - x;
  radius = std::sqrt(w * w + h * h) / 2;
}

double shared_area(const TurnedBox& a, const TurnedBox& b) {
  if (a.area() < kLeastArea || b.area() < kLeastArea || are_apart(a, b)) return 0;
  // Coordinates relative to the middle of both centres keep their digits.
  const Point half = 0.5 * (a.centre - b.centre);
  Point first[4], second[4];
  for (int i = 0; i < 4; ++i) {
    first[i] = half + a.corner[i];
    second[i] = b.corner[i] - half;
  }
  return shared_area(first, second);
}

double shared_area_with_margin(const TurnedBox& a, const TurnedBox& b, double margin) {
  const Point to_b = b.centre - a.centre;
  const double reach = a.radius + b.radius + 2 * margin;
  if (dot(to_b, to_b) > reach * reach) return 0;
  Point other[4];
  for (int i = 0; i < 4; ++i) other[i] = b.corner[i] + to_b;
  SharedPoints found;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) add_crossing(a.corner[i], a.corner[(i + 1) % 4], other[j], other[(j + 1) % 4], &found);
  }
  for (int k = 0; k < 4; ++k) {
    if (is_inside(a, other[k], margin)) found.add(other[k]);
    if (is_inside(b, a.corner[k] - to_b, margin)) found.add(a.corner[k]);
  }
  if (found.n == 0) return 0;
  Point mean{0, 0};
  for (int i = 0; i < found.n; ++i) mean = mean + found.at[i];
  mean = (1.0 / found.n) * mean;
  struct Turned {
    double angle;
    Point point;
  } turned[24];
  for (int i = 0; i < found.n; ++i) {
    const Point d = found.at[i] - mean;
    turned[i] = {std::atan2(d.y, d.x), found.at[i]};
  }
  const auto before = [](const Turned& p, const Turned& q) { return p.angle < q.angle; };
  std::stable_sort(turned, turned + found.n, before);
  for (int i = 0; i < found.n; ++i) found.at[i] = turned[i].point;
  return std::abs(twice_signed_area(found.at, found.n)) / 2;
}

double shared_hull_area(const Quadrilateral& a, const Quadrilateral& b) {
  if (a.area < kLeastArea || b.area < kLeastArea) return 0;
  Point mean{0, 0};
  for (int i = 0; i < 4; ++i) mean = mean + a.corner[i] + b.corner[i];
  mean = 0.125 * mean;
  Quadrilateral first = a, second = b;
  for (int i = 0; i < 4; ++i) {
    first.corner[i] = a.corner[i] - mean;
    second.corner[i] = b.corner[i] - mean;
  }
  SharedPoints found;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      add_intersection(first.corner[i], first.corner[(i + 1) % 4], second.corner[j], second.corner[(j + 1) % 4],
                       &found);
    }
  }
  add_corners_inside(first, second, &found);
  add_corners_inside(second, first, &found);
  if (found.n < 3) return 0;
  Point hull[kMostHullPoints + 1];
  return twice_signed_area(hull, convex_hull(found.at, found.n, hull)) / 2;
}

}  // namespace impl::cpu
