// SPDX-License-Identifier: BSD-3-Clause
// Neighbours of points, and points far from each other.
#include "impl/cpu/points/nearest.hpp"

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/points/packed.hpp"

namespace impl::cpu {

using diopi::Picoseconds;

namespace {

constexpr int64_t kPair = 300;  // picoseconds for the distance of two points

Picoseconds per_centre(int64_t points) { return {kPair * (points + 16)}; }

// The planes of coordinates of one batch of [B, dims, n].
PointPlanes batch_of(const TensorView& planes, int64_t batch) {
  const int64_t dims = planes.shape[1], count = planes.shape[2];
  return {planes.data + batch * dims * count * planes.itemsize(), count, count};
}

const char* row_of(const TensorView& packed, int64_t row) {
  return packed.data + row * packed.shape[packed.ndim() - 1] * packed.itemsize();
}

}  // namespace

Status ball_query(diopiContextHandle_t ctx, const TensorView& index, const TensorView& centers,
                  const TensorView& points, float min_square, float max_square) {
  const diopiDtype_t dtype = diopi::compute_dtype(points.dtype);
  TensorView planes, packed;
  PackedOutput out;
  DIOPI_TRY(pack_planes(ctx, points, dtype, &planes));
  DIOPI_TRY(pack_input(ctx, centers, dtype, &packed));
  DIOPI_TRY(out.prepare(ctx, index, diopi_dtype_int32));
  const int64_t per_batch = centers.shape[1], samples = index.shape[2], rows = centers.shape[0] * per_batch;
  const BallKernel kernel = ball_kernel(dtype);
  diopi::parallel_for(rows, per_centre(points.shape[1]), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const BallQuery query{batch_of(planes, row / per_batch), min_square, max_square, true, samples, 0};
      kernel(query, row_of(packed, row), out.data<int32_t>() + row * samples);
    }
  });
  out.write_back();
  return diopiSuccess;
}

Status ball_query_stacked(diopiContextHandle_t ctx, const TensorView& index, const StackedRows& centers,
                          const StackedRows& points, float max_square) {
  const diopiDtype_t dtype = diopi::compute_dtype(points.rows.dtype);
  BatchStarts centre_starts, point_starts;
  DIOPI_TRY(centre_starts.read(ctx, centers));
  DIOPI_TRY(point_starts.read(ctx, points));
  TensorView planes, packed;
  PackedOutput out;
  DIOPI_TRY(pack_planes(ctx, points.rows, dtype, &planes));
  DIOPI_TRY(pack_input(ctx, centers.rows, dtype, &packed));
  DIOPI_TRY(out.prepare(ctx, index, diopi_dtype_int32));
  const int64_t rows = centers.rows.shape[0], total = points.rows.shape[0], samples = index.shape[1];
  const BallKernel kernel = ball_kernel(dtype);
  diopi::parallel_for(rows, per_centre(total), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t batch = centre_starts.batch_of(row), first = point_starts.first(batch);
      const PointPlanes batch_points{planes.data + first * planes.itemsize(), total, point_starts.count(batch)};
      const BallQuery query{batch_points, 0, max_square, false, samples, -1};
      kernel(query, row_of(packed, row), out.data<int32_t>() + row * samples);
    }
  });
  out.write_back();
  return diopiSuccess;
}

Status nearest_points(diopiContextHandle_t ctx, const TensorView& index, const TensorView& distance,
                      const TensorView& centers, const TensorView& points, double limit) {
  const diopiDtype_t dtype = diopi::compute_dtype(points.dtype);
  TensorView planes, packed;
  PackedOutput indices, distances;
  DIOPI_TRY(pack_planes(ctx, points, dtype, &planes));
  DIOPI_TRY(pack_input(ctx, centers, dtype, &packed));
  DIOPI_TRY(indices.prepare(ctx, index, diopi_dtype_int32));
  DIOPI_TRY(distances.prepare(ctx, distance, dtype));
  const int64_t per_batch = centers.shape[1], k = index.shape[2], rows = centers.shape[0] * per_batch;
  const NearestKernel kernel = nearest_kernel(dtype);
  diopi::parallel_for(rows, per_centre(points.shape[1]), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      char* at = distances.view().data + row * k * distances.view().itemsize();
      kernel(batch_of(planes, row / per_batch), row_of(packed, row), k, limit, at, indices.data<int32_t>() + row * k);
    }
  });
  indices.write_back();
  distances.write_back();
  return diopiSuccess;
}

namespace {

// One direction of the distance of two sets: from each point of one set to the nearest point of the other.
class OneWay {
 public:
  Status prepare(diopiContextHandle_t ctx, const TensorView& distance, const TensorView& index, const TensorView& from,
                 const TensorView& to) {
    dtype_ = diopi::compute_dtype(from.dtype);
    DIOPI_TRY(pack_input(ctx, from, dtype_, &centers_));
    DIOPI_TRY(pack_planes(ctx, to, dtype_, &planes_));
    DIOPI_TRY(distances_.prepare(ctx, distance, dtype_));
    return indices_.prepare(ctx, index, diopi_dtype_int32);
  }
  void run() const {
    const int64_t per_batch = centers_.shape[1];
    const NearestInPlaneKernel kernel = nearest_in_plane_kernel(dtype_);
    diopi::parallel_for(centers_.shape[0] * per_batch, per_centre(planes_.shape[2]), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        kernel(batch_of(planes_, row / per_batch), row_of(centers_, row),
               distances_.view().data + row * distances_.view().itemsize(), indices_.data<int32_t>() + row);
      }
    });
    distances_.write_back();
    indices_.write_back();
  }

 private:
  diopiDtype_t dtype_ = diopi_dtype_float32;
  TensorView centers_, planes_;
  PackedOutput distances_, indices_;
};

}  // namespace

Status chamfer_distance(diopiContextHandle_t ctx, const ChamferProblem& p) {
  OneWay there, back;
  DIOPI_TRY(there.prepare(ctx, p.dist1, p.idx1, p.xyz1, p.xyz2));
  DIOPI_TRY(back.prepare(ctx, p.dist2, p.idx2, p.xyz2, p.xyz1));
  there.run();
  back.run();
  return diopiSuccess;
}

Status furthest_points(diopiContextHandle_t ctx, const TensorView& index, const TensorView& least,
                       const TensorView& points) {
  TensorView planes;
  PackedOutput indices, distances;
  DIOPI_TRY(pack_planes(ctx, points, diopi_dtype_float32, &planes));
  DIOPI_TRY(indices.prepare(ctx, index, diopi_dtype_int32));
  DIOPI_TRY(distances.prepare_kept(ctx, least));
  const int64_t count = points.shape[1], picks = index.shape[1];
  diopi::parallel_for(points.shape[0], Picoseconds{kPair * picks * count}, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      pick_furthest(planes.ptr<const float>() + b * 3 * count, count, picks, distances.data<float>() + b * count,
                    indices.data<int32_t>() + b * picks);
    }
  });
  indices.write_back();
  distances.write_back();
  return diopiSuccess;
}

Status furthest_points_by_distance(diopiContextHandle_t ctx, const TensorView& index, const TensorView& least,
                                   const TensorView& distance) {
  TensorView packed;
  PackedOutput indices, distances;
  DIOPI_TRY(pack_input(ctx, distance, diopi_dtype_float32, &packed));
  DIOPI_TRY(indices.prepare(ctx, index, diopi_dtype_int32));
  DIOPI_TRY(distances.prepare_kept(ctx, least));
  const int64_t count = distance.shape[1], picks = index.shape[1];
  diopi::parallel_for(distance.shape[0], Picoseconds{kPair * picks * count}, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      pick_furthest_by_distance(packed.ptr<const float>() + b * count * count, count, picks,
                                distances.data<float>() + b * count, indices.data<int32_t>() + b * picks);
    }
  });
  indices.write_back();
  distances.write_back();
  return diopiSuccess;
}

}  // namespace impl::cpu
