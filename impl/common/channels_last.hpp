// SPDX-License-Identifier: BSD-3-Clause
// The channels-last layout: dimension 1 is the innermost in memory, dimension 0 the outermost.
#ifndef IMPL_COMMON_CHANNELS_LAST_HPP_
#define IMPL_COMMON_CHANNELS_LAST_HPP_

#include "impl/common/checked.hpp"

namespace diopi {

// Strides of a tensor of at least two dimensions without gaps.
inline Dims channels_last_strides(const Dims& shape) {
  Dims strides;
  strides.n = shape.n;
  int64_t step = 1;
  const auto place = [&](int dim) {
    strides[dim] = step;
    step = next_stride(step, shape[dim]);
  };
  place(1);
  for (int dim = shape.n - 1; dim >= 2; --dim) place(dim);
  place(0);
  return strides;
}

}  // namespace diopi

#endif  // IMPL_COMMON_CHANNELS_LAST_HPP_
