// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/im2col.hpp"

#include <utility>

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/interleave.hpp"
#include "impl/cpu/engine/temporary.hpp"
#include "impl/cpu/im2col/blocks.hpp"

namespace impl::cpu {

namespace {

BlockArgs block_args(const TensorView& image, const TensorView& columns, const diopi::Window& rows,
                     const diopi::Window& cols) {
  BlockArgs args;
  args.image = image.data;
  args.columns = columns.data;
  args.images = image.shape[0];
  args.channels = image.shape[1];
  args.image_stride = image.stride[0];
  args.channel_stride = image.stride[1];
  args.row_stride = image.stride[2];
  args.column_stride = image.stride[3];
  args.rows = rows;
  args.cols = cols;
  return args;
}

Status add_columns(const TensorView& image, const TensorView& columns, const diopi::Window& rows,
                   const diopi::Window& cols) {
  DIOPI_REQUIRE(add_blocks(image.dtype, block_args(image, columns, rows, cols)), diopiDtypeNotSupported,
                "%s has dtype %s", image.name, diopi::dtype_name(image.dtype));
  return diopiSuccess;
}

// The dimension `dim` of a tensor with the products of the extents before and behind it: [1, before, extent, behind],
// packed.
TensorView as_lines(const TensorView& packed, int dim) {
  TensorView lines = packed;
  lines.shape.n = 0;
  int64_t before = 1, behind = 1;
  for (int i = 0; i < dim; ++i) before *= packed.shape[i];
  for (int i = dim + 1; i < packed.ndim(); ++i) behind *= packed.shape[i];
  for (const int64_t extent : {int64_t{1}, before, packed.shape[dim], behind}) lines.shape.push_back(extent);
  lines.stride = diopi::contiguous_strides(lines.shape);
  return lines;
}

// Moves the last dimension to the place `dim`.
TensorView with_last_at(const TensorView& view, int dim) {
  TensorView result = view;
  for (int i = view.ndim() - 1; i > dim; --i) result = result.transposed(i, i - 1);
  return result;
}

// Both tensors are packed; `along` are the windows of the last dimension.
Status add_along_rows(const TensorView& sums, const TensorView& windows, const diopi::Window& along) {
  RowWindows args;
  args.sums = sums.data;
  args.windows = windows.data;
  args.rows = sums.numel / along.in;
  args.along = along;
  DIOPI_REQUIRE(add_row_windows(sums.dtype, args), diopiDtypeNotSupported, "%s has dtype %s", sums.name,
                diopi::dtype_name(sums.dtype));
  return diopiSuccess;
}

// Both tensors are packed; `along` are the windows of dimension `dim`. They become columns of images whose rows, or
// whose columns, are this dimension.
Status add_as_columns(const TensorView& sums, const TensorView& columns, const diopi::Window& along, int dim) {
  TensorView lines = as_lines(sums, dim);
  diopi::Window across;
  across.in = across.out = lines.shape[3];
  if (across.in != 1) return add_columns(lines, columns, along, across);
  return add_columns(lines.transposed(2, 3), columns, across, along);
}

// Windows that do not overlap: each element is copied to its position; others are 0.
Status copy_windows(const TensorView& sums, const TensorView& windows, int dim, int64_t step) {
  TensorView target = sums;
  const int last = windows.ndim() - 1;
  target.shape = windows.shape;
  target.stride.push_back(sums.stride[dim]);
  if (windows.shape[dim] > 1) target.stride[dim] = sums.stride[dim] * step;
  target.numel = windows.numel;
  if (windows.shape[dim] * windows.shape[last] != sums.shape[dim]) fill_zero(sums);
  if (target.numel > 0) copy_view(target, windows);
  return diopiSuccess;
}

// Whether no two elements of blocks lie at one position of a dimension, and none outside of it.
bool is_apart(const diopi::Window& w) {
  return w.padding == 0 && (w.out == 1 || (w.kernel - 1) * w.dilation < w.stride);
}

// Blocks of 2 to 4 columns that follow each other: writes each row of the image from as many rows of `columns`. Returns
// false for other blocks.
bool interleave_columns(const TensorView& image, const TensorView& columns, const diopi::Window& rows,
                        const diopi::Window& cols) {
  const int64_t size = image.itemsize(), kernel = cols.kernel, step = rows.out * cols.out * size;
  if (kernel < 2 || kernel > kMostInterleaved || size > 8) return false;
  if (cols.stride != kernel || cols.dilation != 1 || image.stride[3] != 1) return false;
  const InterleaveFn interleave = interleave_function(size, kernel);
  const int64_t lines = rows.kernel * rows.out;  // of a channel
  const auto copy_lines = [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const int64_t y = index % rows.out, i = index / rows.out % rows.kernel, plane = index / lines;
      const int64_t n = plane / image.shape[1], c = plane % image.shape[1];
      const int64_t row = y * rows.stride + i * rows.dilation;
      interleave(image.data + (n * image.stride[0] + c * image.stride[1] + row * image.stride[2]) * size,
                 columns.data + (plane * rows.kernel + i) * kernel * step + y * cols.out * size, step, cols.out);
    }
  };
  const int64_t count = image.shape[0] * image.shape[1] * lines;
  diopi::parallel_for(count, diopi::Picoseconds{cols.out * kernel * size * 60 + 5000}, copy_lines);
  return true;
}

// Blocks that do not overlap: each element is copied to its position; others are 0.
void copy_blocks_back(const TensorView& image, const TensorView& columns, const diopi::Window& rows,
                      const diopi::Window& cols) {
  TensorView target = image, source = columns;
  const auto add = [&](int64_t extent, int64_t stride) {
    target.shape.push_back(extent);
    target.stride.push_back(stride);
  };
  target.shape.n = target.stride.n = 2;
  for (const auto& [window, stride] : {std::pair(&rows, image.stride[2]), std::pair(&cols, image.stride[3])}) {
    add(window->kernel, stride * window->dilation);
  }
  for (const auto& [window, stride] : {std::pair(&rows, image.stride[2]), std::pair(&cols, image.stride[3])}) {
    add(window->out, stride * window->stride);
  }
  target.numel = target.shape.product();
  source.shape = target.shape;
  source.stride = diopi::contiguous_strides(source.shape);
  if (target.numel != image.numel) fill_zero(image);
  if (target.numel > 0 && !interleave_columns(image, columns, rows, cols)) copy_view(target, source);
}

}  // namespace

Status run_im2col(diopiContextHandle_t ctx, const Blocks& blocks) {
  TensorView columns = blocks.columns;
  if (!columns.is_contiguous()) DIOPI_TRY(make_temporary(ctx, columns.shape, columns.dtype, &columns));
  copy_blocks(columns.itemsize(), block_args(blocks.image, columns, blocks.windows.at(0), blocks.windows.at(1)));
  if (columns.data != blocks.columns.data) copy_view(blocks.columns, columns);
  return diopiSuccess;
}

Status run_col2im(diopiContextHandle_t ctx, const Blocks& blocks) {
  TensorView columns = blocks.columns;
  if (!columns.is_contiguous()) DIOPI_TRY(packed_copy(ctx, blocks.columns, &columns));
  const diopi::Window &rows = blocks.windows.at(0), &cols = blocks.windows.at(1);
  if (is_apart(rows) && is_apart(cols)) {
    copy_blocks_back(blocks.image, columns, rows, cols);
    return diopiSuccess;
  }
  return add_columns(blocks.image, columns, rows, cols);
}

Status add_windows(diopiContextHandle_t ctx, const TensorView& sums, const TensorView& windows, int dim, int64_t step) {
  constexpr int64_t kLongWindow = 32;
  const int64_t size = windows.shape[windows.ndim() - 1];
  if (step >= size || windows.shape[dim] == 1) return copy_windows(sums, windows, dim, step);
  diopi::Window along;
  along.in = sums.shape[dim];
  along.out = windows.shape[dim];
  along.kernel = size;
  along.stride = step;
  const bool as_rows = dim == sums.ndim() - 1 && size >= kLongWindow;
  // In columns, the elements of a window come first.
  const TensorView ordered = as_rows ? windows : with_last_at(windows, dim);
  TensorView columns = ordered, packed = sums;
  if (!ordered.is_contiguous() || diopi::may_overlap(sums, windows)) DIOPI_TRY(packed_copy(ctx, ordered, &columns));
  if (!sums.is_contiguous()) DIOPI_TRY(make_temporary(ctx, sums.shape, sums.dtype, &packed));
  packed.stride = diopi::contiguous_strides(packed.shape);
  DIOPI_TRY(as_rows ? add_along_rows(packed, columns, along) : add_as_columns(packed, columns, along, dim));
  if (packed.data != sums.data) copy_view(sums, packed);
  return diopiSuccess;
}

}  // namespace impl::cpu
