// SPDX-License-Identifier: BSD-3-Clause
// Which boxes and quadrilaterals contain a point.
#include "impl/cpu/points/membership.hpp"

#include "impl/common/parallel.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/points/packed.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kTest = 500;  // picoseconds for a point and a box

using BoxKernel = void (*)(const BoxTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, int32_t* out);

// `width`: the number of outputs for a point.
Status test_boxes(diopiContextHandle_t ctx, const TensorView& out, const TensorView& boxes, const TensorView& points,
                  BoxKernel kernel, int64_t width) {
  const diopiDtype_t dtype = diopi::compute_dtype(points.dtype);
  const int64_t batches = boxes.shape[0], count = boxes.shape[1], per_batch = points.shape[1];
  TensorView packed_boxes, packed, planes;
  PackedOutput result;
  diopi::Dims shape;
  for (const int64_t extent : {batches, int64_t{kBoxPlanes}, count}) shape.push_back(extent);
  DIOPI_TRY(pack_input(ctx, boxes, dtype, &packed_boxes));
  DIOPI_TRY(pack_input(ctx, points, dtype, &packed));
  DIOPI_TRY(diopi::make_temporary(ctx, shape, dtype, boxes.name, &planes));
  DIOPI_TRY(result.prepare(ctx, out, diopi_dtype_int32));
  const int64_t size = packed.itemsize();
  for (int64_t b = 0; b < batches; ++b) {
    const BoxTest test{planes.data + b * kBoxPlanes * count * size, count, packed.data + b * per_batch * 3 * size};
    read_boxes(dtype, packed_boxes.data + b * count * 7 * size, count, planes.data + b * kBoxPlanes * count * size);
    int32_t* to = result.data<int32_t>() + b * per_batch * width;
    diopi::parallel_for(per_batch, diopi::Picoseconds{kTest * (count + 4)},
                        [=](int64_t begin, int64_t end) { kernel(test, dtype, begin, end, to); });
  }
  result.write_back();
  return diopiSuccess;
}

}  // namespace

Status first_box_around(diopiContextHandle_t ctx, const TensorView& out, const TensorView& boxes,
                        const TensorView& points) {
  return test_boxes(ctx, out, boxes, points, first_boxes, 1);
}

Status boxes_around(diopiContextHandle_t ctx, const TensorView& out, const TensorView& boxes,
                    const TensorView& points) {
  return test_boxes(ctx, out, boxes, points, all_boxes, boxes.shape[1]);
}

Status polygons_around(diopiContextHandle_t ctx, const TensorView& out, const TensorView& points,
                       const TensorView& polygons) {
  const diopiDtype_t dtype = diopi::compute_dtype(points.dtype);
  TensorView packed, corners;
  PackedOutput result;
  DIOPI_TRY(pack_input(ctx, points, dtype, &packed));
  DIOPI_TRY(pack_planes(ctx, polygons, dtype, &corners));
  DIOPI_TRY(result.prepare(ctx, out, diopi_dtype_float32));
  const PolygonTest test{corners.data, polygons.shape[0], packed.data};
  diopi::parallel_for(points.shape[0], diopi::Picoseconds{4 * kTest * (test.count + 1)},
                      [&](int64_t begin, int64_t end) { all_polygons(test, dtype, begin, end, result.data<float>()); });
  result.write_back();
  return diopiSuccess;
}

}  // namespace impl::cpu
