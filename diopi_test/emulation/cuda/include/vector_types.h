// SPDX-License-Identifier: BSD-3-Clause
// Stand-in for CUDA's header: vector types with CUDA's sizes and alignments, and the functions that make them.
#ifndef DIOPI_EMULATION_VECTOR_TYPES_H_
#define DIOPI_EMULATION_VECTOR_TYPES_H_

#include <cstdint>

#define DIOPI_EMULATION_VECTOR(type, name, alignment2, alignment4)               \
  struct name##1 {                                                               \
    type x;                                                                      \
  };                                                                             \
  struct alignas(alignment2) name##2 {                                           \
    type x, y;                                                                   \
  };                                                                             \
  struct name##3 {                                                               \
    type x, y, z;                                                                \
  };                                                                             \
  struct alignas(alignment4) name##4 {                                           \
    type x, y, z, w;                                                             \
  };                                                                             \
  constexpr name##1 make_##name##1(type x) { return {x}; }                       \
  constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
// NOLINTBEGIN(google-runtime-int): CUDA defines these types with these words.
DIOPI_EMULATION_VECTOR(signed char, char, 2, 4)
DIOPI_EMULATION_VECTOR(unsigned char, uchar, 2, 4)
DIOPI_EMULATION_VECTOR(short, short, 4, 8)
DIOPI_EMULATION_VECTOR(unsigned short, ushort, 4, 8)
DIOPI_EMULATION_VECTOR(int, int, 8, 16)
DIOPI_EMULATION_VECTOR(unsigned int, uint, 8, 16)
DIOPI_EMULATION_VECTOR(float, float, 8, 16)
#undef DIOPI_EMULATION_VECTOR

// CUDA 13 deprecates vectors of four elements of eight bytes, because their alignment is ambiguous; they are absent
// here.
#define DIOPI_EMULATION_WIDE_VECTOR(type, name)            \
  struct name##1 {                                         \
    type x;                                                \
  };                                                       \
  struct alignas(16) name##2 {                             \
    type x, y;                                             \
  };                                                       \
  constexpr name##1 make_##name##1(type x) { return {x}; } \
  constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }
DIOPI_EMULATION_WIDE_VECTOR(long long, longlong)
DIOPI_EMULATION_WIDE_VECTOR(unsigned long long, ulonglong)
DIOPI_EMULATION_WIDE_VECTOR(double, double)
#undef DIOPI_EMULATION_WIDE_VECTOR
// NOLINTEND(google-runtime-int)

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_extent = 1, unsigned int y_extent = 1, unsigned int z_extent = 1)
      : x(x_extent), y(y_extent), z(z_extent) {}
  constexpr dim3(uint3 extents) : x(extents.x), y(extents.y), z(extents.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#endif  // DIOPI_EMULATION_VECTOR_TYPES_H_
