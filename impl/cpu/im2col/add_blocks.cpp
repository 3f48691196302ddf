// SPDX-License-Identifier: BSD-3-Clause
// The sums of the elements of blocks at each position of an image.
//
// A row of the image is computed in tiles. With a stride s, the terms of one kernel position lie s apart in the row. A
// tile is therefore kept as s phases: phase r has the positions r, r + s, r + 2 s, ... of the tile, so that terms are
// added to adjacent elements.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/im2col/blocks.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/im2col/add_blocks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "impl/common/parallel.hpp"
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The type of sums: float32 for float16 and bfloat16, otherwise the dtype itself.
template <typename S>
using Summed = std::conditional_t<std::is_same_v<S, diopi::float16> || std::is_same_v<S, diopi::bfloat16>, float, S>;

constexpr int64_t kTile = 512;  // positions of a row that are computed at a time

template <typename T>
HWY_INLINE T plus(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else {
    return static_cast<T>(a + b);
  }
}

template <typename S, typename T>
HWY_INLINE void add_terms(const S* HWY_RESTRICT terms, int64_t n, T* HWY_RESTRICT sums) {
  if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double>) {
    const TagOf<S> d;
    int64_t i = 0;
    for (; i + lanes_of<S>() <= n; i += lanes_of<S>()) {
      hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, terms + i)), d, sums + i);
    }
    if (n < lanes_of<S>()) {  // a masked store would delay the loads that follow it
      for (; i < n; ++i) sums[i] += terms[i];
    } else if (i < n) {
      store_some<S>(hn::Add(load_some(sums + i, n - i), load_some(terms + i, n - i)), sums + i, n - i);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) sums[i] = plus(sums[i], static_cast<T>(terms[i]));
  }
}

// The phases of a tile that begins at position `begin` of a row.
struct Phases {
  Phases(const diopi::Window& w, int64_t first, int64_t positions)
      : begin(first), count(positions), stride(w.stride), number(std::min(w.stride, positions)) {
    length = (count + stride - 1) / stride;
  }
  int64_t begin, count, stride;
  int64_t number, length;  // the number of phases, and their length
};

// Adds the terms of one kernel column. `offset` is the position of this column in window 0.
template <typename S, typename T>
HWY_INLINE void add_column(const Phases& p, const S* terms, int64_t windows, int64_t offset, T* sums) {
  // Window o lies at position offset + o * stride = begin + (o + q) * stride + r.
  const int64_t shift = offset - p.begin;
  int64_t q = shift / p.stride, r = shift % p.stride;
  if (r < 0) {
    r += p.stride;
    --q;
  }
  if (r >= p.count) return;
  const int64_t first = std::max<int64_t>(0, -q), last = std::min(windows, (p.count - 1 - r) / p.stride + 1 - q);
  if (first < last) add_terms(terms + first, last - first, sums + r * p.length + first + q);
}

// Writes the tile to the image, where positions are `step` elements apart.
template <typename S, typename T>
HWY_INLINE void store_tile(const Phases& p, const T* HWY_RESTRICT sums, S* HWY_RESTRICT out, int64_t step) {
  if (p.stride == 1 && step == 1) {
    for (int64_t i = 0; i < p.count; ++i) out[i] = static_cast<S>(sums[i]);
    return;
  }
  if (p.stride == 2 && step == 1) {
    const T* odd = sums + p.length;
    for (int64_t i = 0; i < p.count / 2; ++i) {
      out[2 * i] = static_cast<S>(sums[i]);
      out[2 * i + 1] = static_cast<S>(odd[i]);
    }
    if (p.count % 2 != 0) out[p.count - 1] = static_cast<S>(sums[p.count / 2]);
    return;
  }
  for (int64_t r = 0; r < p.number; ++r) {
    const T* phase = sums + r * p.length;
    for (int64_t i = 0; i * p.stride + r < p.count; ++i) out[(i * p.stride + r) * step] = static_cast<S>(phase[i]);
  }
}

// Computes a tile of row y of one channel.
template <typename S>
void add_tile(const BlockArgs& a, const Phases& p, const S* columns, int64_t y, S* out) {
  using T = Summed<S>;
  T sums[2 * kTile];
  std::fill_n(sums, p.number * p.length, T{});
  const int64_t blocks = a.rows.out * a.cols.out;
  for (int64_t i = 0; i < a.rows.kernel; ++i) {
    const int64_t at = y + a.rows.padding - i * a.rows.dilation;
    if (at < 0 || at % a.rows.stride != 0 || at / a.rows.stride >= a.rows.out) continue;
    const S* row = columns + i * a.cols.kernel * blocks + at / a.rows.stride * a.cols.out;
    for (int64_t j = 0; j < a.cols.kernel; ++j) {
      add_column(p, row + j * blocks, a.cols.out, j * a.cols.dilation - a.cols.padding, sums);
    }
  }
  store_tile(p, sums, out, a.column_stride);
}

// Computes rows [begin, end) of all channels.
template <typename S>
void add_rows(const BlockArgs& a, int64_t begin, int64_t end) {
  const int64_t size = a.rows.kernel * a.cols.kernel * a.rows.out * a.cols.out;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t y = row % a.rows.in, plane = row / a.rows.in;
    const int64_t c = plane % a.channels, n = plane / a.channels;
    S* out = static_cast<S*>(a.image) + n * a.image_stride + c * a.channel_stride + y * a.row_stride;
    const S* columns = static_cast<const S*>(a.columns) + plane * size;
    for (int64_t x = 0; x < a.cols.in; x += kTile) {
      add_tile(a, Phases(a.cols, x, std::min(kTile, a.cols.in - x)), columns, y, out + x * a.column_stride);
    }
  }
}

// Computes tiles [begin, end) of all rows from whole windows.
template <typename S>
void add_window_tiles(const RowWindows& a, int64_t begin, int64_t end) {
  using T = Summed<S>;
  const int64_t size = a.along.kernel, step = a.along.stride, tiles = a.tiles();
  T sums[kRowTile];
  for (int64_t index = begin; index < end; ++index) {
    const int64_t row = index / tiles, from = index % tiles * kRowTile, to = std::min(a.along.in, from + kRowTile);
    const S* windows = static_cast<const S*>(a.windows) + row * a.along.out * size;
    std::fill_n(sums, to - from, T{});
    const int64_t first = from < size ? 0 : (from - size) / step + 1;
    const int64_t last = std::min(a.along.out, (to - 1) / step + 1);
    for (int64_t o = first; o < last; ++o) {
      const int64_t start = o * step, low = std::max(start, from), high = std::min(start + size, to);
      add_terms(windows + o * size + low - start, high - low, sums + low - from);
    }
    S* out = static_cast<S*>(a.sums) + row * a.along.in + from;
    for (int64_t i = 0; i < to - from; ++i) out[i] = static_cast<S>(sums[i]);
  }
}

using SummedTypes =
    diopi::TypeList<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, diopi::float16,
                    diopi::bfloat16, float, double, diopi::complex64, diopi::complex128>;

AddRowsFn GetAddRows(diopiDtype_t dtype) {
  return diopi::kernel_for<SummedTypes>(dtype, [](auto tag) { return add_rows<diopi::unsigned_of<decltype(tag)>>; });
}

AddWindowTilesFn GetAddWindowTiles(diopiDtype_t dtype) {
  return diopi::kernel_for<SummedTypes>(dtype,
                                        [](auto tag) { return add_window_tiles<diopi::unsigned_of<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetAddRows);
HWY_EXPORT(GetAddWindowTiles);

bool add_blocks(diopiDtype_t dtype, const BlockArgs& a) {
  const AddRowsFn run = HWY_DYNAMIC_DISPATCH(GetAddRows)(dtype);
  if (run == nullptr) return false;
  const int64_t rows = a.images * a.channels * a.rows.in;
  const int64_t terms = a.images * a.channels * a.rows.kernel * a.cols.kernel * a.rows.out * a.cols.out;
  diopi::parallel_for(rows, diopi::Picoseconds{(terms / rows + a.cols.in) * 400 + 10000},
                      [&](int64_t begin, int64_t end) { run(a, begin, end); });
  return true;
}

bool add_row_windows(diopiDtype_t dtype, const RowWindows& a) {
  const AddWindowTilesFn run = HWY_DYNAMIC_DISPATCH(GetAddWindowTiles)(dtype);
  if (run == nullptr) return false;
  const int64_t terms = (a.along.kernel + a.along.stride - 1) / a.along.stride;  // of one element
  diopi::parallel_for(a.rows * a.tiles(), diopi::Picoseconds{kRowTile * (terms + 1) * 100},
                      [&](int64_t begin, int64_t end) { run(a, begin, end); });
  return true;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
