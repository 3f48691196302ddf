// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/im2col/blocks.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/im2col/copy_blocks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// The windows [first, last) of a dimension whose element `k` lies in the image, and the position of this element in
// window 0.
struct Inside {
  Inside(const diopi::Window& w, int64_t k) : start(k * w.dilation - w.padding) {
    first = start >= 0 ? 0 : std::min(w.out, (-start - 1) / w.stride + 1);
    last = start >= w.in ? first : std::clamp((w.in - 1 - start) / w.stride + 1, first, w.out);
  }
  int64_t start, first, last;
};

template <typename T>
HWY_INLINE void copy_row(const T* HWY_RESTRICT from, int64_t step, int64_t n, T* HWY_RESTRICT to) {
  if (step == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  } else if (step == 2) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * step];
  }
}

// Copies the elements of one kernel position of all blocks of a channel.
template <typename T>
void copy_position(const BlockArgs& a, const T* channel, int64_t i, int64_t j, T* to) {
  const Inside rows(a.rows, i), cols(a.cols, j);
  const int64_t width = a.cols.out, step = a.cols.stride * a.column_stride;
  std::fill_n(to, rows.first * width, T{});
  for (int64_t y = rows.first; y < rows.last; ++y) {
    const T* row = channel + (rows.start + y * a.rows.stride) * a.row_stride;
    T* out = to + y * width;
    std::fill(out, out + cols.first, T{});
    if (cols.first < cols.last) {
      const T* from = row + (cols.start + cols.first * a.cols.stride) * a.column_stride;
      copy_row(from, step, cols.last - cols.first, out + cols.first);
    }
    std::fill(out + cols.last, out + width, T{});
  }
  std::fill(to + rows.last * width, to + a.rows.out * width, T{});
}

// Copies kernel positions [begin, end) of all channels.
template <typename T>
void copy_positions(const BlockArgs& a, int64_t begin, int64_t end) {
  const int64_t kernel = a.rows.kernel * a.cols.kernel, blocks = a.rows.out * a.cols.out;
  for (int64_t index = begin; index < end; ++index) {
    const int64_t position = index % kernel, plane = index / kernel;
    const int64_t c = plane % a.channels, n = plane / a.channels;
    const T* channel = static_cast<const T*>(a.image) + n * a.image_stride + c * a.channel_stride;
    copy_position(a, channel, position / a.cols.kernel, position % a.cols.kernel,
                  static_cast<T*>(a.columns) + index * blocks);
  }
}

void CopyPositions(int64_t itemsize, const BlockArgs& args, int64_t begin, int64_t end) {
  diopi::for_itemsize(itemsize, [&](auto tag) { copy_positions<diopi::tagged<decltype(tag)>>(args, begin, end); });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(CopyPositions);

void copy_blocks(int64_t itemsize, const BlockArgs& a) {
  const int64_t blocks = a.rows.out * a.cols.out;
  diopi::parallel_for(a.images * a.channels * a.rows.kernel * a.cols.kernel,
                      diopi::Picoseconds{blocks * itemsize * 60 + 2000}, [&](int64_t begin, int64_t end) {
                        HWY_DYNAMIC_DISPATCH(CopyPositions)(itemsize, a, begin, end);
                      });
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
