// SPDX-License-Identifier: BSD-3-Clause
// Boxes in rows of numbers as the types of geometry.
#ifndef IMPL_CPU_ENGINE_BOXES_BOXES_HPP_
#define IMPL_CPU_ENGINE_BOXES_BOXES_HPP_

#include <new>

#include "impl/common/engine/boxes.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/points/packed.hpp"
#include "impl/cpu/geometry/polygon.hpp"

namespace impl::cpu {

using diopi::BoxPairs;

inline constexpr double kMarginFromAbove = 0.01;

// (x, y, w, h, angle)
inline TurnedBox turned_box(const double* v) { return {{v[0], v[1]}, v[2], v[3], v[4]}; }
// (x, y, z, dx, dy, dz, heading)
inline TurnedBox box_from_above(const double* v) { return {{v[0], v[1]}, v[3], v[4], v[6]}; }
// (x1, y1, ..., x4, y4)
inline Quadrilateral quadrilateral(const double* v) {
  Quadrilateral q{{{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}, {v[6], v[7]}}, 0};
  const Point a = q.corner[1] - q.corner[0], b = q.corner[2] - q.corner[0], c = q.corner[3] - q.corner[0];
  q.area = std::abs(cross(a, b)) / 2 + std::abs(cross(b, c)) / 2;
  return q;
}

inline double area_of(const TurnedBox& box) { return box.area(); }
inline double area_of(const Quadrilateral& box) { return box.area; }

// Makes a box of each row: read(numbers of the row).
template <typename Box, typename Read>
Status read_boxes(diopiContextHandle_t ctx, const TensorView& rows, const Read& read, const Box** boxes) {
  TensorView packed;
  DIOPI_TRY(pack_input(ctx, rows, diopi_dtype_float64, &packed));
  const int64_t count = rows.numel == 0 ? 0 : rows.shape[0], columns = count == 0 ? 0 : rows.numel / count;
  Box* made = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count, &made));
  for (int64_t i = 0; i < count; ++i) new (made + i) Box(read(packed.ptr<const double>() + i * columns));
  *boxes = made;
  return diopiSuccess;
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_BOXES_BOXES_HPP_
