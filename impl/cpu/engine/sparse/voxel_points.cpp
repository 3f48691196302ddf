// SPDX-License-Identifier: BSD-3-Clause
// The points of a cloud by voxel: sorted coordinates, and reductions over the points of each voxel.
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

// Rows of integers, and the bits with which each column is packed into a key of 64 bits.
struct Rows {
  const int64_t* values = nullptr;
  int64_t columns = 0;
  int bits[64] = {};
  int total_bits = 0;  // more than 64: the rows have no key

  const int64_t* row(int64_t i) const { return values + i * columns; }
  bool is_valid(int64_t i) const {
    return std::all_of(row(i), row(i) + columns, [](int64_t value) { return value >= 0; });
  }
  uint64_t key(int64_t i) const {
    uint64_t result = 0;
    for (int64_t c = 0; c < columns; ++c) {
      // A column of 64 bits is the only one, or all others have no bits.
      result = (bits[c] < 64 ? result << bits[c] : 0) | static_cast<uint64_t>(row(i)[c]);
    }
    return result;
  }
  bool equal(int64_t i, int64_t j) const { return std::equal(row(i), row(i) + columns, row(j)); }
};

int bits_of(int64_t value) {
  int bits = 0;
  while (value > 0) {
    ++bits;
    value >>= 1;
  }
  return bits;
}

void choose_bits(Rows* rows, const int64_t* order, int64_t count) {
  rows->total_bits = 65;
  if (rows->columns > 64) return;
  int64_t most[64] = {};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t* row = rows->row(order[i]);
    for (int64_t c = 0; c < rows->columns; ++c) most[c] = std::max(most[c], row[c]);
  }
  int total = 0;
  for (int64_t c = 0; c < rows->columns; ++c) {
    rows->bits[c] = bits_of(most[c]);
    total += rows->bits[c];
  }
  rows->total_bits = total;
}

struct Keyed {
  uint64_t key;
  int64_t point;
};

// Sorts by key with one pass for every 11 bits; equal keys keep their order. Returns the sorted array.
Keyed* radix_sort(Keyed* items, Keyed* other, int64_t count, int bits) {
  constexpr int kDigit = 11;
  constexpr int64_t kBuckets = int64_t{1} << kDigit;
  for (int shift = 0; shift < bits; shift += kDigit) {
    int64_t next[kBuckets + 1] = {};
    const auto digit = [&](const Keyed& item) { return (item.key >> shift) & (kBuckets - 1); };
    for (int64_t i = 0; i < count; ++i) ++next[digit(items[i]) + 1];
    for (int64_t b = 0; b < kBuckets; ++b) next[b + 1] += next[b];
    for (int64_t i = 0; i < count; ++i) other[next[digit(items[i])]++] = items[i];
    std::swap(items, other);
  }
  return items;
}

Status sort_rows(diopiContextHandle_t ctx, const Rows& rows, int64_t* order, int64_t count) {
  if (rows.total_bits > 64) {
    std::sort(order, order + count, [&](int64_t a, int64_t b) {
      const int64_t *left = rows.row(a), *right = rows.row(b);
      const auto apart = std::mismatch(left, left + rows.columns, right);
      return apart.first == left + rows.columns ? a < b : *apart.first < *apart.second;
    });
    return diopiSuccess;
  }
  Keyed *items = nullptr, *other = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count, &items));
  DIOPI_TRY(diopi::Workspace(ctx).take(count, &other));
  diopi::parallel_for(count, diopi::Picoseconds{rows.columns * 1500},
                      [&rows, items, order](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) items[i] = {rows.key(order[i]), order[i]};
                      });
  const Keyed* sorted = radix_sort(items, other, count, rows.total_bits);
  for (int64_t i = 0; i < count; ++i) order[i] = sorted[i].point;
  return diopiSuccess;
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

Status find_voxels(diopiContextHandle_t ctx, const TensorView& coors, VoxelPoints* points) {
  TensorView packed;
  int64_t* order = nullptr;
  DIOPI_TRY(arrange_input(ctx, coors, nullptr, false, diopi_dtype_int64, &packed));
  Rows rows;
  rows.values = packed.ptr<int64_t>();
  rows.columns = coors.shape[1];
  DIOPI_TRY(make_temporary(ctx, line(coors.shape[0]), diopi_dtype_int64, &points->order));
  order = points->order.ptr<int64_t>();
  int64_t count = 0;
  for (int64_t i = 0; i < coors.shape[0]; ++i) {
    if (rows.is_valid(i)) order[count++] = i;
  }
  points->order = points->order.narrow(0, 0, count);
  choose_bits(&rows, order, count);
  DIOPI_TRY(sort_rows(ctx, rows, order, count));
  DIOPI_TRY(make_temporary(ctx, line(count + 1), diopi_dtype_int64, &points->start));
  int64_t* start = points->start.ptr<int64_t>();
  points->voxels = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (i == 0 || !rows.equal(order[i], order[i - 1])) start[points->voxels++] = i;
  }
  start[points->voxels] = count;
  return diopiSuccess;
}

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
