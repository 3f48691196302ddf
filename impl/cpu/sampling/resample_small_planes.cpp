// SPDX-License-Identifier: BSD-3-Clause
// Interpolation of small planes: rows of few columns do not fill vectors, but the same positions of several planes do.
#include <algorithm>

#include "impl/common/dtype.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/copy/transpose.hpp"
#include "impl/cpu/sampling/resample.hpp"

namespace impl::cpu {
namespace {

constexpr int64_t kBytes = 262144;  // of both sides of a group: they fit the second-level cache
constexpr int64_t kMostTaps = 64;   // of a position: sums of more terms are slow along the channels

// The widest result that groups compute faster. Rows of float16 and bfloat16 are converted before they are sampled, so
// that narrow ones cost more.
constexpr int64_t widest(int64_t itemsize) { return itemsize >= 4 ? 64 / itemsize : 48; }

// The planes of a group: the same positions of them are one or two vectors.
constexpr int64_t planes_together(int64_t itemsize) { return itemsize >= 4 ? 16 : 32; }

// The extents of a plane on both sides and their products, and the taps of a position.
struct Extents {
  int64_t in[3], out[3], in_plane = 1, out_plane = 1, taps = 1;
  Extents(diopiDtype_t dtype, const ResampleArgs& a) {
    for (int i = 0; i < 3; ++i) {
      dtype == diopi_dtype_float64 ? take(i, *static_cast<const Taps<double>*>(a.taps[i]))
                                   : take(i, *static_cast<const Taps<float>*>(a.taps[i]));
    }
  }
  // The elements of a group on both sides.
  int64_t elements(int64_t together) const { return (in_plane + out_plane) * together; }

 private:
  template <typename T>
  void take(int i, const Taps<T>& table) {
    in_plane *= in[i] = table.in;
    out_plane *= out[i] = table.out;
    taps *= table.count;
  }
};

// Whether the planes are packed: [images, channels, extent 0, extent 1, extent 2] without gaps.
bool are_packed(const ResampleArgs& a, const int64_t (&stride)[5], const int64_t (&extent)[3]) {
  const int64_t plane = extent[0] * extent[1] * extent[2], want[3] = {extent[1] * extent[2], extent[2], 1};
  for (int i = 0; i < 3; ++i) {
    if (extent[i] > 1 && stride[2 + i] != want[i]) return false;
  }
  return (a.channels == 1 || stride[1] == plane) && (a.images == 1 || stride[0] == a.channels * plane);
}

// Strides of a group of planes of which the same positions are adjacent.
void set_group_strides(const int64_t (&extent)[3], int64_t together, int64_t (&stride)[5]) {
  stride[0] = 0;
  stride[1] = 1;
  stride[4] = together;
  stride[3] = stride[4] * extent[2];
  stride[2] = stride[3] * extent[1];
}

template <typename S>
void compute_groups(const ResampleArgs& a, int64_t begin, int64_t end, void* scratch) {
  constexpr int64_t kSize = sizeof(S), kTogether = planes_together(kSize);
  const Extents shape(diopi::dtype_of<S>, a);
  const int64_t planes = a.images * a.channels;
  char* const x = static_cast<char*>(scratch);
  char* const y = x + shape.in_plane * kTogether * kSize;
  char* const rest = y + shape.out_plane * kTogether * kSize;
  ResampleArgs group = a;
  group.images = 1;
  group.in = x;
  group.out = y;
  set_group_strides(shape.in, kTogether, group.in_stride);
  set_group_strides(shape.out, kTogether, group.out_stride);
  const ResampleFn kernel = resample_channels(diopi::dtype_of<S>);
  const TransposeFn transpose = transpose_function(kSize);
  for (int64_t g = begin; g < end; ++g) {
    const int64_t first = g * kTogether, count = std::min(kTogether, planes - first);
    group.channels = count;
    transpose(x, kTogether * kSize, static_cast<const char*>(a.in) + first * shape.in_plane * kSize,
              shape.in_plane * kSize, count, shape.in_plane, false);
    kernel(group, 0, shape.out[0] * shape.out[1], rest);
    transpose(static_cast<char*>(a.out) + first * shape.out_plane * kSize, shape.out_plane * kSize, y,
              kTogether * kSize, shape.out_plane, count, false);
  }
}

}  // namespace

bool has_small_planes(diopiDtype_t dtype, const ResampleArgs& a) {
  const Extents e(dtype, a);
  const int64_t size = diopi::dtype_size(dtype), together = planes_together(size);
  if (e.out[2] > widest(size) || e.taps > kMostTaps) return false;
  return a.images * a.channels >= together && e.elements(together) * size <= kBytes &&
         are_packed(a, a.in_stride, e.in) && are_packed(a, a.out_stride, e.out);
}

ResampleWork plan_resample_small_planes(diopiDtype_t dtype, const ResampleArgs& a) {
  const Extents e(dtype, a);
  const int64_t size = diopi::dtype_size(dtype), together = planes_together(size);
  ResampleArgs group = a;
  group.images = 1;
  group.channels = together;
  ResampleWork work = plan_resample_channels(dtype, group);
  work.picoseconds = work.rows * work.picoseconds + 300 * e.elements(together);
  work.rows = (a.images * a.channels + together - 1) / together;
  work.scratch += e.elements(together) * size;
  return work;
}

ResampleFn resample_small_planes(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return compute_groups<diopi::tagged<decltype(tag)>>; });
}

}  // namespace impl::cpu
