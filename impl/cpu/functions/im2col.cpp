// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/im2col.hpp"

#include "impl/cpu/engine/copy/copy.hpp"
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
  return add_columns(blocks.image, columns, blocks.windows.at(0), blocks.windows.at(1));
}

Status add_windows(diopiContextHandle_t ctx, const TensorView& sums, const TensorView& windows, int dim, int64_t step) {
  const int64_t size = windows.shape[windows.ndim() - 1];
  if (step >= size || windows.shape[dim] == 1) return copy_windows(sums, windows, dim, step);
  // As columns of images whose rows, or whose columns, are the dimension: the elements of a window come first.
  TensorView columns, packed = sums;
  DIOPI_TRY(packed_copy(ctx, with_last_at(windows, dim), &columns));
  if (!sums.is_contiguous()) DIOPI_TRY(make_temporary(ctx, sums.shape, sums.dtype, &packed));
  packed.stride = diopi::contiguous_strides(packed.shape);
  TensorView lines = as_lines(packed, dim);
  diopi::Window along, across;
  along.in = sums.shape[dim];
  along.out = windows.shape[dim];
  along.kernel = size;
  along.stride = step;
  across.in = across.out = lines.shape[3];
  const bool last = across.in == 1;
  if (last) lines = lines.transposed(2, 3);
  DIOPI_TRY(add_columns(lines, columns, last ? across : along, last ? along : across));
  if (packed.data != sums.data) copy_view(sums, packed);
  return diopiSuccess;
}

}  // namespace impl::cpu
