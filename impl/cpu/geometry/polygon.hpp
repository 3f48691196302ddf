// SPDX-License-Identifier: BSD-3-Clause
// Points and polygons of few corners in the plane, in double.
#ifndef IMPL_CPU_GEOMETRY_POLYGON_HPP_
#define IMPL_CPU_GEOMETRY_POLYGON_HPP_

#include <cmath>

namespace impl::cpu {

struct Point {
  double x, y;
};

inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }
inline double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
inline double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }

// A list of at most kMax points.
template <int kMax>
struct Points {
  Point at[kMax];
  int n = 0;
  void add(Point p) { at[n++] = p; }
};

// Twice the area of a polygon; negative if the corners go clockwise.
inline double twice_signed_area(const Point* p, int n) {
  double sum = 0;
  for (int i = 1; i + 1 < n; ++i) sum += cross(p[i] - p[0], p[i + 1] - p[0]);
  return sum;
}

// The part of a convex polygon on the left side of the line from a to b. It has at most one corner more.
template <int kMax>
void keep_left(Points<kMax>* polygon, Point a, Point b) {
  const Points<kMax> in = *polygon;
  polygon->n = 0;
  for (int i = 0; i < in.n; ++i) {
    const Point p = in.at[i], q = in.at[i + 1 < in.n ? i + 1 : 0];
    const double s = cross(b - a, p - a), t = cross(b - a, q - a);
    if (s >= 0) polygon->add(p);
    if ((s > 0 && t < 0) || (s < 0 && t > 0)) polygon->add(p + (s / (s - t)) * (q - p));
  }
}

// The area that two convex quadrilaterals share. Both have their corners counterclockwise.
double shared_area(const Point* first, const Point* second);

inline constexpr int kMostHullPoints = 24;

// Writes the corners of the convex hull of n points, at most kMostHullPoints, to `hull`, which has room for one more:
// counterclockwise from the lowest, then leftmost point. Returns their number. Points between two corners are left out.
int convex_hull(const Point* points, int n, Point* hull);

// A box that is turned around its centre. Its corners are relative to the centre, counterclockwise if x points to the
// right and y up.
struct TurnedBox {
  Point centre, corner[4];
  double width, height, cosine, sine, radius;
  TurnedBox(Point middle, double w, double h, double angle);
  double area() const { return width * height; }
};

// The area that two boxes share; 0 if an area is below 1e-14.
double shared_area(const TurnedBox& a, const TurnedBox& b);

// The area of the polygon of the proper crossings of edges, and the corners of each box inside the other one, which
// `margin` enlarges on each side.
double shared_area_with_margin(const TurnedBox& a, const TurnedBox& b, double margin);

// Corners of a quadrilateral, and the sum of the areas of the triangles (0, 1, 2) and (0, 2, 3).
struct Quadrilateral {
  Point corner[4];
  double area;
};

// The area of the convex hull of the intersections of edges and the corners of each one inside the other, by the test
// for points inside of rectangles; 0 if an area is below 1e-14.
double shared_hull_area(const Quadrilateral& a, const Quadrilateral& b);

}  // namespace impl::cpu

#endif  // IMPL_CPU_GEOMETRY_POLYGON_HPP_
