// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for maxima in regions and along borders, and for samples at rotated boxes. What
// impl/common/engine/roi.hpp says of tensors holds here, too.
#ifndef IMPL_COMMON_ENGINE_ROI_MAXIMUM_HPP_
#define IMPL_COMMON_ENGINE_ROI_MAXIMUM_HPP_

#include "impl/common/engine/roi.hpp"

namespace impl::DIOPI_VENDOR {

// Upright regions; (at_y, at_x) is the position of the first maximum.
Status run_roi_maximum(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& at_y,
                       const TensorView& at_x, const TensorView& input, const TensorView& rois);
Status run_roi_maximum_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                                const TensorView& rois, const TensorView& at_y, const TensorView& at_x);

// The maximum of the elements of each bin of upright regions. `at` is an int32 tensor with its position in the plane.
Status run_roi_pool(diopiContextHandle_t ctx, double scale, const TensorView& out, const TensorView& at,
                    const TensorView& input, const TensorView& rois);
// The elements of `at` are positions of the plane, or -1.
Status run_roi_pool_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                             const TensorView& rois, const TensorView& at);

// The maximum of pool_size + 1 samples on each border of the boxes [N, K, 4]. `out` and `at`, an int32 tensor, are
// [N, C, K, 4], `input` is [N, 4 C, H, W].
Status run_border_align(diopiContextHandle_t ctx, int64_t pool_size, const TensorView& out, const TensorView& at,
                        const TensorView& input, const TensorView& boxes);
// The elements of `at` are from 0 to pool_size.
Status run_border_align_backward(diopiContextHandle_t ctx, int64_t pool_size, const TensorView& grad_input,
                                 const TensorView& grad_output, const TensorView& boxes, const TensorView& at);

// Adds one sample, or 5, of the image at each cell; `boxes` is [N, H, W, 5].
Status run_box_samples(diopiContextHandle_t ctx, double scale, bool corners, const TensorView& out,
                       const TensorView& input, const TensorView& boxes);
Status run_box_samples_backward(diopiContextHandle_t ctx, double scale, bool corners, const TensorView& grad_input,
                                const TensorView& grad_output, const TensorView& boxes);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_ROI_MAXIMUM_HPP_
