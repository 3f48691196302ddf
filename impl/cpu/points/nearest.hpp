// SPDX-License-Identifier: BSD-3-Clause
// Points near a centre, and points far from others. Squared distances are (dx * dx + dy * dy) + dz * dz, in float or
// double; of equal distances the lowest index wins; a distance that is NaN compares false.
#ifndef IMPL_CPU_POINTS_NEAREST_HPP_
#define IMPL_CPU_POINTS_NEAREST_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

// Coordinate d of point k is element d * stride + k.
struct PointPlanes {
  const void* data;
  int64_t stride, count;
};

struct BallQuery {
  PointPlanes points;
  float min_square, max_square;  // the squared distance is in [min_square, max_square)
  bool with_centre;              // a squared distance of 0 counts, too
  int64_t samples;
  int32_t if_none;  // the first index of a row without a point; the others are 0
};

// The kernels are those for `dtype`, float32 or float64. A centre has its coordinates in a row.

// Writes the indices of the first points in a ball; the first one in the places that are left.
using BallKernel = void (*)(const BallQuery& query, const void* centre, int32_t* index);
BallKernel ball_kernel(diopiDtype_t dtype);

// Writes the k nearest points with a distance below `limit`, by ascending distance; then the index 0 and the distance
// `limit`.
using NearestKernel = void (*)(const PointPlanes& points, const void* centre, int64_t k, double limit, void* distance,
                               int32_t* index);
NearestKernel nearest_kernel(diopiDtype_t dtype);

// Writes the nearest of points with two coordinates; if there is none, the index 0 and the distance 0.
using NearestInPlaneKernel = void (*)(const PointPlanes& points, const void* centre, void* distance, int32_t* index);
NearestInPlaneKernel nearest_in_plane_kernel(diopiDtype_t dtype);

// Picks `picks` points: the first one, then the point that is furthest from those picked. `least` has the squared
// distance of each point to those picked so far.
void pick_furthest(const float* planes, int64_t count, int64_t picks, float* least, int32_t* index);
// The same with the distance from point i to point k in element i * count + k.
void pick_furthest_by_distance(const float* distance, int64_t count, int64_t picks, float* least, int32_t* index);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTS_NEAREST_HPP_
