// SPDX-License-Identifier: BSD-3-Clause
// Kernels of averages and maxima of samples in the bins of upright regions.
#ifndef IMPL_CUDA_KERNELS_ROI_ROI_HPP_
#define IMPL_CUDA_KERNELS_ROI_ROI_HPP_

#include "impl/common/engine/roi.hpp"

namespace impl::cuda {

// bins [R, C, PH, PW] = the averages of `images` [N, C, H, W], or with `adjoint` images = the gradient, of which `bins`
// is that of the averages. The grid is upright and without offsets. The tensor that is written is not empty.
Status average_regions(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& images, const TensorView& bins,
                       const TensorView& rois, bool adjoint);

// out [R, C, PH, PW] = the maxima; `at_y` and `at_x`, of the same shape, get the positions of the first maxima. All
// tensors are of one dtype. `out` is not empty.
Status find_maxima(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& at_y,
                   const TensorView& at_x, const TensorView& input, const TensorView& rois);

// The four elements of `images` that each sample at (at_y, at_x) reads: places[4 i + k] is the row-major number of one
// for bin i, or `none`, and terms[4 i + k] is its weight times the gradient. `terms` is a packed tensor.
struct MaximumTerms {
  int64_t* places;
  int64_t none;
  TensorView terms;
};
Status find_maximum_terms(diopiContextHandle_t ctx, const TensorView& images, const TensorView& grad_output,
                          const TensorView& rois, const TensorView& at_y, const TensorView& at_x,
                          const MaximumTerms& terms);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_ROI_ROI_HPP_
