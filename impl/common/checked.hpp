// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on sizes and attributes that reports overflow of 64 bits. Shape rules use these functions for all numbers
// of the caller. If no function reports overflow, the arithmetic of the kernels cannot overflow either.
#ifndef IMPL_COMMON_CHECKED_HPP_
#define IMPL_COMMON_CHECKED_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Bytes of the largest element of any dtype.
inline constexpr int64_t kLargestItem = 16;

// Sum, difference and product; false if the result does not fit 64 bits.
[[nodiscard]] inline bool add_sizes(int64_t a, int64_t b, int64_t* sum) { return !__builtin_add_overflow(a, b, sum); }
[[nodiscard]] inline bool sub_sizes(int64_t a, int64_t b, int64_t* difference) {
  return !__builtin_sub_overflow(a, b, difference);
}
[[nodiscard]] inline bool mul_sizes(int64_t a, int64_t b, int64_t* product) {
  return !__builtin_mul_overflow(a, b, product);
}

// The extent of a window of `kernel` elements with distance `dilation`: dilation * (kernel - 1) + 1.
[[nodiscard]] inline bool window_reach(int64_t kernel, int64_t dilation, int64_t* reach) {
  int64_t steps = 0;
  return mul_sizes(kernel - 1, dilation, &steps) && add_sizes(steps, 1, reach);
}

// The extent with `padding` added on both sides.
[[nodiscard]] inline bool padded_extent(int64_t extent, int64_t padding, int64_t* padded) {
  return add_sizes(extent, padding, padded) && add_sizes(*padded, padding, padded);
}

// The number of elements of a shape, whose extents must not be negative. If it returns true, the product of any of the
// extents fits 64 bits, even if another extent is 0, and the number of bytes fits for every dtype.
[[nodiscard]] inline bool count_elements(const Dims& shape, int64_t* numel) {
  int64_t product = kLargestItem;
  bool empty = false;
  for (int64_t extent : shape) {
    empty |= extent == 0;
    if (!mul_sizes(product, extent > 0 ? extent : 1, &product)) return false;
  }
  *numel = empty ? 0 : product / kLargestItem;
  return true;
}

// The stride of the dimension outside one of `extent` elements that are `step` apart. If the product does not fit 64
// bits, no tensor has the shape, and the stride is the largest whose bytes fit for every dtype.
[[nodiscard]] inline int64_t next_stride(int64_t step, int64_t extent) {
  int64_t next = 0;
  return mul_sizes(step, extent > 1 ? extent : 1, &next) ? next : INT64_MAX / kLargestItem;
}

// Checks the shape of a result that has no tensor yet: refused if its bytes do not fit 64 bits.
Status require_countable(const Dims& shape, const char* what);

// Checks that the dtype of `indices`, an int32 or int64 output, can hold all positions of [0, count) in `input`.
Status require_numbered(const TensorView& indices, int64_t count, const TensorView& input);

}  // namespace diopi

#endif  // IMPL_COMMON_CHECKED_HPP_
