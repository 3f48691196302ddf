// SPDX-License-Identifier: BSD-3-Clause
// Kernels that copy and fill tensors of any strides.
#ifndef IMPL_CUDA_KERNELS_COPY_COPY_HPP_
#define IMPL_CUDA_KERNELS_COPY_COPY_HPP_

#include <cuda_runtime_api.h>

#include "impl/common/view_list.hpp"

namespace impl::cuda {

// Copies `in`, which broadcasts to the shape of `out`, and converts the elements. The two share no memory. `in` may be
// a number on the host.
diopi::Status copy_elements(cudaStream_t stream, const diopi::TensorView& out, const diopi::TensorView& in);

// Whether the elements of one dtype become those of the other without a change of their bits.
bool has_same_bits(diopiDtype_t a, diopiDtype_t b);

// Copies each tensor of `ins` to that of `outs`, of the same shape, with few launches. No output shares memory with
// another tensor.
diopi::Status copy_each(cudaStream_t stream, const diopi::ViewList& outs, const diopi::ViewList& ins);

// Converts a number on the host, a view of one element, to an element of `dtype` at `element`, on the host.
void convert_number(const diopi::TensorView& number, diopiDtype_t dtype, void* element);

// Sets every element of `out` to the element of its dtype at `element`, on the host.
diopi::Status fill_elements(cudaStream_t stream, const diopi::TensorView& out, const void* element);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_COPY_COPY_HPP_
