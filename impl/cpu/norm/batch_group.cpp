// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/norm/batch_group.hpp"

#include <algorithm>
#include <cmath>

#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/rows/row_engine.hpp"

namespace impl::cpu {

namespace {

// Time of one thread in picoseconds: to read an element; to read one and write one; to begin a segment; to merge the
// statistics of two tiles.
constexpr int64_t kReading = 50, kWriting = 80, kSegment = 10000, kMerging = 5000;
constexpr int64_t kTileRows = 128;     // statistics of tiles are merged in order of their rows, for any thread count
constexpr int64_t kTileColumns = 512;  // columns of one tile

diopi::Picoseconds cost_of(int64_t segments, int64_t length, int64_t each) {
  return {segments * (kSegment + length * each)};
}

const char* at(const void* p, int64_t element, int itemsize) {
  return static_cast<const char*>(p) + element * itemsize;
}
char* at(void* p, int64_t element, int itemsize) { return static_cast<char*>(p) + element * itemsize; }

// The tiles of a matrix.
struct Grid {
  int64_t rows, width, row_tiles, column_tiles;
  explicit Grid(const ChannelShape& shape)
      : rows(shape.samples * shape.space),
        width(shape.channels),
        row_tiles((rows + kTileRows - 1) / kTileRows),
        column_tiles((width + kTileColumns - 1) / kTileColumns) {}

  // Calls f(row_tile, first row, rows, first column, columns) for every tile, on several threads.
  template <class F>
  void for_tiles(F f) const {
    diopi::parallel_for(
        row_tiles * column_tiles, cost_of(std::min(kTileRows, rows), std::min(kTileColumns, width), kWriting),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t row = i / column_tiles * kTileRows, column = i % column_tiles * kTileColumns;
            f(i / column_tiles, row, std::min(kTileRows, rows - row), column, std::min(kTileColumns, width - column));
          }
        });
  }
};

// Converts doubles to the compute dtype of `dtype`, in a temporary.
Status as_constants(diopiContextHandle_t ctx, diopiDtype_t dtype, const double* values, int64_t count,
                    const void** constants) {
  const diopiDtype_t compute = diopi::compute_dtype(dtype);
  void* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_bytes(count * diopi::dtype_size(compute), &memory));
  cast_function(diopi_dtype_float64, compute)(memory, values, count);
  *constants = memory;
  return diopiSuccess;
}

// Returns `y`, the next `bytes` to write, if it should be prefetched while x is read: it fits the second-level cache
// beside x and is not in the cache yet. Otherwise returns null.
const char* fetched_early(const char* y, int64_t bytes, int64_t bytes_of_all) {
  return bytes <= int64_t{1} << 18 && bytes_of_all > int64_t{1} << 20 ? y : nullptr;
}

double inverse_std(double m2, double count, double eps) { return 1 / std::sqrt(m2 / count + eps); }

Status column_statistics(diopiContextHandle_t ctx, const ChannelShape& shape, const void* x, const BatchForward& p) {
  const Grid grid(shape);
  const int size = diopi::dtype_size(shape.dtype);
  double *mean = nullptr, *m2 = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(grid.row_tiles * grid.width, &mean));
  DIOPI_TRY(diopi::Workspace(ctx).take(grid.row_tiles * grid.width, &m2));
  const NhwcKernels& kernels = *nhwc_kernels(shape.dtype);
  grid.for_tiles([&](int64_t row_tile, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const int64_t k = row_tile * grid.width + column;
    kernels.moments(at(x, row * grid.width + column, size), rows, grid.width, columns, mean + k, m2 + k);
  });
  diopi::parallel_for(grid.width, cost_of(1, grid.row_tiles, kMerging), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      Moments all;
      for (int64_t row_tile = 0; row_tile < grid.row_tiles; ++row_tile) {
        const int64_t rows = std::min(kTileRows, grid.rows - row_tile * kTileRows), k = row_tile * grid.width + c;
        all.add(static_cast<double>(rows), mean[k], m2[k]);
      }
      p.mean[c] = all.mean;
      p.m2[c] = all.m2;
      p.invstd[c] = inverse_std(all.m2, all.count, p.eps);
    }
  });
  return diopiSuccess;
}

Status columns_forward(diopiContextHandle_t ctx, const ChannelShape& shape, void* y, const void* x,
                       const BatchForward& p) {
  const Grid grid(shape);
  const int size = diopi::dtype_size(shape.dtype), wide = diopi::dtype_size(diopi::compute_dtype(shape.dtype));
  if (p.training) DIOPI_TRY(column_statistics(ctx, shape, x, p));
  double* scale = nullptr;
  const void* constants[3];
  DIOPI_TRY(diopi::Workspace(ctx).take(grid.width, &scale));
  for (int64_t c = 0; c < grid.width; ++c) scale[c] = p.weight[c] * p.invstd[c];
  DIOPI_TRY(as_constants(ctx, shape.dtype, p.mean, grid.width, &constants[0]));
  DIOPI_TRY(as_constants(ctx, shape.dtype, scale, grid.width, &constants[1]));
  DIOPI_TRY(as_constants(ctx, shape.dtype, p.bias, grid.width, &constants[2]));
  const NhwcKernels& kernels = *nhwc_kernels(shape.dtype);
  grid.for_tiles([&](int64_t, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const int64_t first = row * grid.width + column;
    const void* c[] = {at(constants[0], column, wide), at(constants[1], column, wide), at(constants[2], column, wide)};
    kernels.normalize(at(y, first, size), at(x, first, size), rows, grid.width, columns, c);
  });
  return diopiSuccess;
}

// In evaluation mode dx = dy scale, for any x: it is dy normalised with these constants. Adding -0 keeps every value
// and its sign.
constexpr double kNoMean = 0, kNoShift = -0.0;

// The constants of dx = dy scale - a - (x - mean) b for one channel of n elements.
struct GradConstants {
  double scale, a, b;
};
GradConstants grad_constants(const BatchBackward& p, int64_t c, double n) {
  const double scale = p.weight[c] * p.invstd[c];
  if (!p.training) return {scale, 0, 0};
  return {scale, scale * p.sum_dy[c] / n, scale * p.invstd[c] * p.invstd[c] * p.sum_dy_xmu[c] / n};
}

Status column_grad_sums(diopiContextHandle_t ctx, const ChannelShape& shape, const void* dy, const void* x,
                        const void* mean, const BatchBackward& p) {
  const Grid grid(shape);
  const int size = diopi::dtype_size(shape.dtype), wide = diopi::dtype_size(diopi::compute_dtype(shape.dtype));
  double* sums[2];
  for (double*& sum : sums) DIOPI_TRY(diopi::Workspace(ctx).take(grid.row_tiles * grid.width, &sum));
  const NhwcKernels& kernels = *nhwc_kernels(shape.dtype);
  grid.for_tiles([&](int64_t row_tile, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const int64_t first = row * grid.width + column, k = row_tile * grid.width + column;
    kernels.grad_sums(at(dy, first, size), at(x, first, size), rows, grid.width, columns, at(mean, column, wide),
                      sums[0] + k, sums[1] + k);
  });
  for (int64_t c = 0; c < grid.width; ++c) p.sum_dy[c] = p.sum_dy_xmu[c] = 0;
  for (int64_t k = 0; k < grid.row_tiles * grid.width; ++k) {
    p.sum_dy[k % grid.width] += sums[0][k];
    p.sum_dy_xmu[k % grid.width] += sums[1][k];
  }
  return diopiSuccess;
}

Status columns_backward(diopiContextHandle_t ctx, const ChannelShape& shape, void* dx, const void* dy, const void* x,
                        const BatchBackward& p) {
  const Grid grid(shape);
  const int size = diopi::dtype_size(shape.dtype), wide = diopi::dtype_size(diopi::compute_dtype(shape.dtype));
  const void* constants[4];
  DIOPI_TRY(as_constants(ctx, shape.dtype, p.mean, grid.width, &constants[0]));
  DIOPI_TRY(column_grad_sums(ctx, shape, dy, x, constants[0], p));
  if (dx == nullptr) return diopiSuccess;
  double* values[4];  // mean, scale, a, b; in evaluation mode the constants that normalise dy
  for (double*& value : values) DIOPI_TRY(diopi::Workspace(ctx).take(grid.width, &value));
  for (int64_t c = 0; c < grid.width; ++c) {
    const GradConstants g = grad_constants(p, c, static_cast<double>(grid.rows));
    values[0][c] = p.training ? p.mean[c] : kNoMean;
    values[1][c] = g.scale;
    values[2][c] = p.training ? g.a : kNoShift;
    values[3][c] = g.b;
  }
  for (int k = 0; k < 4; ++k) DIOPI_TRY(as_constants(ctx, shape.dtype, values[k], grid.width, &constants[k]));
  const NhwcKernels& kernels = *nhwc_kernels(shape.dtype);
  grid.for_tiles([&](int64_t, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const int64_t first = row * grid.width + column;
    const void* c[4];
    for (int k = 0; k < 4; ++k) c[k] = at(constants[k], column, wide);
    char* to = at(dx, first, size);
    const char* grad = at(dy, first, size);
    if (!p.training) return kernels.normalize(to, grad, rows, grid.width, columns, c);
    kernels.grad_input(to, grad, at(x, first, size), rows, grid.width, columns, c);
  });
  return diopiSuccess;
}

// Normalises the planes in the order in which they lie in memory. Only for evaluation, which computes no statistics of
// a channel.
Status planes_in_order(const ChannelShape& shape, void* y, const void* x, const BatchForward& p) {
  const NchwKernels& kernels = *nchw_kernels(shape.dtype);
  const int size = diopi::dtype_size(shape.dtype);
  diopi::parallel_for(shape.samples * shape.channels, cost_of(1, shape.space, kWriting),
                      [=](int64_t begin, int64_t end) {
                        for (int64_t plane = begin; plane < end; ++plane) {
                          const int64_t c = plane % shape.channels, start = plane * shape.space;
                          const double scale = p.weight[c] * p.invstd[c];
                          kernels.normalize(at(y, start, size), at(x, start, size), {1, shape.space, shape.space},
                                            p.mean[c], {&scale, p.bias + c, 0});
                        }
                      });
  return diopiSuccess;
}

}  // namespace

Status batch_forward(diopiContextHandle_t ctx, const ChannelShape& shape, void* y, const void* x,
                     const BatchForward& p) {
  if (shape.columns) return columns_forward(ctx, shape, y, x, p);
  if (!p.training) return planes_in_order(shape, y, x, p);
  const NchwKernels& kernels = *nchw_kernels(shape.dtype);
  const int size = diopi::dtype_size(shape.dtype);
  const StridedSegments segments{shape.samples, shape.space, shape.channels * shape.space};
  const int64_t bytes = shape.samples * shape.space * size;
  diopi::parallel_for(
      shape.channels, cost_of(shape.samples, shape.space, kReading + kWriting), [=](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          const char* source = at(x, c * shape.space, size);
          char* target = at(y, c * shape.space, size);
          const Moments m =
              kernels.precise_moments(source, fetched_early(target, bytes, bytes * shape.channels), segments);
          p.mean[c] = m.mean;
          p.m2[c] = m.m2;
          p.invstd[c] = inverse_std(m.m2, m.count, p.eps);
          const double scale = p.weight[c] * p.invstd[c];
          kernels.normalize(target, source, segments, p.mean[c], {&scale, p.bias + c, 0});
        }
      });
  return diopiSuccess;
}

Status batch_backward(diopiContextHandle_t ctx, const ChannelShape& shape, void* dx, const void* dy, const void* x,
                      const BatchBackward& p) {
  if (shape.columns) return columns_backward(ctx, shape, dx, dy, x, p);
  const NchwKernels& kernels = *nchw_kernels(shape.dtype);
  const int size = diopi::dtype_size(shape.dtype);
  const StridedSegments segments{shape.samples, shape.space, shape.channels * shape.space};
  const double n = static_cast<double>(shape.samples * shape.space);
  diopi::parallel_for(
      shape.channels, cost_of(shape.samples, shape.space, 2 * kReading + kWriting), [=](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          const char *grad = at(dy, c * shape.space, size), *source = at(x, c * shape.space, size);
          double sums[2];
          kernels.grad_sums(grad, source, segments, p.mean[c], sums);
          p.sum_dy[c] = sums[0];
          p.sum_dy_xmu[c] = sums[1];
          if (dx == nullptr) continue;
          const GradConstants g = grad_constants(p, c, n);
          if (!p.training) {
            kernels.normalize(at(dx, c * shape.space, size), grad, segments, kNoMean, {&g.scale, &kNoShift, 0});
            continue;
          }
          kernels.grad_input(at(dx, c * shape.space, size), grad, source, segments, p.mean[c], g.a, g.b,
                             {&g.scale, nullptr, 0});
        }
      });
  return diopiSuccess;
}

Status group_forward(diopiContextHandle_t ctx, const GroupShape& shape, void* y, const void* x, const double* weight,
                     const double* bias, double eps, double* mean, double* invstd) {
  const NchwKernels& kernels = *nchw_kernels(shape.dtype);
  const int size = diopi::dtype_size(shape.dtype);
  double* scales = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.count() * shape.channels, &scales));
  const auto cost = cost_of(shape.channels, shape.space, kReading + kWriting);
  const int64_t bytes = shape.elements() * size;
  diopi::parallel_for(shape.count(), cost, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const char* source = at(x, i * shape.elements(), size);
      char* target = at(y, i * shape.elements(), size);
      const Moments m =
          kernels.moments(source, fetched_early(target, bytes, bytes * shape.count()), {1, shape.elements(), 0});
      mean[i] = m.mean;
      invstd[i] = inverse_std(m.m2, m.count, eps);
      const int64_t first = i % shape.groups * shape.channels;
      double* scale = scales + i * shape.channels;
      for (int64_t c = 0; c < shape.channels; ++c) scale[c] = invstd[i] * weight[first + c];
      kernels.normalize(target, source, {shape.channels, shape.space, shape.space}, m.mean, {scale, bias + first, 1});
    }
  });
  return diopiSuccess;
}

namespace {

struct GroupBackward {
  NchwKernels kernels;
  GroupShape shape;
  int size;
  char* dx;
  const char *dy, *x;
  const double *weight, *mean, *invstd;
  double *scales, *sum_dy, *sum_dy_h;  // one per sample and channel; h = (x - mean) invstd

  // Computes dx and the sums for group i % groups of sample i / groups.
  void differentiate(int64_t i) const {
    const int64_t first = i * shape.channels, place = i * shape.elements() * size;
    const double* w = weight + i % shape.groups * shape.channels;
    const StridedSegments segments{shape.channels, shape.space, shape.space};
    const double n = static_cast<double>(shape.elements()), r = invstd[i];
    kernels.segment_sums(dy + place, x + place, segments, mean[i], sum_dy + first, sum_dy_h + first);
    double weighted = 0, weighted_h = 0;
    for (int64_t c = 0; c < shape.channels; ++c) {
      sum_dy_h[first + c] *= r;
      weighted += w[c] * sum_dy[first + c];
      weighted_h += w[c] * sum_dy_h[first + c];
      scales[first + c] = w[c] * r;
    }
    if (dx == nullptr) return;
    kernels.grad_input(dx + place, dy + place, x + place, segments, mean[i], r * weighted / n, r * r * weighted_h / n,
                       {scales + first, nullptr, 1});
  }

  // Adds up the sums of all samples for channels [begin, end) of all groups.
  void merge(int64_t begin, int64_t end, double* grad_weight, double* grad_bias) const {
    const int64_t channels = shape.groups * shape.channels;
    std::fill(grad_weight + begin, grad_weight + end, 0.0);
    std::fill(grad_bias + begin, grad_bias + end, 0.0);
    for (int64_t s = 0; s < shape.samples; ++s) {
      for (int64_t c = begin; c < end; ++c) grad_weight[c] += sum_dy_h[s * channels + c];
      for (int64_t c = begin; c < end; ++c) grad_bias[c] += sum_dy[s * channels + c];
    }
  }
};

}  // namespace

Status group_backward(diopiContextHandle_t ctx, const GroupShape& shape, void* dx, const void* dy, const void* x,
                      const double* weight, const double* mean, const double* invstd, double* grad_weight,
                      double* grad_bias) {
  constexpr int64_t kManyGroups = 16;  // with so many groups, each thread handles some groups of all samples
  double* sums = nullptr;
  const int64_t all = shape.count() * shape.channels;
  DIOPI_TRY(diopi::Workspace(ctx).take(3 * all, &sums));
  const GroupBackward groups{*nchw_kernels(shape.dtype),
                             shape,
                             static_cast<int>(diopi::dtype_size(shape.dtype)),
                             static_cast<char*>(dx),
                             static_cast<const char*>(dy),
                             static_cast<const char*>(x),
                             weight,
                             mean,
                             invstd,
                             sums,
                             sums + all,
                             sums + 2 * all};
  auto cost = cost_of(shape.channels, shape.space, 2 * kReading + kWriting);
  if (shape.groups < kManyGroups) {
    diopi::parallel_for(shape.count(), cost, [groups](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) groups.differentiate(i);
    });
    groups.merge(0, shape.groups * shape.channels, grad_weight, grad_bias);
    return diopiSuccess;
  }
  // Each thread reads only what it wrote, so no barrier is needed.
  cost.count *= shape.samples;
  diopi::parallel_for(shape.groups, cost, [=](int64_t begin, int64_t end) {
    const int64_t each = groups.shape.groups;
    for (int64_t s = 0; s < groups.shape.samples; ++s) {
      for (int64_t g = begin; g < end; ++g) groups.differentiate(s * each + g);
    }
    groups.merge(begin * groups.shape.channels, end * groups.shape.channels, grad_weight, grad_bias);
  });
  return diopiSuccess;
}

}  // namespace impl::cpu
