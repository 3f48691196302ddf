// SPDX-License-Identifier: BSD-3-Clause
// Kernels of averages of samples in the bins of upright regions.
#ifndef IMPL_CUDA_KERNELS_ROI_ROI_HPP_
#define IMPL_CUDA_KERNELS_ROI_ROI_HPP_

#include "impl/common/engine/roi.hpp"

namespace impl::cuda {

// bins [R, C, PH, PW] = the averages of `images` [N, C, H, W], or with `adjoint` images = the gradient, of which `bins`
// is that of the averages. The grid is upright and without offsets. The tensor that is written is not empty.
Status average_regions(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& images, const TensorView& bins,
                       const TensorView& rois, bool adjoint);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROI_ROI_HPP_
