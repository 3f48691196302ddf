// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/geometry/hull_gradient.hpp"

#include <algorithm>

namespace impl::cpu {

namespace {

constexpr double kNear = 1e-8;

int sign_of(double v) { return static_cast<int>(v > kNear) - static_cast<int>(v < -kNear); }
bool are_near(Point a, Point b) { return std::abs(a.x - b.x) < kNear && std::abs(a.y - b.y) < kNear; }

// A point that moves with the two ends of an edge: the derivatives of x and y for the four coordinates of the ends.
constexpr int kInputs = 4;
struct MovingPoint {
  Point at;
  double dx[kInputs], dy[kInputs];
};

// A cut at most doubles the number of corners, whatever rounding does; three lines cut a triangle.
struct MovingPolygon {
  MovingPoint at[24];
  int n = 0;
};

// The intersection of the line with the edge from p to r, whose ends have the cross products s and t with the line.
MovingPoint intersection(const MovingPoint& p, const MovingPoint& r, double s, double t, Point line) {
  const double apart = t - s, share = -s / apart;
  MovingPoint found{};
  found.at = {(p.at.x * t - r.at.x * s) / apart, (p.at.y * t - r.at.y * s) / apart};
  const Point way = r.at - p.at;
  for (int k = 0; k < kInputs; ++k) {
    const double ds = line.x * p.dy[k] - line.y * p.dx[k], dt = line.x * r.dy[k] - line.y * r.dx[k];
    const double dshare = (s * dt - t * ds) / (apart * apart);
    found.dx[k] = p.dx[k] + share * (r.dx[k] - p.dx[k]) + way.x * dshare;
    found.dy[k] = p.dy[k] + share * (r.dy[k] - p.dy[k]) + way.y * dshare;
  }
  return found;
}

// The part of a polygon on the left side of the line from u to v. A corner near the one found before it is left out.
void clip(const MovingPolygon& in, Point u, Point v, MovingPolygon* part) {
  const Point line = v - u;
  Point before{};
  bool found = false;
  part->n = 0;
  const auto add = [&](const MovingPoint& p) {
    if (!found || !are_near(p.at, before)) part->at[part->n++] = p;
    before = p.at;
    found = true;
  };
  const double start = in.n > 0 ? cross(line, in.at[0].at - u) : 0;
  double s = start;
  for (int i = 0; i < in.n; ++i) {
    const bool last = i + 1 == in.n;
    const MovingPoint &p = in.at[i], &r = in.at[last ? 0 : i + 1];
    const double t = last ? start : cross(line, r.at - u);
    if (sign_of(s) > 0) add(p);
    if (sign_of(s) != sign_of(t)) add(intersection(p, r, s, t, line));
    s = t;
  }
  while (part->n > 1 && are_near(part->at[part->n - 1].at, part->at[0].at)) --part->n;
}

// The derivative of the area of a polygon for the position of one corner.
Point area_slope(Point before, Point after) { return {(after.y - before.y) / 2, (before.x - after.x) / 2}; }

// A polygon's area and its derivatives for the corners of the hull.
struct Slopes {
  double value = 0;
  Point corner[kSetPoints] = {};
};

// Adds the area that the triangles of the origin with the edge `k` of the hull and with the edge from c to d share.
void add_shared_triangle(const Hull& hull, int k, Point c, Point d, Slopes* shared) {
  const int next = k + 1 < hull.n ? k + 1 : 0;
  const Point a = hull.corner[k], b = hull.corner[next];
  const int first = sign_of(cross(a, b)), second = sign_of(cross(c, d));
  if (first * second == 0) return;
  if (second < 0) std::swap(c, d);
  MovingPolygon part, other;
  part.at[part.n++] = {{0, 0}, {}, {}};
  MovingPoint ends[2] = {{a, {1, 0, 0, 0}, {0, 1, 0, 0}}, {b, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  if (first < 0) std::swap(ends[0], ends[1]);
  part.at[part.n++] = ends[0];
  part.at[part.n++] = ends[1];
  const Point origin{0, 0};
  clip(part, origin, c, &other);
  clip(other, c, d, &part);
  clip(part, d, origin, &other);
  double area = 0, slope[kInputs] = {};
  const MovingPolygon& both = other;
  for (int i = 0; i < both.n; ++i) {
    const MovingPoint &p = both.at[i], &after = both.at[i + 1 < both.n ? i + 1 : 0];
    const Point at = area_slope(both.at[i > 0 ? i - 1 : both.n - 1].at, after.at);
    area += cross(p.at - both.at[0].at, after.at - both.at[0].at) / 2;
    for (int j = 0; j < kInputs; ++j) slope[j] += at.x * p.dx[j] + at.y * p.dy[j];
  }
  const double factor = first * second;
  shared->value += factor * area;
  shared->corner[k] = shared->corner[k] + factor * Point{slope[0], slope[1]};
  shared->corner[next] = shared->corner[next] + factor * Point{slope[2], slope[3]};
}

Slopes shared_area(const Hull& hull, const Point* quad) {
  Slopes shared;
  for (int k = 0; k < hull.n; ++k) {
    for (int j = 0; j < 4; ++j) add_shared_triangle(hull, k, quad[j], quad[(j + 1) % 4], &shared);
  }
  return shared;
}

Slopes own_area(const Hull& hull) {
  Slopes own;
  own.value = hull.area;
  for (int k = 0; k < hull.n; ++k) {
    own.corner[k] = area_slope(hull.corner[(k + hull.n - 1) % hull.n], hull.corner[(k + 1) % hull.n]);
  }
  return own;
}

// The area of the hull of both shapes.
Slopes outer_area(const Hull& hull, const Point* quad) {
  Point points[kSetPoints + 4], corner[kSetPoints + 5];
  std::copy_n(hull.corner, hull.n, points);
  int n = hull.n;
  for (int j = 0; j < 4; ++j) {
    const bool repeats = std::any_of(hull.corner, hull.corner + hull.n, [&](Point p) { return are_near(p, quad[j]); });
    if (!repeats) points[n++] = quad[j];
  }
  n = convex_hull(points, n, corner);
  Slopes outer;
  outer.value = twice_signed_area(corner, n) / 2;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < hull.n; ++k) {
      if (corner[i].x != hull.corner[k].x || corner[i].y != hull.corner[k].y) continue;
      outer.corner[k] = area_slope(corner[(i + n - 1) % n], corner[(i + 1) % n]);
    }
  }
  return outer;
}

}  // namespace

void generalised_overlap(const double* points, const Point* quadrilateral, double* out) {
  Point quad[4];
  const double area = twice_signed_area(quadrilateral, 4) / 2;
  for (int j = 0; j < 4; ++j) quad[j] = quadrilateral[area < 0 ? 3 - j : j];
  const Hull hull(points);
  const Slopes own = own_area(hull), shared = shared_area(hull, quad), outer = outer_area(hull, quad);
  const double both = shared.value, all = own.value + std::abs(area) - both, around = outer.value;
  std::fill_n(out, 2 * kSetPoints, 0.0);
  for (int k = 0; k < hull.n; ++k) {
    const Point at = (all + both) / (all * all) * shared.corner[k] - both / (all * all) * own.corner[k] -
                     (1 / around) * (shared.corner[k] - own.corner[k]) - all / (around * around) * outer.corner[k];
    int64_t i = 0;
    while (i + 1 < kSetPoints && !are_near({points[2 * i], points[2 * i + 1]}, hull.corner[k])) ++i;
    out[2 * i] = at.x;
    out[2 * i + 1] = at.y;
  }
  out[2 * kSetPoints] = both / all - (around - all) / around;
}

}  // namespace impl::cpu
