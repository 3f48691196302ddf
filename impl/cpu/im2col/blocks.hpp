// SPDX-License-Identifier: BSD-3-Clause
// The elements of sliding blocks of images, copied to columns, and columns added back.
#ifndef IMPL_CPU_IM2COL_BLOCKS_HPP_
#define IMPL_CPU_IM2COL_BLOCKS_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/common/plan/windows.hpp"

namespace impl::cpu {

// The columns are packed: [images, channels, kernel planes, kernel rows, kernel columns, block planes, block rows,
// block columns]. The image may have any strides, in elements. Images of two dimensions have one plane.
struct BlockArgs {
  void* image = nullptr;
  void* columns = nullptr;
  int64_t images = 0, channels = 0;
  int64_t image_stride = 0, channel_stride = 0, plane_stride = 0, row_stride = 0, column_stride = 0;
  diopi::Window planes, rows, cols;

  int64_t blocks() const { return planes.out * rows.out * cols.out; }
  int64_t block_size() const { return planes.kernel * rows.kernel * cols.kernel; }
};

// The elements of a row that are summed at a time.
constexpr int64_t kRowTile = 2048;

// Computes rows [begin, end) of all channels.
using AddRowsFn = void (*)(const BlockArgs& args, int64_t begin, int64_t end);

// Overlapping windows along packed rows, and the sums of their elements at each position.
struct RowWindows {
  void* sums = nullptr;           // [rows, along.in]
  const void* windows = nullptr;  // [rows, along.out, along.kernel]
  int64_t rows = 0;
  diopi::Window along;

  int64_t tiles() const { return (along.in + kRowTile - 1) / kRowTile; }
};
// Computes tiles [begin, end) of all rows.
using AddWindowTilesFn = void (*)(const RowWindows& args, int64_t begin, int64_t end);

// Copies blocks of images of one plane; `itemsize` is that of the elements. Elements outside the image are 0.
void copy_blocks(int64_t itemsize, const BlockArgs& args);
// Writes the sums to the image. Returns false if there are no sums of the dtype.
bool add_blocks(diopiDtype_t dtype, const BlockArgs& args);
// The same for windows along rows. It adds whole windows, so it is for long ones.
bool add_row_windows(diopiDtype_t dtype, const RowWindows& args);

}  // namespace impl::cpu

#endif  // IMPL_CPU_IM2COL_BLOCKS_HPP_
