// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/dtype_range.hpp"

#include <limits>

namespace diopi {

int significand_bits(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return 11;
    case diopi_dtype_bfloat16:
      return 8;
    case diopi_dtype_float32:
      return 24;
    default:
      return 53;
  }
}

double largest_finite(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return 65504;
    case diopi_dtype_bfloat16:
      return 0x1.FEp127;
    case diopi_dtype_float32:
    case diopi_dtype_complex64:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

uint64_t largest_exact(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) return 1;
  if (is_floating(dtype)) return uint64_t{1} << significand_bits(dtype);
  const int bits = 8 * dtype_size(dtype);
  const bool is_unsigned = (dtype & 1) != 0;  // the odd values of the enum are unsigned
  return ~uint64_t{0} >> (64 - bits + (is_unsigned ? 0 : 1));
}

}  // namespace diopi
