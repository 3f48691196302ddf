// SPDX-License-Identifier: BSD-3-Clause
// Columns of an image at the positions of a mask, and masks of cells around each position of a feature map.
#include <algorithm>

#include "impl/common/engine/feature_maps.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {
namespace {

struct PackedPositions {
  TensorView row, column;
};

Status pack_positions(diopiContextHandle_t ctx, const MaskPositions& positions, PackedPositions* packed) {
  DIOPI_TRY(arrange_input(ctx, positions.row, nullptr, false, diopi_dtype_int64, &packed->row));
  return arrange_input(ctx, positions.column, nullptr, false, diopi_dtype_int64, &packed->column);
}

// `position` + `offset` as a position below `extent`; -1 if it is none.
int64_t shifted(int64_t position, int64_t offset, int64_t extent) {
  int64_t sum = 0;
  if (__builtin_add_overflow(position, offset, &sum) || sum < 0 || sum >= extent) return -1;
  return sum;
}

Status check_positions(const TensorView& index, const TensorView& packed, int64_t extent) {
  for (int64_t m = 0; m < packed.numel; ++m) {
    const int64_t value = packed.ptr<int64_t>()[m];
    DIOPI_REQUIRE(value >= 0 && value < extent, diopiErrorOccurred, "%s[%lld] = %lld, expected 0 to below %lld",
                  index.name, static_cast<long long>(m), static_cast<long long>(value), static_cast<long long>(extent));
  }
  return diopiSuccess;
}

// One dimension of a mask: cell i of position h lies at h + i - half.
struct Cells {
  int64_t extent, half;
  // The positions whose cell i lies in the map: from first(i) to below end(i).
  int64_t first(int64_t i) const { return std::max<int64_t>(0, half - i); }
  int64_t end(int64_t i) const { return std::min(extent, extent - i + half); }
};

// Calls f(place in the cells, place in the maps, count, step) for runs of positions of image n whose cell in the mask's
// row i lies in the map: places in the cells are adjacent, those in the maps are `step` apart. Some columns of the mask
// are read together, each in memory order, because their places in the maps share cache lines.
template <typename F>
void for_runs(const PositionMask& m, int64_t n, int64_t i, const F& f) {
  constexpr int64_t kTogether = 16;
  const Cells rows{m.height, m.half_height}, columns{m.width, m.half_width};
  const int64_t space = m.height * m.width;
  for (int64_t start = 0; start < m.mask_width; start += kTogether) {
    const int64_t stop = std::min(m.mask_width, start + kTogether);
    for (int64_t h = rows.first(i); h < rows.end(i); ++h) {
      for (int64_t j = start; j < stop; ++j) {
        const int64_t w = columns.first(j), count = columns.end(j) - w;
        if (count <= 0) continue;
        const int64_t here = h * m.width + w, there = (h + i - m.half_height) * m.width + w + j - m.half_width;
        const int64_t map = m.distribute ? here * space + there : there * space + here;
        const int64_t cell = (n * m.mask_height + i) * m.mask_width + j;
        f(cell * space + here, n * space * space + map, count, space + 1);
      }
    }
  }
}

// Calls f(n, i) for images and rows of the mask in parallel. Two of them never write the same element.
template <typename F>
void for_mask_rows(const PositionMask& m, int64_t images, const F& f) {
  const int64_t cells = m.height * m.width * m.mask_width;
  diopi::parallel_for(images * m.mask_height, diopi::Picoseconds{cells * 800}, [=](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) f(k / m.mask_height, k % m.mask_height);
  });
}

// offset[line * count + m]: the place in a plane that kernel position `line` reads for mask position m; -1 for padding.
void find_offsets(const PackedPositions& at, const MaskWindow& window, int64_t height, int64_t width, int64_t* offset) {
  const int64_t count = at.row.numel;
  const int64_t *rows = at.row.ptr<int64_t>(), *columns = at.column.ptr<int64_t>();
  for (int64_t i = 0; i < window.kernel[0]; ++i) {
    for (int64_t j = 0; j < window.kernel[1]; ++j) {
      for (int64_t m = 0; m < count; ++m) {
        const int64_t y = shifted(rows[m], i - window.padding[0], height);
        const int64_t x = shifted(columns[m], j - window.padding[1], width);
        *offset++ = y < 0 || x < 0 ? -1 : y * width + x;
      }
    }
  }
}

}  // namespace

Status masked_columns(diopiContextHandle_t ctx, const TensorView& col, const TensorView& im,
                      const MaskPositions& positions, const MaskWindow& window) {
  PackedPositions at;
  TensorView from, to;
  DIOPI_TRY(pack_positions(ctx, positions, &at));
  DIOPI_TRY(arrange_input(ctx, im, nullptr, false, im.dtype, &from));
  DIOPI_TRY(arrange(ctx, col, false, im.dtype, false, &to));
  if (col.numel == 0) return diopiSuccess;
  const int64_t count = col.shape[1], space = im.shape[2] * im.shape[3];
  const int64_t lines = window.kernel[0] * window.kernel[1];
  int64_t* offsets = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(lines * count, &offsets));
  find_offsets(at, window, im.shape[2], im.shape[3], offsets);
  diopi::for_itemsize(im.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* image = from.ptr<T>();
    T* out = to.ptr<T>();
    diopi::parallel_for(col.shape[0], diopi::Picoseconds{count * 700}, [=](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const int64_t* offset = offsets + line % lines * count;
        const T* plane = image + line / lines * space;
        for (int64_t m = 0; m < count; ++m) out[line * count + m] = offset[m] < 0 ? T{} : plane[offset[m]];
      }
    });
    return 0;
  });
  put_back(col, to);
  return diopiSuccess;
}

Status masked_image(diopiContextHandle_t ctx, const TensorView& im, const TensorView& col,
                    const MaskPositions& positions) {
  PackedPositions at;
  TensorView from, to;
  DIOPI_TRY(pack_positions(ctx, positions, &at));
  DIOPI_TRY(check_positions(positions.row, at.row, im.shape[2]));
  DIOPI_TRY(check_positions(positions.column, at.column, im.shape[3]));
  DIOPI_TRY(arrange_input(ctx, col, nullptr, false, col.dtype, &from));
  DIOPI_TRY(arrange(ctx, im, false, col.dtype, false, &to));
  if (im.numel == 0) return diopiSuccess;
  fill_zero(to);
  const int64_t count = col.shape[1], width = im.shape[3], space = im.shape[2] * width;
  const int64_t *rows = at.row.ptr<int64_t>(), *columns = at.column.ptr<int64_t>();
  diopi::for_itemsize(col.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = from.ptr<T>();
    T* image = to.ptr<T>();
    diopi::parallel_for(im.shape[1], diopi::Picoseconds{count * 1500}, [=](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        for (int64_t m = 0; m < count; ++m) image[c * space + rows[m] * width + columns[m]] = in[c * count + m];
      }
    });
    return 0;
  });
  put_back(im, to);
  return diopiSuccess;
}

Status spread_mask(diopiContextHandle_t ctx, const PositionMask& mask, const TensorView& maps,
                   const TensorView& cells) {
  TensorView from, to;
  DIOPI_TRY(arrange_input(ctx, cells, nullptr, false, cells.dtype, &from));
  DIOPI_TRY(arrange(ctx, maps, false, cells.dtype, false, &to));
  if (maps.numel == 0) return diopiSuccess;
  fill_zero(to);
  diopi::for_itemsize(cells.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = from.ptr<T>();
    T* out = to.ptr<T>();
    for_mask_rows(mask, maps.shape[0], [=](int64_t n, int64_t i) {
      for_runs(mask, n, i, [=](int64_t cell, int64_t map, int64_t count, int64_t step) {
        for (int64_t k = 0; k < count; ++k) out[map + k * step] = in[cell + k];
      });
    });
    return 0;
  });
  put_back(maps, to);
  return diopiSuccess;
}

Status collect_mask(diopiContextHandle_t ctx, const PositionMask& mask, const TensorView& cells,
                    const TensorView& maps) {
  TensorView from, to;
  DIOPI_TRY(arrange_input(ctx, maps, nullptr, false, maps.dtype, &from));
  DIOPI_TRY(arrange(ctx, cells, false, maps.dtype, false, &to));
  if (cells.numel == 0) return diopiSuccess;
  const int64_t row = mask.mask_width * mask.height * mask.width;  // of the mask, in an image
  diopi::for_itemsize(cells.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = from.ptr<T>();
    T* out = to.ptr<T>();
    for_mask_rows(mask, cells.shape[0], [=](int64_t n, int64_t i) {
      std::fill_n(out + (n * mask.mask_height + i) * row, row, T{});
      for_runs(mask, n, i, [=](int64_t cell, int64_t map, int64_t count, int64_t step) {
        for (int64_t k = 0; k < count; ++k) out[cell + k] = in[map + k * step];
      });
    });
    return 0;
  });
  put_back(cells, to);
  return diopiSuccess;
}

}  // namespace impl::cpu
