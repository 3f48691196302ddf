// SPDX-License-Identifier: BSD-3-Clause
// Columns of an image at the positions of a mask, and masks of cells around each position of a feature map.
#include <algorithm>

#include "impl/common/engine/feature_maps.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
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

// The ranges of a mask along one dimension: cell i of position h lies at h + i - half.
struct Cells {
  int64_t extent, mask, half;
  int64_t first(int64_t h) const { return std::max<int64_t>(0, half - h); }
  int64_t end(int64_t h) const { return std::min(mask, extent - h + half); }
};

// Calls f(place in the cells, place in the maps) for all cells of image n and row h that lie in the map.
template <typename F>
void for_cells(const PositionMask& m, int64_t n, int64_t h, const F& f) {
  const Cells rows{m.height, m.mask_height, m.half_height}, columns{m.width, m.mask_width, m.half_width};
  const int64_t space = m.height * m.width;
  for (int64_t i = rows.first(h); i < rows.end(h); ++i) {
    const int64_t y = h + i - m.half_height;
    for (int64_t w = 0; w < m.width; ++w) {
      for (int64_t j = columns.first(w); j < columns.end(w); ++j) {
        const int64_t here = h * m.width + w, there = y * m.width + w + j - m.half_width;
        const int64_t cell = i * m.mask_width + j, map = m.distribute ? here * space + there : there * space + here;
        f((n * m.mask_height * m.mask_width + cell) * space + here, n * space * space + map);
      }
    }
  }
}

// Calls f(tag, to, from) for images and rows in parallel. Two rows never write the same element.
template <typename F>
void for_mask_rows(const PositionMask& m, int64_t images, const F& f) {
  const int64_t cells = m.mask_height * m.mask_width;
  diopi::parallel_for(images * m.height, diopi::Picoseconds{m.width * cells * 2000}, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i / m.height, i % m.height);
  });
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
  const int64_t count = col.shape[1], height = im.shape[2], width = im.shape[3], area = window.kernel[1];
  const int64_t *rows = at.row.ptr<int64_t>(), *columns = at.column.ptr<int64_t>();
  diopi::for_itemsize(im.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* image = from.ptr<T>();
    T* out = to.ptr<T>();
    diopi::parallel_for(col.shape[0], diopi::Picoseconds{count * 2000}, [=](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const int64_t j = line % area, i = line / area % window.kernel[0], c = line / area / window.kernel[0];
        for (int64_t m = 0; m < count; ++m) {
          const int64_t y = shifted(rows[m], i - window.padding[0], height);
          const int64_t x = shifted(columns[m], j - window.padding[1], width);
          out[line * count + m] = y < 0 || x < 0 ? T{} : image[(c * height + y) * width + x];
        }
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
    for_mask_rows(mask, maps.shape[0], [=](int64_t n, int64_t h) {
      for_cells(mask, n, h, [=](int64_t cell, int64_t map) { out[map] = in[cell]; });
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
  fill_zero(to);
  diopi::for_itemsize(cells.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = from.ptr<T>();
    T* out = to.ptr<T>();
    for_mask_rows(mask, cells.shape[0], [=](int64_t n, int64_t h) {
      for_cells(mask, n, h, [=](int64_t cell, int64_t map) { out[cell] = in[map]; });
    });
    return 0;
  });
  put_back(cells, to);
  return diopiSuccess;
}

}  // namespace impl::cpu
