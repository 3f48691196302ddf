// SPDX-License-Identifier: BSD-3-Clause
// Lists of the elements of a mask that are true.
#ifndef IMPL_CUDA_ENGINE_INDEX_COMPACT_HPP_
#define IMPL_CUDA_ENGINE_INDEX_COMPACT_HPP_

#include <cstdint>

#include "impl/common/error.hpp"
#include "impl/cuda/kernels/index/mask.hpp"

namespace impl::cuda {

// Counts the bytes of a mask of n bytes that are not zero, and lists their positions on the device. Waits for the
// device.
diopi::Status list_true(diopiContextHandle_t ctx, const uint8_t* mask, int64_t n, int64_t* count, int64_t** positions);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_INDEX_COMPACT_HPP_
