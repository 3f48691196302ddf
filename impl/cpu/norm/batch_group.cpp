// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/norm/batch_group.hpp"

#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/rows/row_engine.hpp"
#include "impl/cpu/norm/segments.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kTileRows = 128;     // statistics of tiles are merged in order of their rows, for any thread count
constexpr int64_t kTileColumns = 512;  // columns of one tile

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

// dx = dy scale - a - (x - mean) b; `values`: mean, scale, a, b. In evaluation mode dy is normalised with the first
// three.
Status columns_grad_input(diopiContextHandle_t ctx, const ChannelShape& shape, void* dx, const void* dy, const void* x,
                          const double* const* values, bool training) {
  const Grid grid(shape);
  const int size = diopi::dtype_size(shape.dtype), wide = diopi::dtype_size(diopi::compute_dtype(shape.dtype));
  const void* constants[4];
  for (int k = 0; k < 4; ++k) DIOPI_TRY(as_constants(ctx, shape.dtype, values[k], grid.width, &constants[k]));
  const NhwcKernels& kernels = *nhwc_kernels(shape.dtype);
  grid.for_tiles([&](int64_t, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const int64_t first = row * grid.width + column;
    const void* c[4];
    for (int k = 0; k < 4; ++k) c[k] = at(constants[k], column, wide);
    char* to = at(dx, first, size);
    const char* grad = at(dy, first, size);
    if (!training) return kernels.normalize(to, grad, rows, grid.width, columns, c);
    kernels.grad_input(to, grad, at(x, first, size), rows, grid.width, columns, c);
  });
  return diopiSuccess;
}

Status columns_backward(diopiContextHandle_t ctx, const ChannelShape& shape, void* dx, const void* dy, const void* x,
                        const BatchBackward& p) {
  const Grid grid(shape);
  const void* mean = nullptr;
  DIOPI_TRY(as_constants(ctx, shape.dtype, p.mean, grid.width, &mean));
  DIOPI_TRY(column_grad_sums(ctx, shape, dy, x, mean, p));
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
  return columns_grad_input(ctx, shape, dx, dy, x, values, p.training);
}

// Normalises the planes in the order in which they lie in memory. Only for evaluation, which computes no statistics of
// a channel.
Status planes_in_order(diopiContextHandle_t ctx, const ChannelShape& shape, void* y, const void* x,
                       const BatchForward& p) {
  double* scale = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(shape.channels, &scale));
  for (int64_t c = 0; c < shape.channels; ++c) scale[c] = p.weight[c] * p.invstd[c];
  const NchwKernels& kernels = *nchw_kernels(shape.dtype);
  const int size = diopi::dtype_size(shape.dtype);
  diopi::parallel_for(shape.samples * shape.channels, cost_of(1, shape.space, kWriting),
                      [=](int64_t begin, int64_t end) {
                        while (begin < end) {
                          const int64_t c = begin % shape.channels, planes = std::min(end - begin, shape.channels - c);
                          kernels.normalize_planes(at(y, begin * shape.space, size), at(x, begin * shape.space, size),
                                                   planes, shape.space, {p.mean + c, scale + c, p.bias + c});
                          begin += planes;
                        }
                      });
  return diopiSuccess;
}

}  // namespace

Status batch_forward(diopiContextHandle_t ctx, const ChannelShape& shape, void* y, const void* x,
                     const BatchForward& p) {
  if (shape.columns) return columns_forward(ctx, shape, y, x, p);
  if (!p.training) return planes_in_order(ctx, shape, y, x, p);
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

Status batch_statistics(diopiContextHandle_t ctx, const ChannelShape& shape, const void* x, const BatchForward& p) {
  if (shape.columns) return column_statistics(ctx, shape, x, p);
  const NchwKernels& kernels = *nchw_kernels(shape.dtype);
  const int size = diopi::dtype_size(shape.dtype);
  const StridedSegments segments{shape.samples, shape.space, shape.channels * shape.space};
  diopi::parallel_for(shape.channels, cost_of(shape.samples, shape.space, kReading), [=](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      const Moments m = kernels.precise_moments(at(x, c * shape.space, size), nullptr, segments);
      p.mean[c] = m.mean;
      p.m2[c] = m.m2;
      p.invstd[c] = inverse_std(m.m2, m.count, p.eps);
    }
  });
  return diopiSuccess;
}

Status batch_grad_input(diopiContextHandle_t ctx, const ChannelShape& shape, void* dx, const void* dy, const void* x,
                        const BatchGradConstants& p) {
  if (shape.columns) {
    const double* const values[] = {p.mean, p.scale, p.a, p.b};
    return columns_grad_input(ctx, shape, dx, dy, x, values, true);
  }
  const NchwKernels& kernels = *nchw_kernels(shape.dtype);
  const int size = diopi::dtype_size(shape.dtype);
  const auto cost = cost_of(1, shape.space, kReading + kWriting);
  diopi::parallel_for(shape.samples * shape.channels, cost, [=](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t c = plane % shape.channels, start = plane * shape.space;
      kernels.grad_input(at(dx, start, size), at(dy, start, size), at(x, start, size), {1, shape.space, shape.space},
                         p.mean[c], p.a[c], p.b[c], {p.scale + c, nullptr, 0});
    }
  });
  return diopiSuccess;
}

}  // namespace impl::cpu
