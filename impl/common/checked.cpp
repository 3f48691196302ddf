// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/checked.hpp"

#include <limits>

namespace diopi {

Status require_countable(const Dims& shape, const char* what) {
  int64_t numel = 0;
  DIOPI_REQUIRE(count_elements(shape, &numel), diopiErrorOccurred, "%s of shape %s would have more than 2^63 bytes",
                what, Text(shape).c_str());
  return diopiSuccess;
}

Status require_numbered(const TensorView& indices, int64_t count, const TensorView& input) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  DIOPI_REQUIRE(
      indices.dtype != diopi_dtype_int32 || count - 1 <= kMost, diopiErrorOccurred,
      "%s has dtype int32, which does not hold positions among %lld elements of %s of shape %s, expected int64",
      indices.name, static_cast<long long>(count), input.name, Text(input.shape).c_str());
  return diopiSuccess;
}

}  // namespace diopi
