// SPDX-License-Identifier: BSD-3-Clause
// Which boxes and quadrilaterals contain a point, in float or double.
#ifndef IMPL_CPU_POINTS_MEMBERSHIP_HPP_
#define IMPL_CPU_POINTS_MEMBERSHIP_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

inline constexpr int kBoxPlanes = 8;

// Boxes (x, y, z, dx, dy, dz, rz) in packed rows as planes of what the test needs.
void read_boxes(diopiDtype_t dtype, const void* boxes, int64_t count, void* planes);

struct BoxTest {
  const void* boxes;  // [kBoxPlanes, count]
  int64_t count;
  const void* points;  // packed rows
};

// The kernels are those for `dtype`, float32 or float64, and the points [begin, end).
// out[p] = the first box that contains point p, or -1.
void first_boxes(const BoxTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, int32_t* out);
// out[p, t] = whether box t contains point p.
void all_boxes(const BoxTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, int32_t* out);

// out[p, j] = whether the quadrilateral j contains the point p. `corners` is [8, count]: x1, y1, ..., y4.
struct PolygonTest {
  const void* corners;
  int64_t count;
  const void* points;
};
void all_polygons(const PolygonTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, float* out);

}  // namespace impl::cpu

#endif  // IMPL_CPU_POINTS_MEMBERSHIP_HPP_
