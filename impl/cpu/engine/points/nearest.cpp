// SPDX-License-Identifier: BSD-3-Clause
// Neighbours of points, and points far from each other.
#include "impl/cpu/points/furthest_blocks.hpp"
#include "impl/cpu/points/nearest.hpp"

#include <algorithm>
#include <cmath>

#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/points/grids.hpp"
#include "impl/cpu/engine/points/packed.hpp"

namespace impl::cpu {

using diopi::Picoseconds;

namespace {

constexpr int64_t kPair = 300;  // picoseconds to read a distance and compare it

// The planes of coordinates of one batch of [B, dims, n].
PointPlanes batch_of(const TensorView& planes, int64_t batch) {
  const int64_t dims = planes.shape[1], count = planes.shape[2];
  return {planes.data + batch * dims * count * planes.itemsize(), count, count};
}

const char* row_of(const TensorView& packed, int64_t row) {
  return packed.data + row * packed.shape[packed.ndim() - 1] * packed.itemsize();
}

template <typename T>
bool is_finite(const char* row, int64_t dims) {
  const T* x = reinterpret_cast<const T*>(row);
  return std::all_of(x, x + dims, [](T value) { return std::isfinite(value); });
}

// Grids for balls: a ball reaches only the cells next to that of its centre.
template <typename Batch>
Status make_ball_grids(diopiContextHandle_t ctx, diopiDtype_t dtype, const SearchSize& size, float max_square,
                       const Batch& batch, PointGrids* grids) {
  const double reach = grid_reach(max_square);
  return std::isfinite(reach) ? grids->make(ctx, dtype, size, 3, reach, 1, batch) : Status();
}

// The search in a ball for the kernels of a dtype.
class BallSearch {
 public:
  explicit BallSearch(diopiDtype_t dtype) : in_grid_(grid_ball_kernel(dtype)), among_all_(ball_kernel(dtype)) {}
  void operator()(const BallQuery& query, const PointGrid* grid, const void* centre, int32_t* index) const {
    if (grid != nullptr && query.samples > 0 && in_grid_(query, *grid, centre, index)) return;
    among_all_(query, centre, index);
  }

 private:
  GridBallKernel in_grid_;
  BallKernel among_all_;
};

// The size of a search for the k nearest points. Of points in any order, about k ln(n / k) are for a while among the k
// nearest ones. Times on a Xeon with AVX-512.
SearchSize nearest_size(const TensorView& points, int64_t centres, int64_t k) {
  constexpr double kInsertion = 45000, kSearch = 150000, kFound = 130000;
  SearchSize size{points.shape[0], points.shape[0] * points.shape[1], centres};
  const double n = static_cast<double>(points.shape[1]), wanted = static_cast<double>(std::max<int64_t>(k, 1));
  if (k > 1 && n > wanted) size.besides = static_cast<int64_t>(kInsertion * wanted * std::log(n / wanted));
  size.search = static_cast<int64_t>(kSearch + kFound * wanted);
  return size;
}

// The search for the nearest points.
class NearestSearch {
 public:
  NearestSearch(diopiDtype_t dtype, int64_t dims)
      : in_grid_(grid_nearest_kernel(dtype)),
        is_finite_(dtype == diopi_dtype_float64 ? is_finite<double> : is_finite<float>),
        dims_(dims) {}
  // Returns false, and writes nothing, if there is no grid or the centre is not finite.
  bool operator()(const PointGrid* grid, const char* centre, int64_t k, double limit, void* distance,
                  int32_t* index) const {
    if (grid == nullptr || !is_finite_(centre, dims_)) return false;
    in_grid_(*grid, centre, k, limit, distance, index);
    return true;
  }

 private:
  GridNearestKernel in_grid_;
  bool (*is_finite_)(const char* row, int64_t dims);
  int64_t dims_;
};

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
  const SearchSize size{points.shape[0], points.shape[0] * points.shape[1], rows};
  PointGrids grids;
  DIOPI_TRY(make_ball_grids(
      ctx, dtype, size, max_square, [&](int64_t b) { return batch_of(planes, b); }, &grids));
  const BallSearch search(dtype);
  diopi::parallel_for(rows, grids.per_centre(size), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t b = row / per_batch;
      const BallQuery query{batch_of(planes, b), min_square, max_square, true, samples, 0};
      search(query, grids.of(b), row_of(packed, row), out.data<int32_t>() + row * samples);
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
  const auto points_of = [&](int64_t batch) {
    const int64_t first = point_starts.first(batch);
    return PointPlanes{planes.data + first * planes.itemsize(), total, point_starts.count(batch)};
  };
  const SearchSize size{points.counts.numel, total, rows};
  PointGrids grids;
  DIOPI_TRY(make_ball_grids(ctx, dtype, size, max_square, points_of, &grids));
  const BallSearch search(dtype);
  diopi::parallel_for(rows, grids.per_centre(size), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t batch = centre_starts.batch_of(row);
      const BallQuery query{points_of(batch), 0, max_square, false, samples, -1};
      search(query, grids.of(batch), row_of(packed, row), out.data<int32_t>() + row * samples);
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
  const SearchSize size = nearest_size(points, rows, k);
  PointGrids grids;
  DIOPI_TRY(
      grids.make(ctx, dtype, size, 3, 0, std::max<int64_t>(2, k / 2), [&](int64_t b) { return batch_of(planes, b); }));
  const NearestSearch search(dtype, 3);
  const NearestKernel among_all = nearest_kernel(dtype);
  diopi::parallel_for(rows, grids.per_centre(size), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      char* at = distances.view().data + row * k * distances.view().itemsize();
      const char* centre = row_of(packed, row);
      int32_t* to = indices.data<int32_t>() + row * k;
      if (search(grids.of(row / per_batch), centre, k, limit, at, to)) continue;
      among_all(batch_of(planes, row / per_batch), centre, k, limit, at, to);
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
    DIOPI_TRY(indices_.prepare(ctx, index, diopi_dtype_int32));
    size_ = nearest_size(to, from.shape[0] * from.shape[1], 1);
    return grids_.make(ctx, dtype_, size_, 2, 0, 2, [this](int64_t b) { return batch_of(planes_, b); });
  }
  void run() const {
    const int64_t per_batch = centers_.shape[1];
    const NearestSearch search(dtype_, 2);
    const NearestInPlaneKernel among_all = nearest_in_plane_kernel(dtype_);
    diopi::parallel_for(size_.centres, grids_.per_centre(size_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const char* centre = row_of(centers_, row);
        char* at = distances_.view().data + row * distances_.view().itemsize();
        int32_t* to = indices_.data<int32_t>() + row;
        if (search(grids_.of(row / per_batch), centre, 1, INFINITY, at, to)) continue;
        among_all(batch_of(planes_, row / per_batch), centre, at, to);
      }
    });
    distances_.write_back();
    indices_.write_back();
  }

 private:
  diopiDtype_t dtype_ = diopi_dtype_float32;
  SearchSize size_{};
  PointGrids grids_;
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
  const bool in_blocks = blocks_pay(count, picks);
  const int64_t bytes = in_blocks ? FurthestBlocks(nullptr, count, nullptr).bytes : 0;
  char* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(points.shape[0] * bytes, &memory));
  const auto pick = [&](int64_t b) {
    const float* const batch = planes.ptr<const float>() + b * 3 * count;
    float* const least_of_batch = distances.data<float>() + b * count;
    int32_t* const index_of_batch = indices.data<int32_t>() + b * picks;
    if (!in_blocks) return pick_furthest(batch, count, picks, least_of_batch, index_of_batch);
    const FurthestBlocks blocks(batch, count, memory + b * bytes);
    blocks.sort();
    pick_furthest(blocks, picks, least_of_batch, index_of_batch);
  };
  const Picoseconds cost{in_blocks ? kSortedPoint * count + kPickFromBlocks * picks : kPair * picks * count};
  diopi::parallel_for(points.shape[0], cost, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) pick(b);
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
