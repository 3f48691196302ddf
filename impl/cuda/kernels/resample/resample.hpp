// SPDX-License-Identifier: BSD-3-Clause
// Kernels of interpolation to another size, and of samples at coordinates. Tensors are viewed as [N, C, D, H, W].
#ifndef IMPL_CUDA_KERNELS_RESAMPLE_RESAMPLE_HPP_
#define IMPL_CUDA_KERNELS_RESAMPLE_RESAMPLE_HPP_

#include "impl/common/engine/resample.hpp"

namespace impl::cuda {

// `from` and `to` have five dimensions. With `adjoint`, writes the gradient of `from` for `to` as that of the output.
Status resample(diopiContextHandle_t ctx, const Resampling& call, bool adjoint);

// `grid` has the shape [N, D, H, W, coordinates].
Status sample_grid(diopiContextHandle_t ctx, const GridSampling& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RESAMPLE_RESAMPLE_HPP_
