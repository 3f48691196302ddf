// SPDX-License-Identifier: BSD-3-Clause
// Sums of all elements before each element.
#ifndef IMPL_CUDA_KERNELS_SCAN_SCAN_HPP_
#define IMPL_CUDA_KERNELS_SCAN_SCAN_HPP_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace impl::cuda {

// The elements of `scratch` that scan_exclusive() needs.
int64_t scan_scratch(int64_t n);
// Replaces each of n numbers by the sum of those before it. `scratch` has scan_scratch(n) elements.
cudaError_t scan_exclusive(cudaStream_t stream, int64_t* numbers, int64_t n, int64_t* scratch);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_SCAN_SCAN_HPP_
