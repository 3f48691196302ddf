// SPDX-License-Identifier: BSD-3-Clause
// Rows of pairs that are rotated.
#ifndef IMPL_CPU_ROTARY_ROTARY_HPP_
#define IMPL_CPU_ROTARY_ROTARY_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// Rotates `rows` rows of 2 * half adjacent elements. The strides from row to row count bytes. cos and sin have the
// compute dtype; those of the second number of a pair are `second` elements behind those of the first: 0 or half.
struct RotaryRows {
  char* out;
  const char *x, *cos, *sin;
  int64_t rows, half, second;
  int64_t out_stride, x_stride, cos_stride, sin_stride;
  bool backwards;
};
using RotaryFn = void (*)(const RotaryRows& rows);

RotaryFn rotary_kernel(diopiDtype_t dtype, bool interleaved);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ROTARY_ROTARY_HPP_
