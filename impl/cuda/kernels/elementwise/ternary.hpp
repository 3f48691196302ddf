// SPDX-License-Identifier: BSD-3-Clause
// Kernels of functions of three numbers.
#ifndef IMPL_CUDA_KERNELS_ELEMENTWISE_TERNARY_HPP_
#define IMPL_CUDA_KERNELS_ELEMENTWISE_TERNARY_HPP_

#include "impl/common/engine/ternary.hpp"
#include "impl/cuda/engine/map.hpp"

namespace impl::cuda {

using diopi::TernaryOp;

// Whether there is a kernel that computes in `dtype`, a dtype of computation.
bool has_ternary(TernaryOp op, diopiDtype_t dtype);
// `params`: see run_ternary().
Status launch_ternary(const MapCall& call, TernaryOp op, diopiDtype_t dtype, const void* params);
// out = in[0] ? in[1] : in[2]; the last two are converted to `dtype`, then to the dtype of `out`.
Status launch_select(const MapCall& call, diopiDtype_t dtype);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ELEMENTWISE_TERNARY_HPP_
