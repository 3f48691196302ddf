// SPDX-License-Identifier: BSD-3-Clause
// Pooling: a thread for each element of the result. Tensors are [N, C, D, H, W] of any strides. Results overlap no
// operand.
#ifndef IMPL_CUDA_KERNELS_POOL_POOL_HPP_
#define IMPL_CUDA_KERNELS_POOL_POOL_HPP_

#include "impl/common/engine/pool.hpp"
#include "impl/cuda/kernels/first_bad.hpp"

namespace impl::cuda {

using diopi::Status;
using diopi::TensorView;

// `indices` may be null.
Status max_pool(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& out,
                const TensorView* indices, const TensorView& in);
// Reports indices outside of their plane to `bad`.
Status max_pool_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const TensorView& grad_input,
                         const TensorView& grad_output, const TensorView& indices, const FirstBad& bad);
Status avg_pool(diopiContextHandle_t ctx, const diopi::Windows& windows, const diopi::Averaging& averaging,
                const TensorView& out, const TensorView& in);
Status avg_pool_backward(diopiContextHandle_t ctx, const diopi::Windows& windows, const diopi::Averaging& averaging,
                         const TensorView& grad_input, const TensorView& grad_output);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_POOL_POOL_HPP_
