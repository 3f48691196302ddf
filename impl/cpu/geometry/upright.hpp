// SPDX-License-Identifier: BSD-3-Clause
// Overlaps of boxes with sides parallel to the axes, in float or double.
#ifndef IMPL_CPU_GEOMETRY_UPRIGHT_HPP_
#define IMPL_CPU_GEOMETRY_UPRIGHT_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

struct UprightOverlaps {
  const void* first;   // [rows, 4] in packed rows
  const void* second;  // [4, columns]: x1, y1, x2, y2
  int64_t rows, columns;
  double offset;  // added to sides; the least divisor
  bool over_first, aligned;
};

// Writes out[i, j], or out[i] of the pairs with j = i, in float32 or float64.
void upright_overlaps(const UprightOverlaps& pairs, diopiDtype_t dtype, void* out);

}  // namespace impl::cpu

#endif  // IMPL_CPU_GEOMETRY_UPRIGHT_HPP_
