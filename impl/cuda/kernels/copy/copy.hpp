// SPDX-License-Identifier: BSD-3-Clause
// Kernels that copy and fill tensors of any strides.
#ifndef IMPL_CUDA_KERNELS_COPY_COPY_HPP_
#define IMPL_CUDA_KERNELS_COPY_COPY_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/tensor_view.hpp"

namespace impl::cuda {

// Copies `in`, which broadcasts to the shape of `out`, and converts the elements. The two share no memory. `in` may be
// a number on the host.
diopi::Status copy_elements(cudaStream_t stream, const diopi::TensorView& out, const diopi::TensorView& in);

// Converts a number on the host, a view of one element, to an element of `dtype` at `element`, on the host.
void convert_number(const diopi::TensorView& number, diopiDtype_t dtype, void* element);

// Sets every element of `out` to the element of its dtype at `element`, on the host.
diopi::Status fill_elements(cudaStream_t stream, const diopi::TensorView& out, const void* element);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_COPY_COPY_HPP_
