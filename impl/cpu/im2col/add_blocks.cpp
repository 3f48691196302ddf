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

// Where the terms of a kernel column go: those of windows [first, last) to the sums from `at` on.
struct ColumnPlace {
  int64_t first = 0, last = 0, at = 0;
};

// `offset` is the position of the column in window 0. Window o lies at position offset + o * stride = begin +
// (o + q) * stride + r.
inline ColumnPlace place_of_column(const Phases& p, int64_t windows, int64_t offset) {
  const int64_t shift = offset - p.begin;
  int64_t q = shift / p.stride, r = shift % p.stride;
  if (r < 0) {
    r += p.stride;
    --q;
  }
  if (r >= p.count) return {};
  const int64_t first = std::max<int64_t>(0, -q), last = std::min(windows, (p.count - 1 - r) / p.stride + 1 - q);
  return {first, last, r * p.length + first + q};
}

// The places of all kernel columns in one tile; only those of the first ones are kept.
class ColumnPlaces {
 public:
  ColumnPlaces(const Phases& p, const diopi::Window& w) : phases_(p), window_(w) {
    for (int64_t j = 0; j < std::min(kKept, w.kernel); ++j) kept_[j] = compute(j);
  }
  ColumnPlace operator[](int64_t j) const { return j < kKept ? kept_[j] : compute(j); }

 private:
  static constexpr int64_t kKept = 32;
  ColumnPlace compute(int64_t j) const {
    return place_of_column(phases_, window_.out, j * window_.dilation - window_.padding);
  }
  const Phases& phases_;
  const diopi::Window& window_;
  ColumnPlace kept_[kKept];
};

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

// Returns the window whose element k lies at this position, or -1 if there is none.
HWY_INLINE int64_t window_at(const diopi::Window& w, int64_t position, int64_t k) {
  const int64_t at = position + w.padding - k * w.dilation;
  if (w.stride == 1) return at < w.out ? std::max<int64_t>(at, -1) : -1;
  return at < 0 || at % w.stride != 0 || at / w.stride >= w.out ? -1 : at / w.stride;
}

// Adds the terms of one row of a kernel that lie in one row of blocks.
template <typename S, typename T>
HWY_INLINE void add_kernel_row(const BlockArgs& a, const ColumnPlaces& places, const S* terms, T* sums) {
  const int64_t blocks = a.blocks();
  for (int64_t j = 0; j < a.cols.kernel; ++j, terms += blocks) {
    const ColumnPlace place = places[j];
    if (place.first < place.last) add_terms(terms + place.first, place.last - place.first, sums + place.at);
  }
}

// Computes a tile of row y of plane z of one channel.
template <typename S>
void add_tile(const BlockArgs& a, const Phases& p, const ColumnPlaces& places, const S* columns, int64_t z, int64_t y,
              S* out) {
  using T = Summed<S>;
  T sums[2 * kTile];
  std::fill_n(sums, p.number * p.length, T{});
  const int64_t of_kernel_row = a.cols.kernel * a.blocks();
  for (int64_t i = 0; i < a.planes.kernel; ++i) {
    const int64_t plane = window_at(a.planes, z, i);
    for (int64_t j = 0; plane >= 0 && j < a.rows.kernel; ++j) {
      const int64_t row = window_at(a.rows, y, j);
      if (row < 0) continue;
      const int64_t first = (plane * a.rows.out + row) * a.cols.out;
      add_kernel_row(a, places, columns + (i * a.rows.kernel + j) * of_kernel_row + first, sums);
    }
  }
  store_tile(p, sums, out, a.column_stride);
}

// Computes positions [x, x + count) of rows [begin, end) of all channels.
template <typename S>
void add_tiles(const BlockArgs& a, int64_t begin, int64_t end, int64_t x, int64_t count) {
  const int64_t size = a.block_size() * a.blocks();
  const Phases phases(a.cols, x, count);
  const ColumnPlaces places(phases, a.cols);
  for (int64_t row = begin; row < end; ++row) {
    const int64_t y = row % a.rows.in, z = row / a.rows.in % a.planes.in, map = row / a.rows.in / a.planes.in;
    const int64_t c = map % a.channels, n = map / a.channels;
    S* out = static_cast<S*>(a.image) + n * a.image_stride + c * a.channel_stride;
    out += z * a.plane_stride + y * a.row_stride + x * a.column_stride;
    add_tile(a, phases, places, static_cast<const S*>(a.columns) + map * size, z, y, out);
  }
}

// Computes rows [begin, end) of all channels.
template <typename S>
void add_rows(const BlockArgs& a, int64_t begin, int64_t end) {
  for (int64_t x = 0; x < a.cols.in; x += kTile) add_tiles<S>(a, begin, end, x, std::min(kTile, a.cols.in - x));
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
  const int64_t rows = a.images * a.channels * a.planes.in * a.rows.in;
  const int64_t terms = a.images * a.channels * a.block_size() * a.blocks();
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
