// SPDX-License-Identifier: BSD-3-Clause
// Convex hulls of nine points, and the order of the vertices of an intersection.
#ifndef IMPL_CPU_GEOMETRY_POINT_SETS_HPP_
#define IMPL_CPU_GEOMETRY_POINT_SETS_HPP_

#include <cstdint>

#include "impl/cpu/geometry/polygon.hpp"

namespace impl::cpu {

inline constexpr int64_t kSetPoints = 9;

// The convex hull of a set of points, counterclockwise, and its area.
struct Hull {
  Point corner[kSetPoints + 1];
  int n;
  double area;
  explicit Hull(const double* xy);
};

// Writes x and y of the four corners of the smallest rectangle around a hull that has a side along an edge.
void smallest_rectangle(const Hull& hull, double* corners);

// The overlap of a hull and a simple quadrilateral: the area that they share, divided by that of their union.
double hull_overlap(const Hull& hull, const Point* quadrilateral);

inline constexpr int64_t kVertices = 24, kSortedVertices = 9;

// Writes the numbers of the valid vertices (x, y) in their order around the origin.
void sort_vertices(const float* vertices, const bool* mask, int valid, int32_t* order);

}  // namespace impl::cpu

#endif  // IMPL_CPU_GEOMETRY_POINT_SETS_HPP_
