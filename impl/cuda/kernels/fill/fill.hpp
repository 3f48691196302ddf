// SPDX-License-Identifier: BSD-3-Clause
// Kernels that fill tensors with sequences of numbers.
#ifndef IMPL_CUDA_KERNELS_FILL_FILL_HPP_
#define IMPL_CUDA_KERNELS_FILL_FILL_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/tensor_view.hpp"

namespace impl::cuda {

// Element i, in row-major order, is start + i * step. Integers wrap around.
diopi::Status fill_range(cudaStream_t stream, const diopi::TensorView& out, double start, double step);
diopi::Status fill_range(cudaStream_t stream, const diopi::TensorView& out, int64_t start, int64_t step);
// The first half counts up from `start`, the second one counts down from `end`.
diopi::Status fill_between(cudaStream_t stream, const diopi::TensorView& out, double start, double end);
// out[..., in[...]] = 1. A number outside of the last dimension writes nothing.
diopi::Status write_ones(cudaStream_t stream, const diopi::TensorView& out, const diopi::TensorView& in);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_FILL_FILL_HPP_
