// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sampling/deform.hpp"

#include <algorithm>
#include <cmath>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/deform.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/sampling/point_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Calls f(position in the image, row of columns) for the positions [begin, end) of the block that lie in the image.
template <class F>
HWY_INLINE void for_positions(const DeformTile& t, int64_t begin, int64_t end, F f) {
  for (int64_t p = begin; p < end; ++p) {
    const int64_t row = t.first_row + p / t.cols, col = t.first_col + p % t.cols;
    if (row < t.out_height && col < t.out_width) f(row, col, p);
  }
}

// The coordinates of the point that kernel position k of deformable group d reads for an output position.
struct Place {
  double y, x;
};
template <typename T>
HWY_INLINE Place deform_place(const DeformTile& t, int64_t row, int64_t col, int64_t d, int64_t k) {
  const int64_t space = t.out_height * t.out_width, at = row * t.out_width + col;
  const T* offset = static_cast<const T*>(t.offset) + 2 * (d * t.kernel_area() + k) * space + at;
  const int64_t i = k / t.kernel[1], j = k % t.kernel[1];
  const int64_t y = row * t.stride[0] - t.padding[0] + i * t.dilation[0];
  const int64_t x = col * t.stride[1] - t.padding[1] + j * t.dilation[1];
  return {static_cast<double>(y) + static_cast<double>(offset[0]),
          static_cast<double>(x) + static_cast<double>(offset[space])};
}

template <typename T>
HWY_INLINE ZeroPaddedPoint deform_point(const DeformTile& t, int64_t row, int64_t col, int64_t d, int64_t k) {
  const Place at = deform_place<T>(t, row, col, d, k);
  return zero_padded_point(at.y, at.x, t.height, t.width);
}

template <typename T>
HWY_INLINE T deform_mask(const DeformTile& t, int64_t row, int64_t col, int64_t d, int64_t k) {
  if (t.mask == nullptr) return T{1};
  const int64_t space = t.out_height * t.out_width;
  return static_cast<const T*>(t.mask)[(d * t.kernel_area() + k) * space + row * t.out_width + col];
}

// Calls f(channel, count, place) for the runs of channels [begin, end) that are adjacent in a row of columns: those of
// one group. `place` is their place in the row at kernel position k.
template <class F>
HWY_INLINE void for_runs(const DeformTile& t, int64_t begin, int64_t end, int64_t k, F f) {
  const int64_t per_group = t.channels / t.groups;
  for (int64_t c = begin; c < end;) {
    const int64_t group = c / per_group, stop = std::min(end, (group + 1) * per_group);
    f(c, stop - c, group * t.kernel_area() * per_group + k * per_group + (c - group * per_group));
    c = stop;
  }
}

template <typename T>
void fill_columns(const DeformTile& t, int64_t begin, int64_t end) {
  const TagOf<T> tag;
  const int64_t per_point = t.channels / t.deform_groups, area = t.kernel_area();
  for_positions(t, begin, end, [&](int64_t row, int64_t col, int64_t p) {
    T* out = static_cast<T*>(t.columns) + p * area * t.channels;
    for (int64_t d = 0; d < t.deform_groups; ++d) {
      for (int64_t k = 0; k < area; ++k) {
        const ZeroPaddedPoint point = deform_point<T>(t, row, col, d, k);
        const NeighbourRows<T> rows(point, static_cast<const T*>(t.image), t.channels, static_cast<const T*>(t.zeros));
        const auto factor = hn::Set(tag, deform_mask<T>(t, row, col, d, k));
        for_runs(t, d * per_point, (d + 1) * per_point, k, [&](int64_t c, int64_t count, int64_t place) {
          for_vectors<T>(count, [&](int64_t i, auto load, auto store, auto) {
            store(hn::Mul(factor, rows.sample(c + i, load)), out + place + i);
          });
        });
      }
    }
  });
}

template <typename T>
void offset_gradients(const DeformTile& t, void* grad_offset, void* grad_mask, int64_t begin, int64_t end) {
  const int64_t per_point = t.channels / t.deform_groups, area = t.kernel_area();
  const int64_t space = t.out_height * t.out_width;
  for_positions(t, begin, end, [&](int64_t row, int64_t col, int64_t p) {
    const T* grad = static_cast<const T*>(t.columns) + p * area * t.channels;
    const int64_t at = row * t.out_width + col;
    for (int64_t d = 0; d < t.deform_groups; ++d) {
      for (int64_t k = 0; k < area; ++k) {
        const ZeroPaddedPoint point = deform_point<T>(t, row, col, d, k);
        PointGradient found;
        if (point.inside) {
          for_runs(t, d * per_point, (d + 1) * per_point, k, [&](int64_t c, int64_t count, int64_t place) {
            NeighbourRows<T> rows(point, static_cast<const T*>(t.image), t.channels, static_cast<const T*>(t.zeros));
            for (auto& r : rows.row) r += c;
            add_point_gradient(point, grad + place, rows, count, &found);
          });
          const auto factor = static_cast<double>(deform_mask<T>(t, row, col, d, k));
          found.y *= factor;
          found.x *= factor;
        }
        T* to = static_cast<T*>(grad_offset) + 2 * (d * area + k) * space + at;
        to[0] = static_cast<T>(found.y);
        to[space] = static_cast<T>(found.x);
        if (grad_mask != nullptr) {
          static_cast<T*>(grad_mask)[(d * area + k) * space + at] = static_cast<T>(found.sample);
        }
      }
    }
  });
}

template <typename T>
void image_gradient(const DeformTile& t, void* grad_image, const ImagePart& part) {
  const int64_t begin = part.first_channel, end = part.channel_end;
  const CellRange cells{part.first_row * t.width, part.row_end * t.width};
  // The neighbours of a point lie in the row of its coordinate, rounded down, and in the next one.
  const auto above = static_cast<double>(part.first_row - 1), below = static_cast<double>(part.row_end);
  const int64_t per_point = t.channels / t.deform_groups, area = t.kernel_area();
  for_positions(t, 0, t.rows * t.cols, [&](int64_t row, int64_t col, int64_t p) {
    const T* grad = static_cast<const T*>(t.columns) + p * area * t.channels;
    for (int64_t d = begin / per_point; d * per_point < end; ++d) {
      const int64_t first = std::max(begin, d * per_point), last = std::min(end, (d + 1) * per_point);
      for (int64_t k = 0; k < area; ++k) {
        const Place at = deform_place<T>(t, row, col, d, k);
        if (at.y < above || at.y >= below) continue;
        const ZeroPaddedPoint point = zero_padded_point(at.y, at.x, t.height, t.width);
        if (!std::any_of(point.cell, point.cell + 4, [&](int64_t cell) { return cells.has(cell); })) continue;
        const T factor = deform_mask<T>(t, row, col, d, k);
        for_runs(t, first, last, k, [&](int64_t c, int64_t count, int64_t place) {
          add_to_neighbours(point, grad + place, factor, static_cast<T*>(grad_image) + c, t.channels, count, cells);
        });
      }
    }
  });
}

template <typename T>
void row_counts(const DeformTile& t, int64_t* counts) {
  const int64_t points = t.deform_groups * t.kernel_area();
  for_positions(t, 0, t.rows * t.cols, [&](int64_t row, int64_t col, int64_t) {
    for (int64_t i = 0; i < points; ++i) {
      const double y = deform_place<T>(t, row, col, i / t.kernel_area(), i % t.kernel_area()).y;
      if (!(y > -1 && y < static_cast<double>(t.height))) continue;
      const auto top = static_cast<int64_t>(std::floor(y));
      if (top >= 0) ++counts[top];
      if (top + 1 < t.height) ++counts[top + 1];
    }
  });
}

using Wide = diopi::TypeList<float, double>;

DeformColumnsFn GetDeformColumns(diopiDtype_t dtype) {
  return diopi::kernel_for<Wide>(dtype, [](auto tag) { return fill_columns<diopi::tagged<decltype(tag)>>; });
}
DeformOffsetGradientsFn GetDeformOffsetGradients(diopiDtype_t dtype) {
  return diopi::kernel_for<Wide>(dtype, [](auto tag) { return offset_gradients<diopi::tagged<decltype(tag)>>; });
}
DeformImageGradientFn GetDeformImageGradient(diopiDtype_t dtype) {
  return diopi::kernel_for<Wide>(dtype, [](auto tag) { return image_gradient<diopi::tagged<decltype(tag)>>; });
}
DeformRowCountsFn GetDeformRowCounts(diopiDtype_t dtype) {
  return diopi::kernel_for<Wide>(dtype, [](auto tag) { return row_counts<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetDeformColumns);
HWY_EXPORT(GetDeformOffsetGradients);
HWY_EXPORT(GetDeformImageGradient);
HWY_EXPORT(GetDeformRowCounts);

DeformColumnsFn deform_columns_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetDeformColumns)(dtype); }
DeformOffsetGradientsFn deform_offset_gradients_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetDeformOffsetGradients)(dtype);
}
DeformImageGradientFn deform_image_gradient_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetDeformImageGradient)(dtype);
}
DeformRowCountsFn deform_row_counts_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetDeformRowCounts)(dtype);
}

}  // namespace impl::cpu
#endif
