// SPDX-License-Identifier: BSD-3-Clause
// Hulls of sets of points, and the order of vertices.
#include "impl/cpu/geometry/point_sets.hpp"

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/boxes/boxes.hpp"
#include "impl/cpu/geometry/hull_gradient.hpp"

namespace impl::cpu {

namespace {

Hull hull_of(const double* xy) { return Hull(xy); }

}  // namespace

Status smallest_rectangles(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points) {
  constexpr int64_t kSet = 1000000;  // picoseconds
  TensorView packed;
  PackedOutput corners;
  DIOPI_TRY(pack_input(ctx, points, diopi_dtype_float64, &packed));
  DIOPI_TRY(corners.prepare(ctx, out, diopi_dtype_float64));
  const auto* from = packed.ptr<const double>();
  auto* to = corners.data<double>();
  diopi::parallel_for(points.shape[0], diopi::Picoseconds{kSet}, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) smallest_rectangle(Hull(from + 2 * kSetPoints * i), to + 8 * i);
  });
  corners.write_back();
  return diopiSuccess;
}

Status hull_overlaps(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                     const TensorView& quadrilaterals) {
  constexpr int64_t kPair = 400000;  // picoseconds
  const Hull* hulls = nullptr;
  const Quadrilateral* boxes = nullptr;
  PackedOutput ious;
  DIOPI_TRY(read_boxes(ctx, points, hull_of, &hulls));
  DIOPI_TRY(read_boxes(ctx, quadrilaterals, quadrilateral, &boxes));
  DIOPI_TRY(ious.prepare(ctx, out, diopi_dtype_float64));
  const int64_t columns = quadrilaterals.shape[0];
  auto* to = ious.data<double>();
  diopi::parallel_for(out.numel, diopi::Picoseconds{kPair}, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = hull_overlap(hulls[i / columns], boxes[i % columns].corner);
  });
  ious.write_back();
  return diopiSuccess;
}

Status hull_overlap_gradients(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                              const TensorView& quadrilaterals) {
  constexpr int64_t kRow = 5000000, kColumns = 2 * kSetPoints + 1;  // picoseconds; numbers of a row
  TensorView packed;
  const Quadrilateral* boxes = nullptr;
  PackedOutput rows;
  DIOPI_TRY(pack_input(ctx, points, diopi_dtype_float64, &packed));
  DIOPI_TRY(read_boxes(ctx, quadrilaterals, quadrilateral, &boxes));
  DIOPI_TRY(rows.prepare(ctx, out, diopi_dtype_float64));
  const auto* from = packed.ptr<const double>();
  auto* to = rows.data<double>();
  diopi::parallel_for(points.shape[0], diopi::Picoseconds{kRow}, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      generalised_overlap(from + 2 * kSetPoints * i, boxes[i].corner, to + kColumns * i);
    }
  });
  rows.write_back();
  return diopiSuccess;
}

Status sort_vertices(diopiContextHandle_t ctx, const TensorView& out, const TensorView& vertices,
                     const TensorView& mask, const TensorView& num_valid) {
  constexpr int64_t kRow = 1000000;  // picoseconds
  TensorView packed, flags, counts;
  DIOPI_TRY(pack_input(ctx, vertices, diopi_dtype_float32, &packed));
  DIOPI_TRY(pack_input(ctx, mask, diopi_dtype_bool, &flags));
  DIOPI_TRY(pack_input(ctx, num_valid, diopi_dtype_int32, &counts));
  diopi::parallel_for(num_valid.numel, diopi::Picoseconds{kRow}, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      sort_vertices(packed.ptr<const float>() + 2 * kVertices * i, flags.ptr<const bool>() + kVertices * i,
                    counts.ptr<const int32_t>()[i], out.ptr<int32_t>() + kSortedVertices * i);
    }
  });
  return diopiSuccess;
}

}  // namespace impl::cpu
