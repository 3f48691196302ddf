// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/pool/small_planes.hpp"

#include <algorithm>

#include "impl/cpu/engine/copy/transpose.hpp"

namespace impl::cpu {
namespace {

constexpr int64_t kBytes = 25600, kBytesOfY = 16384;  // of x and of the index of a group, and of y; on the stack

// Whether the planes are packed: [planes, extent 0, extent 1, extent 2] without gaps.
bool are_packed(const PoolArgs& a, const PoolStrides& s, const int64_t (&extent)[3]) {
  const int64_t want[3] = {extent[1] * extent[2], extent[2], 1}, plane = extent[0] * want[0];
  for (int i = 0; i < 3; ++i) {
    if (extent[i] > 1 && s.spatial[i] != want[i]) return false;
  }
  return (a.channels == 1 || s.channel == plane) && (a.batch == 1 || s.batch == a.channels * plane);
}

// Strides of a group of planes of which the same elements are adjacent.
PoolStrides transposed_strides(const int64_t (&extent)[3], int64_t together) {
  PoolStrides s;
  s.channel = 1;
  s.spatial[2] = together;
  s.spatial[1] = together * extent[2];
  s.spatial[0] = together * extent[1] * extent[2];
  return s;
}

struct Extents {
  int64_t in[3], out[3];
  explicit Extents(const PoolArgs& a) {
    for (int i = 0; i < 3; ++i) {
      in[i] = a.dim[i].in;
      out[i] = a.dim[i].out;
    }
  }
};

// Transposes `count` planes of n elements to buffer[element][plane], with room for `together` planes, or back.
void to_buffer(char* buffer, const char* planes, int64_t together, int64_t count, int64_t n, int64_t size) {
  transpose_function(size)(buffer, together * size, planes, n * size, count, n, false);
}
void from_buffer(char* planes, const char* buffer, int64_t together, int64_t count, int64_t n, int64_t size) {
  transpose_function(size)(planes, n * size, buffer, together * size, n, count, false);
}

}  // namespace

namespace {

bool fits_together(const PoolArgs& a, int64_t size, int64_t together) {
  const int64_t index_bytes = a.index == nullptr ? 0 : sizeof(int64_t);
  return a.batch * a.channels >= together && a.plane() * together * size <= kBytes &&
         a.outputs() * together * size <= kBytesOfY && a.outputs() * together * index_bytes <= kBytes;
}

// The planes of a group: the same elements of them are one or two vectors. 0 if so many do not fit the cache.
int64_t planes_together(const PoolArgs& a, int64_t size) {
  if (const int64_t most = size >= 4 ? 16 : 32; fits_together(a, size, most)) return most;
  return size == 8 && fits_together(a, size, 8) ? 8 : 0;
}

}  // namespace

bool has_packed_planes(const PoolArgs& a) {
  const Extents e(a);
  if (a.over_channels || !are_packed(a, a.xs, e.in) || !are_packed(a, a.ys, e.out)) return false;
  return a.index == nullptr || are_packed(a, a.is, e.out);
}

bool has_small_planes(const PoolArgs& a, int64_t size) { return planes_together(a, size) > 0 && has_packed_planes(a); }

bool pool_small_planes(PoolChunksFn kernel, const PoolArgs& a, int64_t size, bool backward) {
  if (kernel == nullptr) return false;
  const Extents e(a);
  const int64_t together = std::max<int64_t>(1, planes_together(a, size)), planes = a.batch * a.channels;
  const int64_t groups = (planes + together - 1) / together, plane = a.plane();
  const int64_t outputs = a.outputs(), index_size = a.narrow_index ? 4 : 8;
  const int64_t cost = (plane + outputs) * together;
  diopi::parallel_for(groups, 16384 / cost + 1, [&](int64_t begin, int64_t end) {
    alignas(64) char x[kBytes], y[kBytesOfY], index[kBytes];
    PoolArgs group = a;
    group.batch = 1;
    group.over_channels = true;
    group.xs = transposed_strides(e.in, together);
    group.ys = group.is = transposed_strides(e.out, together);
    group.x = x;
    group.y = y;
    group.index = a.index == nullptr ? nullptr : index;
    for (int64_t g = begin; g < end; ++g) {
      const int64_t first = g * together, count = std::min(together, planes - first);
      group.channels = count;
      char* const to_x = static_cast<char*>(a.x) + first * plane * size;
      char* const to_y = static_cast<char*>(a.y) + first * outputs * size;
      if (backward) {
        to_buffer(y, to_y, together, count, outputs, size);
        kernel(group, 0, 1);  // one block of channels
        from_buffer(to_x, x, together, count, plane, size);
        continue;
      }
      to_buffer(x, to_x, together, count, plane, size);
      kernel(group, 0, a.dim[0].out * a.dim[1].out);
      from_buffer(to_y, y, together, count, outputs, size);
      if (a.index == nullptr) continue;
      from_buffer(static_cast<char*>(a.index) + first * outputs * index_size, index, together, count, outputs,
                  index_size);
    }
  });
  return true;
}

}  // namespace impl::cpu
