// SPDX-License-Identifier: BSD-3-Clause
// The search for an integer that is out of range. It waits for the stream.
#ifndef IMPL_CUDA_ENGINE_OUTSIDE_HPP_
#define IMPL_CUDA_ENGINE_OUTSIDE_HPP_

#include "impl/common/tensor_view.hpp"

namespace impl::cuda {

struct Outside {
  int64_t position = -1;  // in row-major order; -1 if there is none
  int64_t value = 0;
};

// Finds the first integer of `view` that is not in [0, below) and is not `allowed`.
diopi::Status find_outside(diopiContextHandle_t ctx, const diopi::TensorView& view, int64_t below, int64_t allowed,
                           Outside* found);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_OUTSIDE_HPP_
