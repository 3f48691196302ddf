// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/rules/results.hpp"

#include <algorithm>

namespace diopi {

Dims matmul_shape(const Dims& a, const Dims& b) {
  const int a_batch = std::max(a.n - 2, 0), b_batch = std::max(b.n - 2, 0);
  Dims shape;
  shape.n = std::max(a_batch, b_batch);
  for (int i = 1; i <= shape.n; ++i) {
    const int64_t from_a = i <= a_batch ? a[a_batch - i] : 1;
    shape[shape.n - i] = from_a != 1 || i > b_batch ? from_a : b[b_batch - i];
  }
  if (a.n > 1) shape.push_back(a[a.n - 2]);
  if (b.n > 1) shape.push_back(b[b.n - 1]);
  return shape;
}

Dims with_last_extent(const Dims& shape, int64_t extent) {
  Dims result = shape;
  result[result.n - 1] = extent;
  return result;
}

}  // namespace diopi
