// SPDX-License-Identifier: BSD-3-Clause
// Nearest neighbour interpolation: rows of the input are copied by a table, and equal rows of the output from each
// other.
#include <algorithm>
#include <cstring>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/sampling/resample.hpp"

namespace impl::cpu {
namespace {

template <typename T>
void copy_columns(const NearestArgs& a, const T* __restrict in, T* __restrict out) {
  const int64_t width = a.extent[2], in_step = a.in_stride[4], out_step = a.out_stride[4];
  const int32_t* index = a.index[2];
  if (in_step == 1 && out_step == 1) {
    if (width == a.from[2]) {
      std::memcpy(out, in, static_cast<size_t>(width) * sizeof(T));
    } else if (width == 2 * a.from[2]) {
      for (int64_t x = 0; x < a.from[2]; ++x) out[2 * x] = out[2 * x + 1] = in[x];
    } else {
      for (int64_t x = 0; x < width; ++x) out[x] = in[index[x]];
    }
    return;
  }
  for (int64_t x = 0; x < width; ++x) out[x * out_step] = in[index[x] * in_step];
}

// The place of a row of the output and of the row of the input that it repeats, in elements.
struct Row {
  int64_t out, in;
};

// Copies the row of one channel.
void copy_row(const NearestArgs& a, const Row& row) {
  diopi::for_itemsize(a.itemsize, [&](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    copy_columns(a, reinterpret_cast<const T*>(a.in) + row.in, reinterpret_cast<T*>(a.out) + row.out);
  });
}

// Copies the row of all channels, which are adjacent.
void copy_pixels(const NearestArgs& a, const Row& row) {
  const auto bytes = static_cast<size_t>(a.channels * a.itemsize);
  for (int64_t x = 0; x < a.extent[2]; ++x) {
    std::memcpy(a.out + (row.out + x * a.out_stride[4]) * a.itemsize,
                a.in + (row.in + a.index[2][x] * a.in_stride[4]) * a.itemsize, bytes);
  }
}

// Copies rows [begin, end) of the planes; all channels of an image are one plane if they are adjacent.
void copy_rows(const NearestArgs& a, bool adjacent, int64_t begin, int64_t end) {
  const int64_t planes = adjacent ? 1 : a.channels, height = a.extent[1], depth = a.extent[0];
  const bool packed = adjacent ? a.out_stride[4] == a.channels : a.out_stride[4] == 1;
  const auto bytes = static_cast<size_t>(a.extent[2] * (adjacent ? a.channels : 1) * a.itemsize);
  Row last{-1, -1};
  for (int64_t index = begin; index < end; ++index) {
    const int64_t y = index % height, z = index / height % depth, plane = index / height / depth;
    const int64_t n = plane / planes, c = plane % planes;
    const Row row{
        n * a.out_stride[0] + c * a.out_stride[1] + z * a.out_stride[2] + y * a.out_stride[3],
        n * a.in_stride[0] + c * a.in_stride[1] + a.index[0][z] * a.in_stride[2] + a.index[1][y] * a.in_stride[3]};
    if (packed && row.in == last.in && y > 0) {
      std::memcpy(a.out + row.out * a.itemsize, a.out + last.out * a.itemsize, bytes);
    } else if (adjacent) {
      copy_pixels(a, row);
    } else {
      copy_row(a, row);
    }
    last = row;
  }
}

}  // namespace

void copy_nearest(const NearestArgs& a) {
  constexpr int64_t kFewBytes = 32;
  const bool adjacent =
      a.in_stride[1] == 1 && a.out_stride[1] == 1 && a.channels > 1 && a.channels * a.itemsize >= kFewBytes;
  const int64_t rows = a.images * (adjacent ? 1 : a.channels) * a.extent[0] * a.extent[1];
  const int64_t bytes = a.extent[2] * (adjacent ? a.channels : 1) * a.itemsize;
  diopi::parallel_for(rows, diopi::Picoseconds{bytes * 100 + 5000},
                      [&](int64_t begin, int64_t end) { copy_rows(a, adjacent, begin, end); });
}

}  // namespace impl::cpu
