// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for sliding windows that are copied, or added back.
#ifndef IMPL_COMMON_ENGINE_IM2COL_HPP_
#define IMPL_COMMON_ENGINE_IM2COL_HPP_

#include "impl/common/plan/windows.hpp"

namespace diopi {

// Images and the elements of their blocks. Both tensors have one dtype and any strides, and at least one element.
struct Blocks {
  TensorView image;    // [N, C, H, W]
  TensorView columns;  // [N, C * kernel elements, number of blocks]
  Windows windows;     // over H and W
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::Blocks;
using diopi::Status;
using diopi::TensorView;

// columns = the elements of each block; those outside the image are 0.
Status run_im2col(diopiContextHandle_t ctx, const Blocks& blocks);
// image = the sums of the elements of blocks that lie at a position. Sums of float16 and bfloat16 are computed in
// float32 and rounded once; sums of integers wrap around, and that of bool is `or`.
Status run_col2im(diopiContextHandle_t ctx, const Blocks& blocks);

// sums[.., p, ..] = the sum of windows[.., w, .., j] over w * step + j = p, as run_col2im() adds. Dimension `dim` of
// `windows` counts the windows, its last dimension the elements of a window. `sums` has at least one element.
Status add_windows(diopiContextHandle_t ctx, const TensorView& sums, const TensorView& windows, int dim, int64_t step);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_IM2COL_HPP_
