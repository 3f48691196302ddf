// SPDX-License-Identifier: BSD-3-Clause
// Reductions over the points of each voxel, and their gradients.
#include <algorithm>
#include <limits>

#include "impl/common/engine/voxel.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/sparse/compute_type.hpp"
#include "impl/cpu/engine/temporary.hpp"
#include "impl/cpu/sparse/voxel_rows.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

Dims line(int64_t count) {
  Dims shape;
  shape.push_back(count);
  return shape;
}

// Calls f(voxel, channel, count) for blocks of at most kChannels channels of all voxels, in parallel.
constexpr int64_t kChannels = 64;
template <typename F>
void for_voxel_blocks(const VoxelPoints& points, int64_t channels, const F& f) {
  const int64_t blocks = (channels + kChannels - 1) / kChannels;
  const int64_t each = points.voxels == 0 ? 0 : points.order.numel / points.voxels + 1;
  const diopi::Picoseconds cost{each * (std::min(channels, kChannels) * 800 + 5000)};
  diopi::parallel_for(points.voxels * blocks, cost, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * kChannels;
      f(i / blocks, first, std::min(kChannels, channels - first));
    }
  });
}

template <typename T>
double wide(T value) {
  return static_cast<double>(static_cast<ComputeType<T>>(value));
}

// `feats` and `out` are packed and have the same dtype.
void reduce(const VoxelPoints& points, VoxelReduce op, const TensorView& feats, const TensorView& out) {
  const int64_t *order = points.order.ptr<int64_t>(), *start = points.start.ptr<int64_t>();
  const int64_t channels = feats.shape[1], size = feats.itemsize();
  const bool maximum = op == VoxelReduce::kMaximum;
  const VoxelRowKernels kernels = voxel_row_kernels(feats.dtype);
  const auto take = maximum ? kernels.maximum : kernels.add;
  for_voxel_blocks(points, channels, [=, from = feats.data, to = out.data](int64_t v, int64_t first, int64_t n) {
    double total[kChannels];
    std::fill_n(total, n, maximum ? -std::numeric_limits<double>::infinity() : 0.0);
    for (int64_t i = start[v]; i < start[v + 1]; ++i) take(total, from + (order[i] * channels + first) * size, n);
    const double divisor = op == VoxelReduce::kMean ? static_cast<double>(start[v + 1] - start[v]) : 1.0;
    kernels.divide(to + (v * channels + first) * size, total, divisor, n);
  });
}

template <typename T>
struct Backward {
  T* grad;
  const T *grad_reduced, *feats, *reduced;
  const int32_t* counts;
};

// The gradient goes to the first point that has the maximum.
template <typename T>
void maximum_backward(const VoxelPoints& points, const Backward<T>& b, int64_t channels) {
  const int64_t *order = points.order.ptr<int64_t>(), *start = points.start.ptr<int64_t>();
  for_voxel_blocks(points, channels, [=](int64_t v, int64_t first, int64_t n) {
    const T *to_voxel = b.grad_reduced + v * channels + first, *maximum = b.reduced + v * channels + first;
    bool given[kChannels] = {};
    for (int64_t i = start[v]; i < start[v + 1]; ++i) {
      const int64_t place = order[i] * channels + first;
      for (int64_t c = 0; c < n; ++c) {
        if (given[c] || wide(b.feats[place + c]) != wide(maximum[c])) continue;
        given[c] = true;
        b.grad[place + c] = to_voxel[c];
      }
    }
  });
}

// All points of a voxel have the same gradient.
template <typename T>
void sum_backward(const VoxelPoints& points, bool mean, const Backward<T>& b, diopiDtype_t dtype, int64_t channels) {
  const int64_t *order = points.order.ptr<int64_t>(), *start = points.start.ptr<int64_t>();
  const VoxelRowKernels kernels = voxel_row_kernels(dtype);
  for_voxel_blocks(points, channels, [=](int64_t v, int64_t first, int64_t n) {
    if (start[v] == start[v + 1]) return;
    T row[kChannels];
    kernels.divide_row(row, b.grad_reduced + v * channels + first, mean ? static_cast<double>(b.counts[v]) : 1.0, n);
    for (int64_t i = start[v]; i < start[v + 1]; ++i) std::copy_n(row, n, b.grad + order[i] * channels + first);
  });
}

}  // namespace

Status write_voxels(diopiContextHandle_t ctx, const VoxelPoints& points, const TensorView& coors,
                    const TensorView& voxel_coors, const TensorView& voxel_of_point, const TensorView& counts) {
  TensorView source, target, map, sizes;
  DIOPI_TRY(arrange_input(ctx, coors, nullptr, false, coors.dtype, &source));
  DIOPI_TRY(arrange(ctx, voxel_coors, false, coors.dtype, false, &target));
  DIOPI_TRY(arrange(ctx, voxel_of_point, false, diopi_dtype_int32, false, &map));
  DIOPI_TRY(arrange(ctx, counts, false, diopi_dtype_int32, false, &sizes));
  const int64_t *order = points.order.ptr<int64_t>(), *start = points.start.ptr<int64_t>();
  const int64_t pitch = coors.shape[1] * coors.itemsize();
  std::fill_n(map.ptr<int32_t>(), map.numel, -1);
  const int64_t each = points.voxels == 0 ? 0 : points.order.numel / points.voxels + 1;
  diopi::parallel_for(points.voxels, diopi::Picoseconds{10000 + 3000 * each}, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      std::copy_n(source.data + order[start[v]] * pitch, pitch, target.data + v * pitch);
      sizes.ptr<int32_t>()[v] = static_cast<int32_t>(start[v + 1] - start[v]);
      for (int64_t i = start[v]; i < start[v + 1]; ++i) map.ptr<int32_t>()[order[i]] = static_cast<int32_t>(v);
    }
  });
  put_back(voxel_coors, target);
  put_back(voxel_of_point, map);
  put_back(counts, sizes);
  return diopiSuccess;
}

Status reduce_voxels(diopiContextHandle_t ctx, const VoxelPoints& points, VoxelReduce op, const TensorView& feats,
                     const TensorView& out) {
  TensorView x, y;
  DIOPI_TRY(arrange_input(ctx, feats, nullptr, false, feats.dtype, &x));
  DIOPI_TRY(arrange(ctx, out, false, feats.dtype, false, &y));
  reduce(points, op, x, y);
  put_back(out, y);
  return diopiSuccess;
}

Status group_points(diopiContextHandle_t ctx, const TensorView& voxel_of_point, int64_t voxels, VoxelPoints* points) {
  TensorView map;
  DIOPI_TRY(arrange_input(ctx, voxel_of_point, nullptr, false, diopi_dtype_int32, &map));
  DIOPI_TRY(make_temporary(ctx, line(voxels + 2), diopi_dtype_int64, &points->start));
  DIOPI_TRY(make_temporary(ctx, line(map.numel), diopi_dtype_int64, &points->order));
  int64_t* next = points->start.ptr<int64_t>() + 1;  // the place of the next point of a voxel, and then its end
  std::fill_n(next - 1, voxels + 2, int64_t{0});
  points->voxels = voxels;
  int64_t count = 0;
  for (int64_t i = 0; i < map.numel; ++i) {
    const int32_t v = map.ptr<int32_t>()[i];
    DIOPI_REQUIRE(v >= -1 && v < voxels, diopiErrorOccurred, "%s[%lld] = %d, expected -1 or a voxel below %lld",
                  voxel_of_point.name, static_cast<long long>(i), v, static_cast<long long>(voxels));
    if (v < 0) continue;
    ++next[v + 1];
    ++count;
  }
  for (int64_t v = 0; v < voxels; ++v) next[v + 1] += next[v];
  for (int64_t i = 0; i < map.numel; ++i) {
    const int32_t v = map.ptr<int32_t>()[i];
    if (v >= 0) points->order.ptr<int64_t>()[next[v]++] = i;
  }
  points->order = points->order.narrow(0, 0, count);
  return diopiSuccess;
}

Status reduce_voxels_backward(diopiContextHandle_t ctx, const VoxelPoints& points, VoxelReduce op,
                              const TensorView& grad, const TensorView& grad_reduced, const TensorView& feats,
                              const TensorView& reduced, const TensorView& counts) {
  TensorView dx, dy, x, y, sizes;
  DIOPI_TRY(arrange(ctx, grad, false, grad.dtype, false, &dx));
  DIOPI_TRY(arrange_input(ctx, grad_reduced, nullptr, false, grad.dtype, &dy));
  DIOPI_TRY(arrange_input(ctx, feats, nullptr, false, grad.dtype, &x));
  DIOPI_TRY(arrange_input(ctx, reduced, nullptr, false, grad.dtype, &y));
  DIOPI_TRY(arrange_input(ctx, counts, nullptr, false, diopi_dtype_int32, &sizes));
  if (dx.numel == 0) return diopiSuccess;
  fill_zero(dx);
  DIOPI_TRY(diopi::visit_dtype<diopi::FloatingTypes>(grad.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const Backward<T> b{dx.ptr<T>(), dy.ptr<T>(), x.ptr<T>(), y.ptr<T>(), sizes.ptr<int32_t>()};
    if (op == VoxelReduce::kMaximum) {
      maximum_backward(points, b, feats.shape[1]);
    } else {
      sum_backward(points, op == VoxelReduce::kMean, b, grad.dtype, feats.shape[1]);
    }
    return diopiSuccess;
  }));
  put_back(grad, dx);
  return diopiSuccess;
}

}  // namespace impl::cpu
