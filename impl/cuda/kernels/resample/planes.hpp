// SPDX-License-Identifier: BSD-3-Clause
#ifndef IMPL_CUDA_KERNELS_RESAMPLE_PLANES_HPP_
#define IMPL_CUDA_KERNELS_RESAMPLE_PLANES_HPP_

#include "impl/common/engine/resample.hpp"

namespace impl::cuda {

// Whether resample_planes() can compute a call of resample(), which it does faster.
bool fits_planes(const Resampling& call, bool adjoint);
Status resample_planes(diopiContextHandle_t ctx, const Resampling& call, bool adjoint);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_RESAMPLE_PLANES_HPP_
