// SPDX-License-Identifier: BSD-3-Clause
// The generalised overlap of the hull of a set of points and a quadrilateral, with its gradient.
#ifndef IMPL_CPU_GEOMETRY_HULL_GRADIENT_HPP_
#define IMPL_CPU_GEOMETRY_HULL_GRADIENT_HPP_

#include "impl/cpu/geometry/point_sets.hpp"

namespace impl::cpu {

// Writes the gradient for x and y of each point, then the overlap: 2 * kSetPoints + 1 numbers.
void generalised_overlap(const double* points, const Point* quadrilateral, double* out);

}  // namespace impl::cpu

#endif  // IMPL_CPU_GEOMETRY_HULL_GRADIENT_HPP_
