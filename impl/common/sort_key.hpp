// SPDX-License-Identifier: BSD-3-Clause
// Unsigned keys in the order in which PyTorch sorts values. The functions are constexpr, so CUDA kernels can call them.
#ifndef IMPL_COMMON_SORT_KEY_HPP_
#define IMPL_COMMON_SORT_KEY_HPP_

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace diopi {

// How the bits of a real dtype are ordered.
struct KeyRule {
  uint64_t infinity = 0;  // floating point: the bits of infinity; larger magnitudes are NaN
  bool is_signed = false, is_bool = false;
};

constexpr KeyRule key_rule(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return {0x7C00, false, false};
    case diopi_dtype_bfloat16:
      return {0x7F80, false, false};
    case diopi_dtype_float32:
      return {0x7F800000, false, false};
    case diopi_dtype_float64:
      return {0x7FF0000000000000, false, false};
    case diopi_dtype_bool:
      return {0, false, true};
    default:
      return {0, is_integral(dtype) && (dtype & 1) == 0, false};  // the odd values of the enum are unsigned
  }
}

// Preserves the order. -0 equals +0; all NaN are equal, have only ones, and are larger than every number.
template <typename Key>
constexpr Key ordered_key(Key bits, KeyRule rule) {
  constexpr int kTopBit = 8 * sizeof(Key) - 1;
  constexpr Key kSign = static_cast<Key>(Key{1} << kTopBit);
  if (rule.is_bool) return bits != 0;
  if (rule.infinity == 0) return rule.is_signed ? static_cast<Key>(bits ^ kSign) : bits;
  // Without branches, because signs may be random. A negative number is inverted, and a positive number gets the sign
  // bit. This orders -0 just below +0; adding 1 makes them equal.
  const Key magnitude = bits & static_cast<Key>(~kSign);
  const Key negative = static_cast<Key>(0 - (bits >> kTopBit));
  const Key ordered = static_cast<Key>((bits ^ (negative | kSign)) + (bits == kSign));
  const Key nan = static_cast<Key>(0 - static_cast<Key>(magnitude > static_cast<Key>(rule.infinity)));
  return ordered | nan;
}

}  // namespace diopi

#endif  // IMPL_COMMON_SORT_KEY_HPP_
